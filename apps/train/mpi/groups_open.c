/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes on groups of ranks: sets up their stages, pieces and slots (groups.c). */
#include <stdlib.h>

#include "train/mpi/groups.h"
#include "train/mpi/modes.h"
#include "train/mpi/together.h"
#include "train/poad.h"

/* Batches after which the pipeline is empty, so that the training can stop; in sync it is empty
 * after every batch. */
enum { STRETCH = 256, STRETCH_OF_SYNC = 32 };

static size_t common_multiple(size_t a, size_t b)
{
    size_t x = a, y = b;
    while (y) {
        size_t rest = x % y;
        x = y;
        y = rest;
    }
    return a / x * b;
}

/* Samples of a piece: a multiple of the columns of all grids, so that pieces have the same layout
 * in the batch as alone. If the batch is one piece, this is not needed. */
static size_t piece_of(const struct train_run *run, const struct groups *own)
{
    size_t batch = run->options.batch, piece = run->options.piece, common = 1;
    if (own->delay == TRAIN_STASHED)
        return batch;
    for (int g = 0; g < own->grids.count; g++) {
        const struct train_grid *grid = &own->grids.of[g];
        common = common_multiple(common, (size_t)grid->columns);
        if (g + 1 == own->grids.count)
            common = common_multiple(common, (size_t)(grid->rows * grid->columns));
    }
    if (!piece)
        piece = train_pipeline_piece(own->delay, own->grids.count, batch);
    piece = (piece + common - 1) / common * common;
    return piece < batch ? piece : batch;
}

static struct train_poad poad_of(const struct groups *own)
{
    return (struct train_poad){
        .stages = own->grids.count, .behind = own->order.behind, .stashed = !own->order.newest};
}

static void set_up_twins(struct train_run *run, struct groups *own)
{
    struct train_order *o = &own->order;
    o->twins = true;
    o->behind = o->newest ? train_poad_behind(2 * own->grids.count, run->options.behind)
                          : train_poad_stashed(own->grids.count);
    const struct train_poad poad = poad_of(own);
    own->rounds = (int)train_poad_slots(&poad);
}

static bool set_up(struct train_run *run, struct groups *own, struct summand__net_fault *fault)
{
    if (!train_grids_read(run->options.groups, &own->grids, fault))
        return false;
    int halves = own->twins ? 2 : 1;
    if (own->grids.ranks * halves != run->ranks)
        return summand__net_fail(fault, "groups %s need %d ranks%s, and there are %d",
                                 run->options.groups, own->grids.ranks * halves,
                                 own->twins ? " with their twins" : "", run->ranks);
    if (!train_pipeline_cut(&own->cut, own->grids.count))
        return summand__net_fail(fault, "%d layers are too few for %d groups", run->shape->layers,
                                 own->grids.count);
    own->reverse = run->rank >= own->grids.ranks;
    own->place = run->rank % own->grids.ranks;
    while (own->stage + 1 < own->grids.count && own->grids.of[own->stage + 1].first <= own->place)
        own->stage++;
    own->first = own->cut.first[own->stage];
    own->last = own->cut.first[own->stage + 1] - 1;
    own->piece = piece_of(run, own);
    own->each = (int)((run->options.batch + own->piece - 1) / own->piece);
    own->rounds = own->delay == TRAIN_STASHED ? own->grids.count : own->delay == TRAIN_2BW ? 2 : 1;
    if (own->twins)
        set_up_twins(run, own);
    own->versions = own->rounds;
    own->slots = own->rounds * own->each;
    own->order.stages = own->grids.count;
    own->order.first = own->cut.first;
    own->order.delay = own->delay;
    own->order.each = (size_t)own->each;
    own->order.slots = (size_t)own->slots;
    own->ranks = calloc((size_t)run->ranks, sizeof *own->ranks);
    for (int r = 0; own->ranks && r < run->ranks; r++)
        own->ranks[r] = r;
    return own->ranks || summand__net_fail_memory(fault);
}

static bool groups_open(struct train_run *run, enum train_delay delay, bool twins, bool newest,
                        struct summand__net_fault *fault)
{
    train_take_ranks(run);
    struct groups *own = calloc(1, sizeof *own);
    run->kept = own;
    if (own)
        own->pair = own->group = MPI_COMM_NULL;
    if (!train_run_agree(run, own, fault))
        return false;
    own->delay = delay;
    own->twins = twins;
    own->order.newest = newest;
    own->cut.shape = run->shape;
    if (!train_run_agree(run, set_up(run, own, fault), fault))
        return false;
    train_run_stretch(run, delay == TRAIN_SYNC ? STRETCH_OF_SYNC : STRETCH);
    run->behind = twins ? own->order.behind : train_pipeline_delay(delay, own->grids.count);
    run->mixed = newest && run->behind > 0;
    run->delay = delay == TRAIN_SYNC ? 0 : delay == TRAIN_2BW ? 1 : 1 + (size_t)own->grids.count;
    const struct train_poad poad = poad_of(own);
    if (twins)
        run->delay = train_poad_mark(&poad);
    bool good = groups_make(run, own, fault);
    run->bytes = own->bytes;
    return good &&
           (!twins || train_check(groups_make_copies(run, own), "copies of the twins", fault));
}

/* Collective. */
static void groups_close(struct train_run *run)
{
    if (run->kept) {
        groups_free_copies(run, run->kept);
        groups_free(run, run->kept);
    }
    free(run->kept);
    run->kept = NULL;
}

static void groups_record(struct train_run *run)
{
    ((struct groups *)run->kept)->recorder.wanted = true;
}

static size_t groups_recorded(const struct train_run *run, size_t first, size_t count,
                              struct summand__recorded *to)
{
    return train_recorder_read(&((const struct groups *)run->kept)->recorder, first, count, to);
}

static bool open_sync(struct train_run *run, struct summand__net_fault *fault)
{
    return groups_open(run, TRAIN_SYNC, false, false, fault);
}

static bool open_stashed(struct train_run *run, struct summand__net_fault *fault)
{
    return groups_open(run, TRAIN_STASHED, false, false, fault);
}

static bool open_2bw(struct train_run *run, struct summand__net_fault *fault)
{
    return groups_open(run, TRAIN_2BW, false, false, fault);
}

static bool open_stashed_twins(struct train_run *run, struct summand__net_fault *fault)
{
    return groups_open(run, TRAIN_STASHED, true, false, fault);
}

static bool open_poad(struct train_run *run, struct summand__net_fault *fault)
{
    return groups_open(run, TRAIN_STASHED, true, true, fault);
}

#define MODE(word, text, opener)                                                                   \
    {                                                                                              \
        .name = word, .description = text, .interval = 1, .open = opener, .close = groups_close,   \
        .batch = groups_stretch, .take = groups_take, .give = groups_give,                         \
        .combine = train_combine, .flags = train_flags, .record = groups_record,                   \
        .recorded = groups_recorded                                                                \
    }

const struct train_mode train_mode_sync_groups =
    MODE("sync", "stages on groups; the pipeline empty between batches", open_sync);
const struct train_mode train_mode_stashed_groups =
    MODE("stashed", "stages on groups; weights that are behind by a fixed number of batches",
         open_stashed);
const struct train_mode train_mode_2bw_groups =
    MODE("2bw", "stages on groups; a batch in pieces, weights that are one batch behind", open_2bw);
const struct train_mode train_mode_stashed_twins_groups =
    MODE("stashed", "stages and twins on groups; weights that are behind by a fixed number",
         open_stashed_twins);
const struct train_mode train_mode_poad_groups =
    MODE("poad", "stages and twins on groups; the newest weights that have come", open_poad);

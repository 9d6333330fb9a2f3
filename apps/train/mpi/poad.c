/* SPDX-License-Identifier: BSD-3-Clause */
/* Training with twins (train/poad.h): ranks follow the protocol by puts with notification. All
 * ranks have all weights between epochs, for evaluation and checkpoints. */
#include "train/poad.h"

#include <string.h>

#include "schedule/schedule.h"
#include "train/mpi/modes.h"
#include "train/mpi/together.h"
#include "train/mpi/twins.h"

static int wait_for(struct twins *own, const struct train_poad_act *act)
{
    uint64_t begin = train_recorder_now(&own->recorder);
    int code = summand_notify_wait(act->peer, own->id + (int)act->ring,
                                   own->before[act->ring] + act->number, SUMMAND_TIMEOUT_FOREVER,
                                   own->segment);
    train_recorder_note(&own->recorder, SUMMAND__WAIT_COUNTER, act->peer, 0, begin);
    return code;
}

/* Puts floats into a slot of a peer, `offset` after its beginning; `last`: then increments the
 * counter.
 */
static int put(struct twins *own, const struct train_poad_act *act, const float *from,
               size_t floats, size_t offset, bool last)
{
    const struct twins_layout *layout = &own->layouts[act->peer];
    size_t at = layout->at[act->ring] + act->slot * layout->slot[act->ring] + offset;
    int queue = act->ring == TRAIN_VERSIONS ? TWINS_WEIGHTS : TWINS_ROWS, code;
    MPI_Count bytes = (MPI_Count)(floats * sizeof(float));
    uint64_t begin = train_recorder_now(&own->recorder);
    while ((code = summand_put_notify(from, bytes, act->peer, (MPI_Count)(at * sizeof(float)),
                                      own->id + (int)act->ring, last, queue, own->segment)) ==
           SUMMAND_QUEUE_FULL)
        if ((code = summand_queue_wait(queue, SUMMAND_TIMEOUT_FOREVER, own->segment)) !=
            MPI_SUCCESS)
            break;
    train_recorder_note(&own->recorder, SUMMAND__PUT, act->peer, (size_t)bytes, begin);
    if (last)
        train_recorder_note(&own->recorder, SUMMAND__NOTIFY, act->peer, 0,
                            train_recorder_now(&own->recorder));
    return code;
}

static int put_rows(struct twins *own, const struct train_poad_act *act,
                    const struct summand__net_matrix *m, size_t count, size_t offset, bool last)
{
    return put(own, act, m->at, count * m->ld, offset, last);
}

/* Puts to R(g) the inputs of the first layer (R(g) reads samples itself) and the outputs of all
 * layers but the last, whose derivative is the next stage's; also those of the network's last
 * layer. */
static int put_outputs(const struct train_run *run, struct twins *own,
                       const struct train_poad_act *act, size_t count)
{
    const struct twins_layout *layout = &own->layouts[act->peer];
    int from = own->first > 1 ? own->first - 1 : 1, code = MPI_SUCCESS;
    int to = own->last < run->shape->layers ? own->last - 1 : own->last;
    for (int l = from; l <= to && code == MPI_SUCCESS; l++)
        code = put_rows(own, act, &own->pass.x[l], count, layout->x_at[l], l == to);
    return to < from ? summand_notify(act->peer, own->id + TRAIN_OUTPUTS, 1, own->segment) : code;
}

/* This rank's layers of a version, in place. */
static void see_version(const struct twins *own, enum train_ring ring, size_t version,
                        struct summand__net_weights *view)
{
    float *at = twins_slot_of(own, ring, version);
    for (int l = own->first; l <= own->last; l++) {
        view->layer[l].at = at;
        at += view->layer[l].rows * view->layer[l].ld;
    }
}

/* Takes weights: in stashed mode the due version, else the newest that has arrived. */
static int take_version(struct train_run *run, struct twins *own,
                        const struct train_poad_turn *turn, struct summand__net_weights *view)
{
    uint64_t count = 0;
    int keeper = train_poad_keeper(&own->poad, turn->stage), code = MPI_SUCCESS;
    size_t version = turn->oldest;
    if (!own->poad.stashed) {
        code = summand_notify_value(keeper, own->id + TRAIN_VERSIONS, &count, own->segment);
        version = (size_t)(count - own->before[TRAIN_VERSIONS]);
        if (!turn->back)
            train_note_lag(run, turn->batch - version);
    }
    see_version(own, TRAIN_VERSIONS, version, view);
    return code;
}

/* Batches that this rank has finished, back, before the turn, if twins are together. */
static size_t done_back(const struct twins *own, const struct train_poad_turn *turn)
{
    size_t lead = (size_t)(own->poad.stages - turn->stage);
    lead = lead < train_poad_slots(&own->poad) ? lead : train_poad_slots(&own->poad);
    return turn->batch < lead ? 0 : turn->batch - lead + 1;
}

/* For a batch of the stretch: its first sample in the epoch, and its number of samples. */
static size_t first_of(const struct train_run *run, const struct twins *own, size_t batch)
{
    return (own->begin + batch) * run->options.batch;
}

static size_t count_of(const struct train_run *run, const struct twins *own, size_t batch)
{
    size_t left = run->train - first_of(run, own, batch);
    return left < run->options.batch ? left : run->options.batch;
}

static int forward(struct train_run *run, struct twins *own, const struct train_poad_turn *turn)
{
    size_t t = turn->batch, count = count_of(run, own, t);
    struct summand__net_pass *pass = &own->pass;
    struct summand__net_weights view = run->weights;
    int code = summand_queue_wait(TWINS_ROWS, SUMMAND_TIMEOUT_FOREVER, own->segment);
    if (turn->takes_version && code == MPI_SUCCESS)
        code = take_version(run, own, turn, &view);
    else if (!turn->takes_version)
        train_note_lag(run, t - done_back(own, turn));
    uint64_t begin = train_recorder_now(&own->recorder);
    if (code != MPI_SUCCESS)
        return code;
    pass->x[own->first - 1].at =
        turn->stage ? twins_slot_of(own, TRAIN_INPUTS, t) : own->x[own->first - 1];
    if (!turn->stage)
        train_run_read(run, first_of(run, own, t), count, &pass->x[0]);
    for (int l = own->first; l <= own->last; l++) {
        pass->x[l].at =
            own->back ? twins_slot_of(own, TRAIN_OUTPUTS, t) + own->layout->x_at[l] : own->x[l];
        summand__net_pass_forward(pass, &view, l, count);
    }
    train_recorder_note(&own->recorder, SUMMAND__COMPUTE, 0, 0, begin);
    for (int i = 0; i < turn->afters && code == MPI_SUCCESS; i++) {
        const struct train_poad_act *act = &turn->after[i];
        if (act->kind == TRAIN_PUT)
            code = act->ring == TRAIN_OUTPUTS
                       ? put_outputs(run, own, act, count)
                       : put_rows(own, act, &pass->x[own->last], count, 0, true);
    }
    return code;
}

/* Reads the batch's forward data; the last stage computes the first errors. */
static void recall(struct train_run *run, struct twins *own, const struct train_poad_turn *turn)
{
    size_t t = turn->batch, count = count_of(run, own, t);
    struct summand__net_pass *pass = &own->pass;
    for (int l = own->first - 1; l <= own->last; l++)
        pass->x[l].at = twins_slot_of(own, TRAIN_OUTPUTS, t) + own->layout->x_at[l];
    if (turn->stage && own->forward)
        pass->x[own->first - 1].at = twins_slot_of(own, TRAIN_INPUTS, t);
    if (!turn->stage)
        pass->x[0].at = own->x[0];
    pass->d[own->last].at =
        turn->stage + 1 < own->poad.stages ? twins_slot_of(own, TRAIN_ERRORS, t) : own->d;
    if (!turn->stage)
        train_run_read(run, first_of(run, own, t), count, &pass->x[0]);
    if (own->last == run->shape->layers) {
        run->batch = own->begin + t;
        train_run_targets(run, first_of(run, own, t), count);
        train_pass_loss(pass, run->targets, count, run->loss, run->right);
        train_run_count(run, &run->tally, count);
    }
}

/* Puts the inputs and errors of this rank's layers to the rank that updates all weights. */
static int put_sources(const struct train_run *run, struct twins *own,
                       const struct train_poad_act *act, size_t count)
{
    const struct twins_layout *layout = &own->layouts[act->peer];
    int code = MPI_SUCCESS;
    for (int l = own->first; l <= own->last && code == MPI_SUCCESS; l++) {
        code = put_rows(own, act, &own->pass.x[l - 1], count, layout->source_at[l], false);
        if (code == MPI_SUCCESS)
            code = put_rows(own, act, &own->pass.d[l], count,
                            layout->source_at[l] + twins_rows_of(run, l - 1), l == own->last);
    }
    return code;
}

/* Of the layers of other stages that this rank updates. */
static void see_sources(const struct train_run *run, struct twins *own, size_t batch)
{
    for (int g = 1; g < own->poad.stages && own->kept > own->last; g++) {
        float *slot = twins_slot_of(own, (enum train_ring)(TRAIN_SOURCES + g), batch);
        for (int l = own->cut.first[g]; l < own->cut.first[g + 1]; l++) {
            own->pass.x[l - 1].at = slot + own->layout->source_at[l];
            own->pass.d[l].at = own->pass.x[l - 1].at + twins_rows_of(run, l - 1);
        }
    }
}

static int improve(struct train_run *run, struct twins *own, const struct train_poad_turn *turn,
                   double rate)
{
    size_t count = count_of(run, own, turn->batch);
    int code = summand_queue_wait(TWINS_WEIGHTS, SUMMAND_TIMEOUT_FOREVER, own->segment);
    if (code != MPI_SUCCESS)
        return code;
    uint64_t begin = train_recorder_now(&own->recorder);
    see_sources(run, own, turn->batch);
    struct train_update update = train_update_begin(run, own->first, own->kept, count, rate);
    for (int l = own->kept; l >= own->first; l--)
        train_pass_gradient(&own->pass, l, count, update.alpha, update.beta,
                            &update.target->layer[l]);
    train_update_end(run, own->first, own->kept, rate);
    train_recorder_note(&own->recorder, SUMMAND__COMPUTE, 0, 0, begin);
    return MPI_SUCCESS;
}

/* Stores this rank's current weights into a slot of its own. */
static void keep_weights(const struct train_run *run, const struct twins *own, enum train_ring ring,
                         size_t version)
{
    memcpy(twins_slot_of(own, ring, version), run->weights.layer[own->first].at,
           twins_weights_of(run, own->first, own->last) * sizeof(float));
}

/* Puts the weights that a peer has. */
static int put_version(const struct train_run *run, struct twins *own,
                       const struct train_poad_act *act)
{
    int g = train_poad_stage(&own->poad, act->peer);
    int first = own->cut.first[g], last = own->cut.first[g + 1] - 1;
    return put(own, act, run->weights.layer[first].at, twins_weights_of(run, first, last), 0, true);
}

static int back(struct train_run *run, struct twins *own, const struct train_poad_turn *turn,
                double rate)
{
    size_t count = count_of(run, own, turn->batch);
    int code = summand_queue_wait(TWINS_ROWS, SUMMAND_TIMEOUT_FOREVER, own->segment);
    if (code != MPI_SUCCESS)
        return code;
    struct summand__net_weights view = run->weights;
    if (turn->takes_version && (code = take_version(run, own, turn, &view)) != MPI_SUCCESS)
        return code;
    uint64_t begin = train_recorder_now(&own->recorder);
    if (own->poad.stashed)
        see_version(own, TRAIN_STASH, turn->oldest, &view);
    recall(run, own, turn);
    for (int l = own->last; l >= own->first && l > 1; l--)
        train_pass_backward(&own->pass, &view, l, count);
    train_recorder_note(&own->recorder, SUMMAND__COMPUTE, 0, 0, begin);
    for (int i = 0; i < turn->afters && code == MPI_SUCCESS; i++) {
        const struct train_poad_act *act = &turn->after[i];
        if (act->kind == TRAIN_IMPROVE)
            code = improve(run, own, turn, rate);
        else if (act->kind == TRAIN_STORE)
            keep_weights(run, own, TRAIN_STASH, act->number);
        else if (act->ring == TRAIN_ERRORS)
            code = put_rows(own, act, &own->pass.d[own->first - 1], count, 0, true);
        else if (act->ring >= TRAIN_SOURCES)
            code = put_sources(run, own, act, count);
        else
            code = put_version(run, own, act);
    }
    return code;
}

/* Once all versions of a stretch have arrived: the last one is the next stretch's first. */
static void keep_version(struct train_run *run, struct twins *own)
{
    memcpy(run->weights.layer[own->first].at, twins_slot_of(own, TRAIN_VERSIONS, own->poad.batches),
           twins_weights_of(run, own->first, own->last) * sizeof(float));
}

/* Takes all turns of a stretch. Afterwards all versions have arrived, so the next stretch finds the
 * slots free. */
static int take_turns(struct train_run *run, struct twins *own, double rate)
{
    struct train_poad_turn turn;
    bool follows = train_poad_follows(&own->poad, run->rank);
    int code = MPI_SUCCESS;
    if (follows)
        keep_weights(run, own, TRAIN_VERSIONS, 0);
    if (own->back && own->poad.stashed)
        keep_weights(run, own, TRAIN_STASH, 0);
    for (size_t i = 0; code == MPI_SUCCESS && train_poad_turn(&own->poad, run->rank, i, &turn);
         i++) {
        for (int k = 0; k < turn.befores && code == MPI_SUCCESS; k++)
            if (turn.before[k].kind == TRAIN_WAIT)
                code = wait_for(own, &turn.before[k]);
        if (code == MPI_SUCCESS)
            code = turn.back ? back(run, own, &turn, rate) : forward(run, own, &turn);
    }
    const struct train_poad_act all = {.ring = TRAIN_VERSIONS,
                                       .peer = train_poad_keeper(&own->poad, turn.stage),
                                       .number = own->poad.batches};
    if (code == MPI_SUCCESS && follows)
        code = wait_for(own, &all);
    for (int q = 0; q < TWINS_QUEUES && code == MPI_SUCCESS; q++)
        code = summand_queue_wait(q, SUMMAND_TIMEOUT_FOREVER, own->segment);
    if (code == MPI_SUCCESS && follows)
        keep_version(run, own);
    for (int ring = 0; ring < TRAIN_RINGS_MOST; ring++)
        own->before[ring] += own->poad.batches;
    return code;
}

static bool twins_stretch(struct train_run *run, size_t first, size_t count, double rate,
                          struct summand__net_fault *fault)
{
    struct twins *own = run->kept;
    own->begin = first / run->options.batch;
    own->poad.batches = (count + run->options.batch - 1) / run->options.batch;
    train_recorder_begin(&own->recorder, first);
    int code = take_turns(run, own, rate);
    train_recorder_end(&own->recorder);
    return train_check(code, "an epoch with twins", fault);
}

static bool twins_take(struct train_run *run, struct summand__net_fault *fault)
{
    (void)fault;
    run->lag = (struct train_lag){0};
    return true;
}

static bool twins_give(struct train_run *run, struct summand__net_fault *fault)
{
    struct twins *own = run->kept;
    for (int g = 0; g < own->poad.stages; g++) {
        int first = own->cut.first[g], last = own->cut.first[g + 1] - 1;
        int root = train_poad_keeper(&own->poad, g);
        if (!train_share(run, &run->weights, first, last, root, fault) ||
            (run->velocity.memory && !train_share(run, &run->velocity, first, last, root, fault)))
            return false;
    }
    return train_share_lag(run, fault);
}

static void twins_record(struct train_run *run)
{
    ((struct twins *)run->kept)->recorder.wanted = true;
}

static size_t twins_recorded(const struct train_run *run, size_t first, size_t count,
                             struct summand__recorded *to)
{
    return train_recorder_read(&((const struct twins *)run->kept)->recorder, first, count, to);
}

static bool open_poad(struct train_run *run, struct summand__net_fault *fault)
{
    return twins_open(run, (struct train_poad){0}, fault);
}

static bool open_stashed(struct train_run *run, struct summand__net_fault *fault)
{
    return twins_open(run, (struct train_poad){.stashed = true}, fault);
}

static bool open_last(struct train_run *run, struct summand__net_fault *fault)
{
    return twins_open(run, (struct train_poad){.last = true}, fault);
}

#define MODE(word, text, opener)                                                                   \
    {                                                                                              \
        .name = word, .description = text, .interval = 1, .open = opener, .close = twins_close,    \
        .batch = twins_stretch, .take = twins_take, .give = twins_give, .combine = train_combine,  \
        .flags = train_flags, .record = twins_record, .recorded = twins_recorded                   \
    }

const struct train_mode train_mode_poad =
    MODE("poad", "stages and their twins; the newest weights that have come", open_poad);
const struct train_mode train_mode_poad_last =
    MODE("poad --update last", "the same; the last rank of the way updates all weights", open_last);
const struct train_mode train_mode_stashed_twins =
    MODE("stashed", "stages and their twins; weights that are behind by a fixed number of batches",
         open_stashed);

/* Stages of layers on groups of ranks, modes sync, stashed and 2bw: all that a group makes with
 * another one, or its ranks with each other, is a product of block-cyclic matrices
 * (summand/gemm.h). A layer's weights lie block-cyclic on its group's grid, its outputs too. The
 * first layer of a stage takes its inputs where they lie, in the group before (the border step),
 * forward and for its gradient; the errors of these inputs are a product that lands in the group
 * before. The transposed copy of the weights is the weights. Biases are the weights of a row of
 * ones; activations and derivatives are fused into the products (groups_make.c), by the rank that
 * has the element.
 *
 * A stage starts its part of a product of the next one as soon as its outputs are made, and waits
 * for it only where the slot is filled again. Elements are chains over the whole inner dimension,
 * whatever the grids: `sync` has the bits of one process. */
#include "train/mpi/groups.h"

#include <stdlib.h>
#include <string.h>

#include "exec/onesided.h"
#include "plan/plan.h"
#include "train/mpi/modes.h"
#include "train/mpi/together.h"
#include "train/update.h"

/* Batches between which the pipeline is empty, and the training can be stopped; in sync it is so
 * between any two. */
enum { STRETCH = 256, STRETCH_OF_SYNC = 32 };

static struct summand__onesided *steps_of(const struct groups_product *product)
{
    return product->plan->execution.tables->onesided;
}

/* Where a start is recorded, if its steps are to be in the time line. */
static void record(struct groups *own, struct groups_product *product)
{
    enum { ROOM = 1024 };
    struct summand__recording *recording = &product->recording;
    if (!own->recorder.on || !steps_of(product) ||
        (!recording->room && !summand__recording_init(recording, ROOM)))
        return;
    recording->count = 0;
    steps_of(product)->recording = recording;
}

static void take_records(struct groups *own, struct groups_product *product)
{
    struct summand__onesided *steps = steps_of(product);
    if (!steps || !steps->recording)
        return;
    const struct summand__recording *recording = steps->recording;
    for (size_t i = recording->count > recording->room ? recording->count - recording->room : 0;
         i < recording->count; i++) {
        struct summand__recorded recorded =
            summand__recording_read(&product->plan->execution, recording, i);
        train_recorder_add(&own->recorder, &recorded);
    }
    steps->recording = NULL;
}

static int finish(struct groups *own, struct groups_product *product)
{
    if (!product->started)
        return MPI_SUCCESS;
    product->started = false;
    int code = summand_plan_wait(product->plan);
    take_records(own, product);
    return code;
}

static int launch(struct groups *own, struct groups_product *product)
{
    int code = finish(own, product);
    if (!product->plan || !product->mine || code != MPI_SUCCESS)
        return code;
    record(own, product);
    product->started = true;
    return summand_plan_start(product->plan);
}

static int carry_out(struct groups *own, struct groups_product *product)
{
    int code = launch(own, product);
    return code == MPI_SUCCESS ? finish(own, product) : code;
}

/* A batch or a part of it. */
struct piece {
    struct groups_size *size;
    size_t first, count; /* samples of the epoch */
    int slot;
    bool ends; /* the batch */
};

static struct groups_product *product(struct groups *own, const struct piece *piece,
                                      enum groups_kind kind, int l)
{
    int slot = kind == GROUPS_GRADIENT ? groups_first_slot(own, piece->slot) : piece->slot;
    return groups_product(own, piece->size, kind, l, slot);
}

/* Of a stretch. */
static struct piece piece_at(const struct train_run *run, struct groups *own, size_t number)
{
    size_t batch = run->options.batch, each = (size_t)own->each;
    struct piece piece = {.first = own->begin + number / each * batch,
                          .slot = (int)(number % (size_t)own->slots)};
    piece.size = &own->size[run->train - piece.first < batch];
    piece.count = groups_piece(own, piece.size, piece.slot);
    piece.first += number % each * own->piece;
    size_t end = piece.first + piece.count;
    piece.ends = end == run->train || end % batch == 0;
    return piece;
}

static size_t pieces_of(const struct train_run *run, const struct groups *own)
{
    size_t batch = run->options.batch, piece = own->piece;
    size_t rest = own->count % batch;
    return own->count / batch * ((batch + piece - 1) / piece) + (rest + piece - 1) / piece;
}

/* This rank's samples of a piece: the first one's number in it, and how many. */
static size_t samples_of(const struct groups_array *array, int column, size_t count, size_t *first)
{
    *first = (size_t)column * array->block;
    size_t left = count > *first ? count - *first : 0;
    return left < array->block ? left : array->block;
}

static int column_of(const struct train_run *run, const struct groups *own, bool wide)
{
    const struct train_grid *grid = &own->grids.of[own->stage];
    return (run->rank - grid->first) % (wide ? grid->rows * grid->columns : grid->columns);
}

static void read_inputs(struct train_run *run, struct groups *own, const struct piece *piece)
{
    struct groups_array *x = &own->x[0];
    uint64_t begin = train_recorder_now(&own->recorder);
    size_t first, features = run->shape->widths[0];
    size_t count = samples_of(x, column_of(run, own, false), piece->count, &first);
    float *to = x->at + (size_t)piece->slot * x->columns * x->lead;
    for (size_t j = 0; j < count; j++, to += x->lead) {
        train_sample_read(&run->data->train, train_run_sample(run, piece->first + first + j),
                          own->sample);
        for (size_t i = 0; i < x->rows; i++) {
            size_t feature = train_dealt_index(&x->deal, i);
            if (feature < features)
                to[i] = own->sample[feature];
        }
    }
    train_recorder_note(&own->recorder, SUMMAND__COMPUTE, 0, 0, begin);
}

/* Losses and errors of this rank's samples, of which it has all outputs. */
static void judge(struct train_run *run, struct groups *own, const struct piece *piece)
{
    int last = run->shape->layers;
    struct groups_array *z = &own->z[last], *d = &own->d[last];
    struct train_pass pass = {.shape = run->shape};
    uint64_t begin = train_recorder_now(&own->recorder);
    size_t first, count = samples_of(z, column_of(run, own, true), piece->count, &first);
    size_t at = (size_t)groups_error_slot(own, piece->slot) * d->columns * d->lead;
    if (!run->shape->loss->is_softmax)
        for (size_t j = 0; j < count; j++)
            run->shape->last->apply(z->rows, z->at + j * z->lead);
    pass.x[last] = (struct train_matrix){z->at, count, z->rows, z->lead};
    pass.d[last] = (struct train_matrix){d->at + at, count, d->rows, d->lead};
    train_run_labels(run, piece->first + first, count);
    train_pass_loss(&pass, run->labels, count, run->loss, run->right);
    run->batch = piece->first / run->options.batch;
    train_run_count(run, &run->tally, count);
    train_recorder_note(&own->recorder, SUMMAND__COMPUTE, 0, 0, begin);
}

/* The slot is filled again: nobody reads it any more. */
static int free_slot(struct groups *own, const struct piece *piece)
{
    int code = MPI_SUCCESS;
    if (own->stage + 1 == own->grids.count)
        return code;
    for (int c = 0; c < 2 && code == MPI_SUCCESS; c++) {
        struct piece of = *piece;
        of.size = &own->size[c];
        code = finish(own, product(own, &of, GROUPS_FORWARD, own->last + 1));
        if (code == MPI_SUCCESS)
            code = finish(own, product(own, &of, GROUPS_GRADIENT, own->last + 1));
    }
    return code;
}

static int forward(struct train_run *run, struct groups *own, const struct piece *piece)
{
    int code = free_slot(own, piece);
    if (!own->stage && code == MPI_SUCCESS)
        read_inputs(run, own, piece);
    for (int l = own->first; l <= own->last && code == MPI_SUCCESS; l++) {
        code = carry_out(own, product(own, piece, GROUPS_FORWARD, l));
        if (code == MPI_SUCCESS && l == run->shape->layers)
            judge(run, own, piece);
    }
    if (own->stage + 1 < own->grids.count && code == MPI_SUCCESS)
        code = launch(own, product(own, piece, GROUPS_FORWARD, own->last + 1));
    if (own->stage + 1 < own->grids.count && piece->ends && code == MPI_SUCCESS)
        code = launch(own, product(own, piece, GROUPS_GRADIENT, own->last + 1));
    return code;
}

static float *version_at(const struct groups_array *w, size_t version)
{
    return w->at + version * w->columns * w->lead;
}

/* Calls a function of weights without biases, which are the last input's. */
static void decay_columns(const struct train_run *run, const struct groups *own, int l, float by,
                          const float *from, float *to,
                          void (*function)(size_t, float, const float *, float *))
{
    const struct groups_array *w = &own->w[l];
    const struct train_grid *grid = &own->grids.of[own->stage];
    const struct train_deal columns = {run->shape->widths[l - 1] + 1, w->block, grid->columns,
                                       (run->rank - grid->first) % grid->columns};
    for (size_t j = 0; j < w->columns; j++)
        if (train_dealt_index(&columns, j) < run->shape->widths[l - 1])
            function(w->rows, by, from + j * w->lead, to + j * w->lead);
}

/* The next version of the weights, as train_update_begin and _end make it. */
static int improve(struct train_run *run, struct groups *own, const struct piece *piece,
                   double rate)
{
    const struct train_options *o = &run->options;
    size_t old = own->updates % (size_t)own->versions;
    size_t next = (own->updates + 1) % (size_t)own->versions;
    int code = MPI_SUCCESS;
    for (int l = own->last; l >= own->first && code == MPI_SUCCESS; l--) {
        struct groups_array *w = &own->w[l], *v = &own->velocity[l];
        size_t floats = w->columns * w->lead;
        if (old != next)
            memcpy(version_at(w, next), version_at(w, old), floats * sizeof(float));
        if (o->momentum == 0 && o->decay != 0)
            decay_columns(run, own, l, train_kept(rate, o->decay), version_at(w, next),
                          version_at(w, next), train_decay);
        code = carry_out(own, product(own, piece, GROUPS_GRADIENT, l));
        if (o->momentum == 0 || code != MPI_SUCCESS)
            continue;
        if (o->decay != 0)
            decay_columns(run, own, l, (float)o->decay, version_at(w, next), v->at, train_pull);
        train_step(floats, (float)rate, v->at, version_at(w, next));
    }
    own->updates++;
    return code;
}

static int back(struct train_run *run, struct groups *own, const struct piece *piece, double rate)
{
    int code = MPI_SUCCESS;
    if (own->stage + 1 < own->grids.count)
        code = carry_out(own, product(own, piece, GROUPS_BACK, own->last + 1));
    for (int l = own->last; l >= own->first && l > 1 && code == MPI_SUCCESS; l--)
        code = carry_out(own, product(own, piece, GROUPS_BACK, l));
    return code == MPI_SUCCESS && piece->ends ? improve(run, own, piece, rate) : code;
}

/* Whether a piece may go forward while another one is the next to go back. In 2bw it sees the
 * weights after the batch before the last one, so that must be over. */
static bool may_follow(const struct train_run *run, const struct groups *own,
                       const struct piece *last, const struct piece *next, bool near)
{
    size_t between = next->first / run->options.batch - last->first / run->options.batch;
    return own->delay == TRAIN_SYNC ? between == 0
                                    : near && (own->delay != TRAIN_2BW || between < 2);
}

/* One piece forward and one back in turn, behind as many forward as stages follow, as in
 * pipeline.h; in sync all pieces of a batch forward first, as all see the same weights. */
static int take_turns(struct train_run *run, struct groups *own, double rate)
{
    size_t pieces = pieces_of(run, own), depth = (size_t)(own->grids.count - own->stage);
    size_t ahead = 0;
    int code = MPI_SUCCESS;
    for (size_t done = 0; done < pieces && code == MPI_SUCCESS; done++) {
        struct piece piece = piece_at(run, own, done);
        for (bool more = ahead < pieces; more && code == MPI_SUCCESS;) {
            struct piece next = piece_at(run, own, ahead);
            more = may_follow(run, own, &piece, &next, ahead - done < depth);
            if (more) {
                code = forward(run, own, &next);
                more = ++ahead < pieces;
            }
        }
        if (code == MPI_SUCCESS)
            code = back(run, own, &piece, rate);
    }
    for (int c = 0; c < 2; c++)
        for (int l = 1; l <= run->shape->layers && own->size[c].batch; l++)
            for (int slot = 0; slot < own->slots; slot++)
                for (int kind = 0; kind < GROUPS_KINDS && code == MPI_SUCCESS; kind++)
                    code = finish(
                        own, groups_product(own, &own->size[c], (enum groups_kind)kind, l, slot));
    return code;
}

/* Between run->weights, whole, and this rank's part. */
static void deal_weights(struct train_run *run, struct groups *own)
{
    const struct train_grid *grid = &own->grids.of[own->stage];
    for (int l = own->first; l <= own->last; l++) {
        const struct groups_array *w = &own->w[l], *v = &own->velocity[l];
        const struct train_deal columns = {run->shape->widths[l - 1] + 1, w->block, grid->columns,
                                           (run->rank - grid->first) % grid->columns};
        const struct train_matrix *whole = &run->weights.layer[l];
        for (size_t j = 0; j < w->columns; j++)
            for (size_t i = 0; i < w->rows; i++) {
                size_t at =
                    train_dealt_index(&columns, j) * whole->ld + train_dealt_index(&w->deal, i);
                for (int version = 0; version < own->versions; version++)
                    version_at(w, (size_t)version)[j * w->lead + i] = whole->at[at];
                if (v->at)
                    v->at[j * v->lead + i] = run->velocity.layer[l].at[at];
            }
    }
}

/* Collective: whole weights, on all ranks. */
static int gather(struct train_run *run, const struct groups *own, size_t updates)
{
    int code = MPI_SUCCESS;
    for (int l = 1; l <= run->shape->layers; l++)
        for (int i = 0; i < 1 + (run->options.momentum != 0) && code == MPI_SUCCESS; i++) {
            const struct train_matrix *m = i ? &run->velocity.layer[l] : &run->weights.layer[l];
            int version = i ? own->versions : (int)(updates % (size_t)own->versions);
            code = summand_matrix_get(groups_weights(own, l, version), 0, 0, (MPI_Count)m->columns,
                                      (MPI_Count)m->rows, m->at, (MPI_Count)m->ld);
        }
    return code;
}

/* The newest version becomes all of them, as the pipeline is empty. */
static void restart(const struct groups *own)
{
    size_t newest = own->updates % (size_t)own->versions;
    for (int l = own->first; l <= own->last; l++)
        for (size_t v = 0; v < (size_t)own->versions; v++)
            if (v != newest)
                memcpy(version_at(&own->w[l], v), version_at(&own->w[l], newest),
                       own->w[l].columns * own->w[l].lead * sizeof(float));
}

static bool groups_stretch(struct train_run *run, size_t first, size_t count, double rate,
                           struct train_fault *fault)
{
    struct groups *own = run->kept;
    if (!groups_make_gradients(run, own, rate, fault))
        return false;
    restart(own);
    own->begin = first;
    own->count = count;
    own->updates = 0;
    train_recorder_begin(&own->recorder, first);
    int code = take_turns(run, own, rate);
    train_recorder_end(&own->recorder);
    return train_check(code, "an epoch in groups", fault);
}

static bool groups_take(struct train_run *run, struct train_fault *fault)
{
    (void)fault;
    deal_weights(run, run->kept);
    return true;
}

static bool groups_give(struct train_run *run, struct train_fault *fault)
{
    const struct groups *own = run->kept;
    return train_check(gather(run, own, own->updates), "weights of the groups", fault);
}

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

/* Samples that pass together: a multiple of the columns of all grids, so that the pieces of a batch
 * lie in it as they lie alone. A batch that is one piece needs none of that. */
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

static bool set_up(struct train_run *run, struct groups *own, struct train_fault *fault)
{
    if (!train_grids_read(run->options.groups, &own->grids, fault))
        return false;
    if (own->grids.ranks != run->ranks)
        return train_fail(fault, "groups %s are of %d ranks, not of %d", run->options.groups,
                          own->grids.ranks, run->ranks);
    if (!train_pipeline_cut(&own->cut, own->grids.count))
        return train_fail(fault, "%d layers are too few for %d groups", run->shape->layers,
                          own->grids.count);
    while (own->stage + 1 < own->grids.count && own->grids.of[own->stage + 1].first <= run->rank)
        own->stage++;
    own->first = own->cut.first[own->stage];
    own->last = own->cut.first[own->stage + 1] - 1;
    own->piece = piece_of(run, own);
    own->each = (int)((run->options.batch + own->piece - 1) / own->piece);
    own->rounds = own->delay == TRAIN_STASHED ? own->grids.count : own->delay == TRAIN_2BW ? 2 : 1;
    own->versions = own->rounds;
    own->slots = own->rounds * own->each;
    own->ranks = calloc((size_t)run->ranks, sizeof *own->ranks);
    for (int r = 0; own->ranks && r < run->ranks; r++)
        own->ranks[r] = r;
    return own->ranks || train_fail_memory(fault);
}

static bool groups_open(struct train_run *run, enum train_delay delay, struct train_fault *fault)
{
    train_take_ranks(run);
    struct groups *own = calloc(1, sizeof *own);
    run->kept = own;
    if (!train_run_agree(run, own, fault))
        return false;
    own->delay = delay;
    own->cut.shape = run->shape;
    if (!train_run_agree(run, set_up(run, own, fault), fault))
        return false;
    train_run_stretch(run, delay == TRAIN_SYNC ? STRETCH_OF_SYNC : STRETCH);
    run->behind = train_pipeline_delay(delay, own->grids.count);
    run->delay = delay == TRAIN_SYNC ? 0 : delay == TRAIN_2BW ? 1 : 1 + (size_t)own->grids.count;
    return groups_make(run, own, fault);
}

/* Collective. */
static void groups_close(struct train_run *run)
{
    if (run->kept)
        groups_free(run, run->kept);
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

static bool open_sync(struct train_run *run, struct train_fault *fault)
{
    return groups_open(run, TRAIN_SYNC, fault);
}

static bool open_stashed(struct train_run *run, struct train_fault *fault)
{
    return groups_open(run, TRAIN_STASHED, fault);
}

static bool open_2bw(struct train_run *run, struct train_fault *fault)
{
    return groups_open(run, TRAIN_2BW, fault);
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

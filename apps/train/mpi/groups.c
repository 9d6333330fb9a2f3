/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of layers on groups of ranks: all that two groups, or the ranks of one, compute together
 * is a product of block-cyclic matrices (summand/gemm.h). A layer's weights lie block-cyclic on its
 * group's grid, its outputs too. The first layer of a stage reads its inputs in the group before
 * (the border step), forward and for its gradient. The errors of these inputs are a product whose
 * result lies in the group before. The transposed copy of the weights is the weights. Biases are
 * the weights of a row of ones; activations and derivatives are fused into the products
 * (groups_make.c), by the rank that has the element.
 *
 * A stage starts its share of the next stage's product once its outputs are ready, and waits for it
 * only before the slot is filled again. Elements are chains over the whole inner dimension,
 * whatever the grids: `sync` has the bits of one process. */
#include "train/mpi/groups.h"

#include <stdlib.h>
#include <string.h>

#include "compute/mpi/onesided.h"
#include "train/mpi/together.h"
#include "train/network.h"

/* The record of a start, if its steps belong in the time line. */
static void record(struct groups *own, struct groups_product *product)
{
    struct summand__recording *recording = &product->recording;
    if (!own->recorder.on || !summand__plan_record(product->plan, NULL) ||
        (!recording->room && !summand__plan_recording_init(product->plan, recording)))
        return;
    recording->count = 0;
    product->recorded = summand__plan_record(product->plan, recording);
}

static void take_records(struct groups *own, struct groups_product *product)
{
    const struct summand__recording *recording = &product->recording;
    if (!product->recorded)
        return;
    for (size_t i = recording->count > recording->room ? recording->count - recording->room : 0;
         i < recording->count; i++) {
        struct summand__recorded recorded = summand__plan_recorded(product->plan, recording, i);
        train_recorder_add(&own->recorder, &recorded);
    }
    summand__plan_record(product->plan, NULL);
    product->recorded = false;
}

/* A copy has no steps of its own to record: the time line shows the time of its calls. */
static int tell(struct groups *own, const struct groups_product *product, uint64_t begin, int code)
{
    int twin = own->place + (own->reverse ? 0 : own->grids.ranks);
    if (product->told_as)
        train_recorder_note(&own->recorder, product->told_as, twin, 0, begin);
    return code;
}

static int finish(struct groups *own, struct groups_product *product)
{
    if (!product->started)
        return MPI_SUCCESS;
    product->started = false;
    uint64_t begin = train_recorder_now(&own->recorder);
    int code = tell(own, product, begin, summand_plan_wait(product->plan));
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
    uint64_t begin = train_recorder_now(&own->recorder);
    return tell(own, product, begin, summand_plan_start(product->plan));
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
};

/* Of a stretch. */
static struct piece piece_at(const struct train_run *run, struct groups *own, size_t number)
{
    size_t batch = run->options.batch, each = (size_t)own->each;
    struct piece piece = {.first = own->begin + number / each * batch,
                          .slot = (int)(number % (size_t)own->slots)};
    piece.size = &own->size[run->train - piece.first < batch];
    piece.count = groups_piece(own, piece.size, piece.slot);
    piece.first += number % each * own->piece;
    return piece;
}

static size_t pieces_of(const struct train_run *run, const struct groups *own)
{
    size_t batch = run->options.batch, piece = own->piece;
    size_t rest = own->count % batch;
    return own->count / batch * ((batch + piece - 1) / piece) + (rest + piece - 1) / piece;
}

/* This rank's samples of a piece: the number of the first one in it, and their count. */
static size_t samples_of(const struct groups_array *array, int column, size_t count, size_t *first)
{
    *first = (size_t)column * array->block;
    size_t left = count > *first ? count - *first : 0;
    return left < array->block ? left : array->block;
}

static int column_of(const struct groups *own, bool wide)
{
    const struct train_grid *grid = &own->grids.of[own->stage];
    return (own->place - grid->first) % (wide ? grid->rows * grid->columns : grid->columns);
}

/* Copies this rank's features of a sample, block by block. */
static void deal_features(const struct groups_array *x, const float *sample, size_t features,
                          float *to)
{
    for (size_t i = 0, n; i < x->rows; i += n) {
        size_t feature = train_dealt_index(&x->deal, i);
        n = x->deal.block < x->rows - i ? x->deal.block : x->rows - i;
        size_t real = feature >= features ? 0 : features - feature < n ? features - feature : n;
        if (real)
            memcpy(to + i, sample + feature, real * sizeof *to);
    }
}

static void read_inputs(struct train_run *run, struct groups *own, const struct piece *piece)
{
    struct groups_array *x = &own->x[0];
    uint64_t begin = train_recorder_now(&own->recorder);
    size_t first, features = run->shape->widths[0], samples[TRAIN_AHEAD];
    size_t count = samples_of(x, column_of(own, false), piece->count, &first);
    float *to = x->at + (size_t)piece->slot * x->columns * x->lead;
    for (size_t j = 0, n; j < count; j += n) {
        n = count - j < TRAIN_AHEAD ? count - j : TRAIN_AHEAD;
        train_run_samples(run, piece->first + first + j, n, samples);
        for (size_t k = 0; k < n; k++, to += x->lead) {
            train_sample_read(&run->data->train, samples[k], own->sample);
            deal_features(x, own->sample, features, to);
        }
    }
    train_recorder_note(&own->recorder, SUMMAND__COMPUTE, 0, 0, begin);
}

/* Computes losses and errors of this rank's samples; the rank has all outputs of these. */
static void judge(struct train_run *run, struct groups *own, const struct piece *piece)
{
    int last = run->shape->layers;
    struct groups_array *z = &own->z[last], *d = &own->d[last];
    struct summand__net_pass pass = {.shape = run->shape};
    uint64_t begin = train_recorder_now(&own->recorder);
    size_t first, count = samples_of(z, column_of(own, true), piece->count, &first);
    size_t at = (size_t)train_order_error_slot(&own->order, piece->slot) * d->columns * d->lead;
    float *sums =
        z->at + (size_t)train_order_sum_slot(&own->order, piece->slot) * z->columns * z->lead;
    if (!run->shape->loss->is_softmax)
        for (size_t j = 0; j < count; j++)
            run->shape->last->apply(z->rows, sums + j * z->lead);
    pass.x[last] = (struct summand__net_matrix){sums, count, z->rows, z->lead};
    pass.d[last] = (struct summand__net_matrix){d->at + at, count, d->rows, d->lead};
    train_run_targets(run, piece->first + first, count);
    train_pass_loss(&pass, run->targets, count, run->loss, run->right);
    run->batch = piece->first / run->options.batch;
    train_run_count(run, &run->tally, count);
    train_recorder_note(&own->recorder, SUMMAND__COMPUTE, 0, 0, begin);
}

/* Calls a function of weights without biases, which are the last input's. */
static void decay_columns(const struct train_run *run, const struct groups *own, int l, float by,
                          const float *from, float *to,
                          void (*function)(size_t, float, const float *, float *))
{
    const struct groups_array *w = &own->w[l];
    const struct train_grid *grid = &own->grids.of[own->stage];
    const struct train_deal columns = {run->shape->widths[l - 1] + 1, w->block, grid->columns,
                                       column_of(own, false)};
    for (size_t j = 0; j < w->columns; j++)
        if (train_dealt_index(&columns, j) < run->shape->widths[l - 1])
            function(w->rows, by, from + j * w->lead, to + j * w->lead);
}

/* The state of a walk along the order. */
struct walker {
    struct train_run *run;
    struct groups *own;
    double rate;
    int code;
};

static struct groups_product *product_of(const struct walker *w, const struct train_order_act *act)
{
    struct groups *own = w->own;
    if (act->what >= TRAIN_PRODUCTS)
        return groups_product(own, NULL, act->what, act->layer,
                              (int)(act->number % (size_t)own->slots));
    struct piece piece = piece_at(w->run, own, act->number);
    int slot =
        act->what == TRAIN_GRADIENT ? train_order_first_slot(&own->order, piece.slot) : piece.slot;
    return groups_product(own, piece.size, act->what, act->layer, slot);
}

static void act_start(struct walker *w, const struct train_order_act *act)
{
    w->code = launch(w->own, product_of(w, act));
}

static void act_finish(struct walker *w, const struct train_order_act *act)
{
    w->code = finish(w->own, product_of(w, act));
}

static void act_read(struct walker *w, const struct train_order_act *act)
{
    struct piece piece = piece_at(w->run, w->own, act->number);
    read_inputs(w->run, w->own, &piece);
}

static void act_judge(struct walker *w, const struct train_order_act *act)
{
    struct piece piece = piece_at(w->run, w->own, act->number);
    judge(w->run, w->own, &piece);
}

/* Begins the next version of a layer's weights, as in train_update_begin. */
static void act_next(struct walker *w, const struct train_order_act *act)
{
    const struct train_options *o = &w->run->options;
    const struct groups_array *of = &w->own->w[act->layer];
    size_t versions = (size_t)w->own->versions;
    const float *old = groups_weights_at(of, act->number % versions);
    float *next = groups_weights_at(of, (act->number + 1) % versions);
    if (old != next)
        memcpy(next, old, of->columns * of->lead * sizeof(float));
    if (o->momentum == 0 && o->decay != 0)
        decay_columns(w->run, w->own, act->layer, train_kept(w->rate, o->decay), next, next,
                      train_decay);
}

/* Completes it, as in train_update_end. */
static void act_step(struct walker *w, const struct train_order_act *act)
{
    const struct train_options *o = &w->run->options;
    struct groups *own = w->own;
    const struct groups_array *of = &own->w[act->layer], *v = &own->velocity[act->layer];
    float *next = groups_weights_at(of, (act->number + 1) % (size_t)own->versions);
    own->updates = act->number + 1;
    if (o->momentum == 0)
        return;
    if (o->decay != 0)
        decay_columns(w->run, own, act->layer, (float)o->decay, next, v->at, train_pull);
    train_step(of->columns * of->lead, (float)w->rate, v->at, next);
}

static struct groups_product *copy_of(const struct groups *own, size_t version, int l)
{
    return groups_product(own, NULL, TRAIN_VERSION, l, (int)(version % (size_t)own->slots));
}

static bool has_come(struct groups *own, size_t version, int *code)
{
    bool come = true;
    for (int l = own->first; l <= own->last && come && *code == MPI_SUCCESS; l++) {
        struct groups_product *copy = copy_of(own, version, l);
        int done = 0;
        if (copy->started)
            *code = summand_plan_test(copy->plan, &done);
        if (done) {
            copy->started = false;
            take_records(own, copy);
        }
        come = !copy->started;
    }
    return come && *code == MPI_SUCCESS;
}

/* The newest version that has arrived at the first rank of the group, or `version`. The others may
 * have to wait for it, but for no other rank. */
static int choose(struct groups *own, size_t *version)
{
    bool leads = own->place == own->grids.of[own->stage].first;
    int code = MPI_SUCCESS;
    size_t last = own->taken + (size_t)own->slots; /* the last version with a slot */
    last = last < own->order.pieces ? last : own->order.pieces;
    own->chosen = own->taken;
    while (leads && own->chosen < last && has_come(own, own->chosen + 1, &code))
        own->chosen++;
    if (own->chosen < *version)
        own->chosen = *version;
    if (code == MPI_SUCCESS)
        code = carry_out(own, &own->choice);
    *version = own->chosen;
    return code;
}

static void act_keep(struct walker *w, const struct train_order_act *act)
{
    const struct groups_array *of = &w->own->w[act->layer];
    memcpy(of->at, groups_weights_at(of, 1 + act->number % (size_t)w->own->slots),
           of->columns * of->lead * sizeof(float));
}

static void do_act(void *context, const struct train_order_act *act);

/* Takes forward weights, and starts copies of the versions that have a slot then. */
static void act_take(struct walker *w, const struct train_order_act *act)
{
    struct groups *own = w->own;
    size_t version = train_order_oldest(&own->order, own->stage, act->number);
    if (own->order.newest)
        w->code = choose(own, &version);
    if (own->order.newest && act->number < own->order.pieces &&
        own->place == own->grids.of[own->stage].first)
        train_note_lag(w->run, act->number - version);
    train_order_take(&own->order, own->stage, own->taken, version, do_act, w);
    own->updates = own->taken = version;
}

static void do_act(void *context, const struct train_order_act *act)
{
    static void (*const rows[])(struct walker *, const struct train_order_act *) = {
        [TRAIN_ORDER_START] = act_start, [TRAIN_ORDER_FINISH] = act_finish,
        [TRAIN_ORDER_READ] = act_read,   [TRAIN_ORDER_JUDGE] = act_judge,
        [TRAIN_ORDER_TAKE] = act_take,   [TRAIN_ORDER_KEEP] = act_keep,
        [TRAIN_ORDER_NEXT] = act_next,   [TRAIN_ORDER_STEP] = act_step};
    struct walker *w = context;
    if (w->code == MPI_SUCCESS)
        rows[act->kind](w, act);
}

static int walk(struct train_run *run, struct groups *own, double rate)
{
    struct walker w = {run, own, rate, MPI_SUCCESS};
    train_order_walk(&own->order, own->stage + (own->reverse ? own->grids.count : 0), do_act, &w);
    for (int c = 0; c < 2; c++)
        for (int l = 1; l <= run->shape->layers && own->size[c].batch; l++)
            for (int slot = 0; slot < own->slots; slot++)
                for (int what = 0; what < TRAIN_ORDER_WHATS && w.code == MPI_SUCCESS; what++)
                    w.code = finish(own, groups_product(own, &own->size[c],
                                                        (enum train_order_what)what, l, slot));
    return w.code;
}

/* Copies between run->weights, whole, and this rank's part. */
static void deal_weights(struct train_run *run, struct groups *own)
{
    const struct train_grid *grid = &own->grids.of[own->stage];
    int versions = own->versions + (own->twins && !own->reverse);
    for (int l = own->first; l <= own->last; l++) {
        const struct groups_array *w = &own->w[l], *v = &own->velocity[l];
        const struct train_deal columns = {run->shape->widths[l - 1] + 1, w->block, grid->columns,
                                           column_of(own, false)};
        const struct summand__net_matrix *whole = &run->weights.layer[l];
        for (size_t j = 0; j < w->columns; j++)
            for (size_t i = 0; i < w->rows; i++) {
                size_t at =
                    train_dealt_index(&columns, j) * whole->ld + train_dealt_index(&w->deal, i);
                for (int version = 0; version < versions; version++)
                    groups_weights_at(w, (size_t)version)[j * w->lead + i] = whole->at[at];
                if (v->at)
                    v->at[j * v->lead + i] = run->velocity.layer[l].at[at];
            }
    }
}

/* Collective: gathers whole weights on all ranks. */
static int gather(struct train_run *run, const struct groups *own, size_t updates)
{
    int code = MPI_SUCCESS;
    for (int l = 1; l <= run->shape->layers; l++)
        for (int i = 0; i < 1 + (run->options.momentum != 0) && code == MPI_SUCCESS; i++) {
            const struct summand__net_matrix *m =
                i ? &run->velocity.layer[l] : &run->weights.layer[l];
            int version = i ? own->versions : (int)(updates % (size_t)own->versions);
            code = summand_matrix_get(groups_weights(own, l, version), 0, 0, (MPI_Count)m->columns,
                                      (MPI_Count)m->rows, m->at, (MPI_Count)m->ld);
        }
    return code;
}

/* Copies the newest version to all others, because the pipeline is empty. */
static void restart(const struct groups *own)
{
    size_t newest = own->updates % (size_t)own->versions;
    for (int l = own->first; l <= own->last && !(own->twins && !own->reverse); l++)
        for (size_t v = 0; v < (size_t)own->versions; v++)
            if (v != newest)
                memcpy(groups_weights_at(&own->w[l], v), groups_weights_at(&own->w[l], newest),
                       own->w[l].columns * own->w[l].lead * sizeof(float));
}

bool groups_stretch(struct train_run *run, size_t first, size_t count, double rate,
                    struct summand__net_fault *fault)
{
    struct groups *own = run->kept;
    if (!groups_make_gradients(run, own, rate, fault))
        return false;
    restart(own);
    own->begin = first;
    own->count = count;
    own->updates = own->taken = 0;
    own->order.pieces = pieces_of(run, own);
    train_recorder_begin(&own->recorder, first);
    int code = walk(run, own, rate);
    train_recorder_end(&own->recorder);
    return train_check(code, "an epoch in groups", fault);
}

bool groups_take(struct train_run *run, struct summand__net_fault *fault)
{
    (void)fault;
    run->lag = (struct train_lag){0};
    deal_weights(run, run->kept);
    return true;
}

bool groups_give(struct train_run *run, struct summand__net_fault *fault)
{
    const struct groups *own = run->kept;
    return train_check(gather(run, own, own->updates), "weights of the groups", fault) &&
           (!own->order.newest || train_share_lag(run, fault));
}

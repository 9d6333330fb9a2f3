/* SPDX-License-Identifier: BSD-3-Clause */
/* The training with twins apart (train/poad.h) as a sample: the waits and puts of each rank's
 * turns, and between them the products of one layer. Each batch may take any version from the
 * oldest one on; only that one must have arrived, so the steps depend on no times. */
#include "lab/train/sample_poad.h"

#include "train/pipeline_kernels.h"
#include "train/poad.h"

/* One rank's places: rings of slots (windows), and its own arrays. */
struct twin {
    struct train_poad poad;
    struct summand__schedule *schedule;
    const struct summand__net_arithmetic *arithmetic;
    int rank, stage;
    size_t width, samples; /* of a layer; of a batch */
    uint32_t window[TRAIN_RINGS_MOST];
    size_t slot[TRAIN_RINGS_MOST]; /* floats */
    uint32_t weights, inputs, outputs, sums, errors, targets;
};

/* A ring's slot holds a row for each sample, or a matrix of weights; the twin's also the inputs. */
static size_t slot_floats(const struct twin *t, enum train_ring ring)
{
    size_t rows = t->samples * (t->width + 1);
    return ring == TRAIN_VERSIONS || ring == TRAIN_STASH    ? (t->width + 1) * t->width
           : ring == TRAIN_OUTPUTS || ring >= TRAIN_SOURCES ? 2 * rows
                                                            : rows;
}

static struct summand__region slot_of(const struct twin *t, const struct train_poad_act *act,
                                      size_t first, size_t count)
{
    return summand__region((enum summand__place)t->window[act->ring],
                           act->slot * t->slot[act->ring] + first, count);
}

/* The rank that fills a ring of this rank, and how often; 0: it has no such ring. */
static size_t fills(const struct twin *t, enum train_ring ring, int *producer)
{
    bool back = t->rank >= t->poad.stages, last = t->stage + 1 == t->poad.stages;
    *producer = ring == TRAIN_INPUTS    ? t->stage - 1
                : ring == TRAIN_OUTPUTS ? t->stage
                : ring == TRAIN_ERRORS  ? train_poad_twin(&t->poad, t->stage + 1)
                : ring >= TRAIN_SOURCES ? train_poad_twin(&t->poad, (int)ring - TRAIN_SOURCES)
                                        : train_poad_keeper(&t->poad, t->stage);
    bool has = ring == TRAIN_INPUTS     ? !back && t->stage
               : ring == TRAIN_VERSIONS ? train_poad_follows(&t->poad, t->rank)
               : ring >= TRAIN_SOURCES  ? back && !t->stage && ring > TRAIN_SOURCES
               : ring == TRAIN_OUTPUTS  ? back
               : ring == TRAIN_ERRORS   ? back && !last
                                        : false;
    if (!has)
        *producer = t->rank ? 0 : 1;
    return has ? t->poad.batches : 0;
}

static void make_places(struct twin *t)
{
    size_t rows = t->samples * (t->width + 1), matrix = (t->width + 1) * t->width;
    for (int ring = 0; ring < train_poad_rings(&t->poad); ring++) {
        int producer;
        size_t per_start = fills(t, (enum train_ring)ring, &producer);
        t->slot[ring] = slot_floats(t, (enum train_ring)ring);
        t->window[ring] = summand__add_place(t->schedule, SUMMAND__WINDOW, sizeof(float),
                                             train_poad_slots(&t->poad) * t->slot[ring]);
        summand__add_counter(t->schedule, producer, per_start);
    }
    const size_t kept = t->poad.last ? (size_t)t->poad.stages : 1;
    t->weights = summand__add_place(t->schedule, SUMMAND__UPDATED, sizeof(float), kept * matrix);
    t->inputs = summand__add_place(t->schedule, SUMMAND__UPDATED, sizeof(float), rows);
    t->outputs = summand__add_place(t->schedule, SUMMAND__UPDATED, sizeof(float), rows);
    t->sums = summand__add_place(t->schedule, SUMMAND__TEMPORARY, sizeof(float), rows);
    t->errors = summand__add_place(t->schedule, SUMMAND__TEMPORARY, sizeof(float), rows);
    t->targets = summand__add_place(t->schedule, SUMMAND__INPUT, sizeof(float), rows);
}

/* Rows of a batch, in a place or in a slot. */
static struct summand__tile rows_at(const struct twin *t, uint32_t place, size_t first,
                                    size_t columns)
{
    return summand__tile(place, first, t->samples, columns, t->width + 1);
}

/* Of the stage's inputs, and of its weights of version `oldest`. */
static void forward(const struct twin *t, const struct train_poad_turn *turn)
{
    const size_t n = t->width, slot = turn->batch % train_poad_slots(&t->poad);
    const size_t version = turn->oldest % train_poad_slots(&t->poad);
    struct summand__tile x =
        t->stage ? rows_at(t, t->window[TRAIN_INPUTS], slot * t->slot[TRAIN_INPUTS], n + 1)
                 : rows_at(t, t->inputs, 0, n + 1);
    struct summand__tile w =
        summand__tile(t->window[TRAIN_VERSIONS], version * t->slot[TRAIN_VERSIONS], n + 1, n, n);
    struct summand__tile z = rows_at(t, t->sums, 0, n);
    summand__compute(t->schedule, train_kernel_product(t->arithmetic, TRAIN_FORWARD), x, w, z,
                     true);
    summand__compute(t->schedule, train_kernel_apply(summand__net_activation_find("relu")), z,
                     (struct summand__tile){0}, rows_at(t, t->outputs, 0, n), true);
}

/* Errors for the stage before, by the weights at hand: its own, or the oldest version. */
static void back(const struct twin *t, const struct train_poad_turn *turn)
{
    const size_t n = t->width, slot = turn->batch % train_poad_slots(&t->poad);
    struct summand__tile x = rows_at(t, t->window[TRAIN_OUTPUTS], slot * t->slot[TRAIN_OUTPUTS], n);
    struct summand__tile d = rows_at(t, t->errors, 0, n), raw = rows_at(t, t->sums, 0, n);
    if (t->stage + 1 < t->poad.stages)
        summand__compute(t->schedule, train_kernel_derive(summand__net_activation_find("relu")), x,
                         rows_at(t, t->window[TRAIN_ERRORS], slot * t->slot[TRAIN_ERRORS], n), d,
                         true);
    else
        summand__compute(t->schedule, &train_kernel_off, x, rows_at(t, t->targets, 0, n), d, true);
    const size_t version = turn->oldest % train_poad_slots(&t->poad);
    const struct summand__tile w =
        turn->takes_version
            ? summand__tile(t->window[TRAIN_VERSIONS], version * t->slot[TRAIN_VERSIONS], n, n, n)
            : summand__tile(t->weights, 0, n, n, n);
    if (t->stage)
        summand__compute(t->schedule, train_kernel_product(t->arithmetic, TRAIN_BACK), d, w, raw,
                         true);
}

/* The next version: the inputs are the second half of the twin's slot. */
static void improve(const struct twin *t, const struct train_poad_turn *turn)
{
    const struct summand__computation step = {
        .kernel = train_kernel_product(t->arithmetic, TRAIN_GRADIENT), .alpha = -0.1, .beta = 1};
    const size_t n = t->width, slot = turn->batch % train_poad_slots(&t->poad);
    struct summand__tile x = rows_at(t, t->window[TRAIN_OUTPUTS],
                                     slot * t->slot[TRAIN_OUTPUTS] + t->samples * (n + 1), n + 1);
    const size_t rows = t->samples * (n + 1), matrix = (n + 1) * n;
    summand__compute_as(t->schedule, &step, x, rows_at(t, t->errors, 0, n),
                        summand__tile(t->weights, 0, n + 1, n, n));
    for (size_t g = 1; t->poad.last && g < (size_t)t->poad.stages; g++) {
        const uint32_t sources = t->window[TRAIN_SOURCES + g];
        const size_t at = slot * t->slot[TRAIN_SOURCES + g];
        summand__compute_as(t->schedule, &step, rows_at(t, sources, at, n + 1),
                            rows_at(t, sources, at + rows, n),
                            summand__tile(t->weights, g * matrix, n + 1, n, n));
    }
}

/* The inputs of the layer, and its errors, to the rank that updates all weights. */
static void put_sources(const struct twin *t, const struct train_poad_act *act)
{
    const size_t rows = t->samples * (t->width + 1);
    summand__put(t->schedule, act->peer,
                 summand__region((enum summand__place)t->window[TRAIN_OUTPUTS],
                                 act->slot * t->slot[TRAIN_OUTPUTS] + rows, rows),
                 slot_of(t, act, 0, rows));
    summand__put(t->schedule, act->peer, summand__region((enum summand__place)t->errors, 0, rows),
                 slot_of(t, act, rows, rows));
}

static void put(const struct twin *t, const struct train_poad_act *act)
{
    const size_t rows = t->samples * (t->width + 1), matrix = (t->width + 1) * t->width;
    const uint32_t from = act->ring == TRAIN_VERSIONS ? t->weights
                          : act->ring == TRAIN_ERRORS ? t->sums
                                                      : t->outputs;
    const size_t count = act->ring == TRAIN_VERSIONS ? matrix : rows;
    const size_t layer = act->ring == TRAIN_VERSIONS && t->poad.last
                             ? (size_t)train_poad_stage(&t->poad, act->peer)
                             : 0;
    summand__round(t->schedule); /* data that are put must not be written in the same round */
    if (act->ring >= TRAIN_SOURCES)
        put_sources(t, act);
    else
        summand__put(t->schedule, act->peer,
                     summand__region((enum summand__place)from, layer * matrix, count),
                     slot_of(t, act, 0, count));
    if (act->ring == TRAIN_OUTPUTS) {
        const uint32_t place = t->stage ? t->window[TRAIN_INPUTS] : t->inputs;
        const size_t first = t->stage ? act->slot * t->slot[TRAIN_INPUTS] : 0;
        summand__put(t->schedule, act->peer,
                     summand__region((enum summand__place)place, first, rows),
                     slot_of(t, act, rows, rows));
    }
    summand__notify(t->schedule, act->peer, act->ring);
    summand__round(t->schedule);
}

static void add_turn(const struct twin *t, const struct train_poad_turn *turn)
{
    for (int i = 0; i < turn->befores; i++)
        if (turn->before[i].kind == TRAIN_WAIT)
            summand__wait_counter(t->schedule, turn->before[i].ring,
                                  (int64_t)turn->before[i].number);
    (turn->back ? back : forward)(t, turn);
    for (int i = 0; i < turn->afters; i++)
        if (turn->after[i].kind == TRAIN_IMPROVE)
            improve(t, turn);
        else
            put(t, &turn->after[i]);
}

static void build(const struct summand__sample_size *size, int rank, bool last,
                  struct summand__schedule *schedule)
{
    const int stages = size->ranks / 2;
    struct twin t = {.poad = {.stages = stages,
                              .behind = train_poad_behind(size->ranks, -1),
                              .batches = size->blocks,
                              .last = last},
                     .schedule = schedule,
                     .arithmetic = summand__net_arithmetics[0],
                     .rank = rank,
                     .stage = rank % stages,
                     .width = size->rows,
                     .samples = size->count};
    struct train_poad_turn turn;
    make_places(&t);
    for (size_t i = 0; train_poad_turn(&t.poad, rank, i, &turn); i++)
        add_turn(&t, &turn);
    if (train_poad_follows(&t.poad, rank)) /* all versions arrive before the training ends */
        summand__wait_counter(schedule, TRAIN_VERSIONS, (int64_t)t.poad.batches);
    summand__round(schedule);
}

void train_sample_poad(const struct summand__sample_size *size, int rank,
                       struct summand__schedule *schedule)
{
    build(size, rank, false, schedule);
}

void train_sample_poad_last(const struct summand__sample_size *size, int rank,
                            struct summand__schedule *schedule)
{
    build(size, rank, true, schedule);
}

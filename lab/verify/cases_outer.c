/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/cases.h"

#include <stdlib.h>

#include "algorithm/call.h"
#include "outer/algorithm/shape.h"

/* A symmetric matrix has at most SYMMETRIC rows, so that eight bands still differ. The proof
 * follows each element: with 75 rows these few cases took nine tenths of the time of all proofs. */
enum { SHAPES = 8, PATTERNS = 4, UPDATES = 4, MOST_LAYERS = 3, SYMMETRIC = 27 };

/* Rows and columns; 0: ranks + 1, -1: ranks - 1. */
static const int shapes[SHAPES][2] = {{3, 5},  {7, 2}, {0, 3},  {1, 1},
                                      {-1, 4}, {4, 0}, {6, -2}, {75, 2}};
static const double updates[UPDATES][2] = {{1, 0}, {0.5, 0}, {1, 2}, {-2, 0.25}};

static size_t size_of(int number, int ranks)
{
    return number > 0     ? (size_t)number
           : number == 0  ? (size_t)ranks + 1
           : number == -1 ? (size_t)ranks - 1
                          : 0;
}

/* None, one, two or three pairs on each rank in turn; one; all on one rank; none. */
static size_t pairs_of(int pattern, int rank, int ranks)
{
    switch (pattern) {
    case 0:
        return (size_t)(rank * 7 + 1) % 4;
    case 1:
        return 1;
    case 2:
        return rank == ranks / 2 ? 5 : 0;
    default:
        return 0;
    }
}

/* An algorithm that supports the call inside, in turn. */
static const struct summand__algorithm *in_turn(const struct summand__call *call, unsigned turn)
{
    unsigned count = 0;
    for (int round = 0; round < 2; round++) {
        unsigned seen = 0;
        for (int i = 0; summand__algorithms[i]; i++)
            if (summand__algorithm_does(summand__algorithms[i], call)) {
                if (round && seen == turn % count)
                    return summand__algorithms[i];
                seen++;
            }
        count = seen;
    }
    return NULL;
}

static void set_parts(struct summand__outer_shape *shape, struct summand__call *call, unsigned turn)
{
    struct summand__call gather = summand__outer_gather(call);
    shape->gather.algorithm = in_turn(&gather, turn);
    if (!shape->layers)
        return;
    struct summand__call spread = summand__outer_spread(call, 0, false);
    struct summand__call sum = summand__outer_sum(call, 0);
    shape->spread.algorithm = in_turn(&spread, turn * 5 + 1);
    shape->sum.algorithm = in_turn(&sum, turn);
    for (int kind = 0; kind < SUMMAND__OUTER_LINE_KINDS; kind++)
        shape->line[kind].algorithm = in_turn(&spread, turn * 3 + (unsigned)kind);
}

static void set_layers(struct summand__outer_shape *shape, int ranks, unsigned turn)
{
    size_t gap = shape->dense ? 0 : 2;
    for (int l = 0; l < shape->layers; l++) {
        const int *of = shapes[(turn + (unsigned)l * 3) % SHAPES];
        struct summand__outer_layer *layer = &shape->layer[l];
        *layer = (struct summand__outer_layer){.rows = size_of(of[0], ranks),
                                               .columns = size_of(of[1], ranks),
                                               .symmetric = turn % 6 == 5};
        if (layer->symmetric && layer->rows > SYMMETRIC)
            layer->rows = SYMMETRIC;
        if (layer->symmetric)
            layer->columns = layer->rows;
        layer->lda = layer->rows + turn % 3;
        layer->ldb = layer->columns + turn % 2;
        layer->ldg = layer->columns + gap;
        if (shape->result == SUMMAND__OUTER_FACTORS)
            layer->ldg = layer->rows + layer->columns + gap;
    }
}

/* Every third case has uneven nodes, in blocks or round-robin. False when out of memory. */
static bool set_nodes(struct summand__outer_shape *shape, struct summand__groupings **groupings,
                      int ranks, unsigned turn)
{
    static const int uneven[] = {0, 1, 1, 2, 2, 2, 3, 4, 4};
    int *node = malloc((size_t)ranks * sizeof *node);
    for (int r = 0; node && r < ranks; r++)
        node[r] = turn % 2 ? uneven[r % 9] + r / 9 * 5 : r % 3;
    bool good = node;
    if (good && turn % 3 == 1)
        good = summand__groupings_make(node, ranks, ranks + 5, groupings);
    free(node);
    shape->grouping = summand__grouping_for(*groupings, false);
    shape->runs = summand__grouping_for(*groupings, true);
    return good;
}

/* Parcels of any length, one to each rank, all to one rank, or none. */
static size_t *make_parcels(int pattern, int ranks, unsigned turn)
{
    const size_t n = (size_t)ranks;
    size_t *parcel = malloc(n * n * sizeof *parcel);
    for (size_t i = 0; parcel && i < n * n; i++) {
        const size_t from = i / n, to = i % n;
        parcel[i] = pattern == 0   ? (from * 5 + to * 3 + turn) % 4
                    : pattern == 1 ? 1
                    : pattern == 2 ? (to == n / 2) * (from + 1)
                                   : 0;
    }
    return parcel;
}

static void set_parcels(struct summand__outer_shape *shape, const size_t *parcel)
{
    shape->parcel = parcel;
    shape->layers = 1;
    shape->layer[0] = (struct summand__outer_layer){.rows = 1, .lda = 1, .ldb = 1, .ldg = 1};
    shape->alpha = 1;
    shape->beta = 0;
}

static bool one_case(const struct summand__algorithm *algorithm, int ranks,
                     enum summand__outer_result result, int pattern, unsigned turn,
                     bool (*visit)(const struct summand__algorithm *, const struct summand__call *,
                                   void *),
                     void *context)
{
    struct summand__outer_layer layers[MOST_LAYERS];
    struct summand__outer_shape shape = {
        .type = (enum summand__outer_type)(turn / 2 % SUMMAND__OUTER_TYPES),
        .result = result,
        .layers = turn % 4 == 3 ? MOST_LAYERS : 1,
        .layer = layers,
        .dense = turn % 5 < 3,
        .replicated = turn % 2,
        .any_bits = true,
        .alpha = updates[turn % UPDATES][0],
        .beta = updates[turn % UPDATES][1],
        .parts = 1 + (int)(turn % 7 / 2),
        .bands = (int)(turn / 5 % 9),
        .share = turn % 3 * 0.4};
    struct summand__call call = {.collective = SUMMAND__COLL_OUTER,
                                 .ranks = ranks,
                                 .root = (int)(turn % (unsigned)ranks),
                                 .parameter = {[SUMMAND__NODE_SIZE] = 1 + turn / 3 % 4},
                                 .outer = &shape};
    struct summand__groupings *groupings = NULL;
    size_t *pairs = malloc((size_t)ranks * sizeof *pairs);
    size_t *parcel = make_parcels(pattern, ranks, turn);
    set_layers(&shape, ranks, turn);
    if (result == SUMMAND__OUTER_PARCELS)
        set_parcels(&shape, parcel);
    bool placed = set_nodes(&shape, &groupings, ranks, turn);
    summand__outer_grid(turn % 2 ? 1 : 100, turn % 3 ? 100 : 1, ranks, &shape.grid_rows,
                        &shape.grid_columns);
    for (int r = 0; pairs && r < ranks; r++)
        pairs[r] = pairs_of(pattern, r, ranks);
    bool good = placed && pairs && parcel && summand__outer_prepare(&shape, pairs, ranks);
    if (good) {
        set_parts(&shape, &call, turn);
        call.count = layers[0].rows * layers[0].columns;
        if (summand__algorithm_does(algorithm, &call))
            good = visit(algorithm, &call, context);
    }
    summand__outer_release(&shape);
    free(groupings);
    free(pairs);
    free(parcel);
    return good;
}

/* Proofs follow each element of the matrix on each rank: their time grows with the fourth power of
 * the ranks. So there are fewer beyond 9 ranks, and none for most rank counts beyond 16. One proof
 * of 64 ranks takes seconds, so the quick set ends at 33. */
enum { THOROUGH = 9, SOME = 16, STRIDE = 16, QUICK = 33 };

static bool left_out(int ranks, enum summand__effort effort)
{
    return ranks > SOME && (effort == SUMMAND__FEW_CASES || ranks % STRIDE > 1 ||
                            (ranks > QUICK && effort == SUMMAND__MANY_CASES));
}

bool summand__cases_outer(const struct summand__algorithm *algorithm, int ranks,
                          enum summand__effort effort,
                          bool (*visit)(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call, void *context),
                          void *context)
{
    bool all = effort == SUMMAND__ALL_ROOTS, few = effort <= SUMMAND__FEW_ALL_ROOTS;
    unsigned turns = ranks <= THOROUGH && all ? 24 : ranks <= SOME && !few ? 4 : 1;
    unsigned turn = (unsigned)ranks;
    if (left_out(ranks, effort))
        return true;
    for (int result = 0; result < SUMMAND__OUTER_RESULTS; result++)
        for (int pattern = 0; pattern < (few ? 1 : PATTERNS); pattern++)
            for (unsigned t = 0; t < turns; t++)
                if (!one_case(algorithm, ranks, (enum summand__outer_result)result, pattern,
                              turn++ * (few ? 7 : 1), visit, context))
                    return false;
    return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of a sum of outer products against the simulation of all algorithms, for its tests. */
#pragma once

#include <math.h>

#include "outer/select.h"
#include "play/predict.h"
#include "play/simulate_call.h"
#include "unit/unit.h"

/* 10 Gb/s Ethernet, a rank on each node, and 44 Gflop/s and 17 GB/s for its products. */
static const struct summand__model cluster = {
    .per_node = 1,
    .eager = 16383,
    .fair_card = 1,
    .flop = 2.273e-11,
    .write_byte = 5.882e-11,
    .copy_byte = 5.882e-11,
    .level = {{.latency = 5e-6, .send = 0.5e-6, .recv = 0.5e-6, .byte = 8.795e-10},
              {.latency = 5e-6, .send = 0.5e-6, .recv = 0.5e-6, .byte = 8.795e-10},
              {.latency = 5e-6, .send = 0.5e-6, .recv = 0.5e-6, .byte = 8.795e-10}}};

struct point {
    int ranks;
    size_t rows, columns, pairs;
    enum summand__outer_result result;
    enum summand__outer_type type;
    double beta; /* updates a result that is the same on all ranks */
    int layers;  /* all alike; 0: 1 */
};

enum { LAYERS = 4 };
struct asked {
    struct summand__outer_layer layer[LAYERS];
    struct summand__outer_shape shape;
    struct summand__query query;
    struct summand__call call;
};

static void ask(struct asked *asked, const struct point *point, const struct summand__model *model)
{
    size_t *pairs = malloc((size_t)point->ranks * sizeof *pairs);
    *asked = (struct asked){
        .query = {.ranks = point->ranks, .node_size = (size_t)model->per_node, .model = model},
        .call = {.collective = SUMMAND__COLL_OUTER, .ranks = point->ranks}};
    const int layers = point->layers ? point->layers : 1;
    assert_true(layers <= LAYERS);
    for (int l = 0; l < layers; l++)
        asked->layer[l] = (struct summand__outer_layer){.rows = point->rows,
                                                        .columns = point->columns,
                                                        .lda = point->rows,
                                                        .ldb = point->columns,
                                                        .ldg = point->columns};
    asked->shape = (struct summand__outer_shape){.type = point->type,
                                                 .result = point->result,
                                                 .layers = layers,
                                                 .layer = asked->layer,
                                                 .dense = true,
                                                 .replicated = true,
                                                 .alpha = 1,
                                                 .beta = point->beta};
    summand__outer_grid(point->rows, point->columns, point->ranks, &asked->shape.grid_rows,
                        &asked->shape.grid_columns);
    assert_non_null(pairs);
    for (int r = 0; r < point->ranks; r++)
        pairs[r] = point->pairs;
    assert_true(summand__outer_prepare(&asked->shape, pairs, point->ranks));
    free(pairs);
    asked->call.outer = &asked->shape;
}

static struct summand__choice chosen_by(struct asked *asked)
{
    struct summand__choice choice = {.algorithm = NULL};
    assert_int_equal(
        summand__select_outer(&asked->query, NULL, &asked->shape, NULL, &asked->call, &choice),
        SUMMAND__SELECTED);
    return choice;
}

static double played(const struct asked *asked, const struct summand__algorithm *algorithm)
{
    struct summand__predict predict = {.element = summand__outer_result_size(asked->shape.type),
                                       .model = asked->query.model};
    if (!summand__simulate_call(algorithm, &asked->call, &predict))
        fail_msg("%s: %s", algorithm->name, predict.fault);
    return predict.time;
}

struct loss {
    double worst, sum;
    int points, above;
};

/* Whether the loss exceeds 10 %. */
static bool add_loss(struct loss *loss, double lost)
{
    loss->points++;
    loss->sum += lost;
    loss->above += lost > 0.1;
    if (lost > loss->worst)
        loss->worst = lost;
    return lost > 0.1;
}

/* Whether messages move beside the products. They do between nodes. Within a node processors move
 * them, which the simulation does not model. */
static bool overlaps(const struct summand__algorithm *algorithm, enum summand__outer_result result)
{
    static const char *const names[] = {"outer-hybrid", "outer-pipeline", "outer-slices"};
    bool found = false;
    for (int i = 0; i < 3; i++)
        found = found || !strcmp(algorithm->name, names[i]);
    return found && result == SUMMAND__OUTER_ALL;
}

static inline void compare(const struct point *point, const struct summand__model *model,
                           unsigned promises, struct loss *loss)
{
    struct asked asked;
    const size_t element = summand__outer_result_size(point->type);
    double least = INFINITY, expected = 0;
    const char *best = "";
    ask(&asked, point, model);
    asked.query.promises = promises;
    const struct summand__choice choice = chosen_by(&asked);
    memcpy(asked.call.parameter, choice.parameter, sizeof choice.parameter);
    double chosen = played(&asked, choice.algorithm);
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__algorithm *algorithm = summand__algorithms[i];
        /* A candidate far from the best by its estimate need not be simulated. */
        if ((overlaps(algorithm, point->result) && model->per_node >= point->ranks) ||
            !summand__algorithm_does(algorithm, &asked.call) ||
            !summand__promises_kept(algorithm, SUMMAND__COLL_OUTER, promises) ||
            summand__estimate_of(algorithm, &asked.call, element, model) > 3 * chosen)
            continue;
        double seconds = played(&asked, algorithm);
        if (seconds < least) {
            least = seconds;
            best = algorithm->name;
            expected = summand__estimate_of(algorithm, &asked.call, element, model);
        }
    }
    if (add_loss(loss, chosen / least - 1))
        print_message(
            "%d ranks, %g per node, %zu x %zu, %zu pairs, result %d, type %d, beta %g: %s %.1f us "
            "(%.1f estimated), %s %.1f us (%.1f)\n",
            point->ranks, model->per_node, point->rows, point->columns, point->pairs,
            (int)point->result, (int)point->type, point->beta, choice.algorithm->name, chosen * 1e6,
            choice.seconds * 1e6, best, least * 1e6, expected * 1e6);
    summand__outer_release(&asked.shape);
}

static inline void conclude(const struct loss *loss)
{
    print_message("%d points: %.2f %% lost in the mean, %.1f %% at most, more than 10 %% at %d\n",
                  loss->points, 100 * loss->sum / loss->points, 100 * loss->worst, loss->above);
    if (!getenv("EXPLORE"))
        assert_int_equal(loss->above, 0);
}

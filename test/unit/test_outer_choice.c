/* Sums of outer products: the choice by estimates is held against the play of all algorithms on a
 * model, and loses 10 % at the most. The play follows every message and computation. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/simulate/predict.h"
#include "lab/simulate/simulate_call.h"
#include "select/select_outer.h"

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
};

struct asked {
    struct summand__outer_layer layer;
    struct summand__outer_shape shape;
    struct summand__query query;
    struct summand__call call;
};

static void ask(struct asked *asked, const struct point *point, const struct summand__model *model)
{
    size_t *pairs = malloc((size_t)point->ranks * sizeof *pairs);
    *asked = (struct asked){
        .layer = {.rows = point->rows, .columns = point->columns, .ldg = point->columns},
        .query = {.ranks = point->ranks, .node_size = (size_t)model->per_node, .model = model},
        .call = {.collective = SUMMAND__COLL_OUTER, .ranks = point->ranks}};
    asked->layer.lda = point->rows;
    asked->layer.ldb = point->columns;
    asked->shape = (struct summand__outer_shape){
        .result = point->result, .layers = 1, .layer = &asked->layer, .dense = true, .alpha = 1};
    summand__outer_grid(point->rows, point->columns, point->ranks, &asked->shape.grid_rows,
                        &asked->shape.grid_columns);
    assert_non_null(pairs);
    for (int r = 0; r < point->ranks; r++)
        pairs[r] = point->pairs;
    assert_true(summand__outer_prepare(&asked->shape, pairs, point->ranks));
    free(pairs);
    asked->call.outer = &asked->shape;
}

static double played(const struct asked *asked, const struct summand__algorithm *algorithm)
{
    struct summand__predict predict = {.element = sizeof(double), .model = asked->query.model};
    if (!summand__simulate_call(algorithm, &asked->call, &predict))
        fail_msg("%s: %s", algorithm->name, predict.fault);
    return predict.time;
}

struct loss {
    double worst, sum;
    int points, above;
};

static void compare(const struct point *point, const struct summand__model *model,
                    unsigned promises, struct loss *loss)
{
    struct asked asked;
    struct summand__choice choice = {.algorithm = NULL};
    double least = INFINITY, expected = 0;
    const char *best = "";
    ask(&asked, point, model);
    asked.query.promises = promises;
    assert_int_equal(
        summand__select_outer(&asked.query, NULL, &asked.shape, NULL, &asked.call, &choice),
        SUMMAND__SELECTED);
    memcpy(asked.call.parameter, choice.parameter, sizeof choice.parameter);
    double chosen = played(&asked, choice.algorithm);
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__algorithm *algorithm = summand__algorithms[i];
        /* One that is far from the best by its estimate need not be played. */
        if (!summand__algorithm_does(algorithm, &asked.call) ||
            !summand__promises_kept(algorithm, SUMMAND__COLL_OUTER, promises) ||
            summand__estimate_of(algorithm, &asked.call, sizeof(double), model) > 3 * chosen)
            continue;
        double seconds = played(&asked, algorithm);
        if (seconds < least) {
            least = seconds;
            best = algorithm->name;
            expected = summand__estimate_of(algorithm, &asked.call, sizeof(double), model);
        }
    }
    double lost = chosen / least - 1;
    loss->points++;
    loss->sum += lost;
    loss->above += lost > 0.1;
    if (lost > loss->worst)
        loss->worst = lost;
    if (lost > 0.1)
        print_message("%d ranks, %zu x %zu, %zu pairs, result %d: %s %.1f us (%.1f estimated), "
                      "%s %.1f us (%.1f)\n",
                      point->ranks, point->rows, point->columns, point->pairs, (int)point->result,
                      choice.algorithm->name, chosen * 1e6, choice.seconds * 1e6, best, least * 1e6,
                      expected * 1e6);
    summand__outer_release(&asked.shape);
}

static void check(const struct summand__model *model)
{
    static const int ranks[] = {2, 3, 4, 7, 16, 48};
    static const size_t sizes[][2] = {{1, 1},       {16, 16},   {100, 100}, {1000, 1000},
                                      {8000, 8000}, {20, 8000}, {8000, 20}, {2000, 500}};
    static const size_t pairs[] = {1, 16, 256};
    struct loss loss = {0, 0, 0, 0};
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
                for (int result = 0; result <= SUMMAND__OUTER_BLOCKS; result++) {
                    struct point point = {ranks[r], sizes[s][0], sizes[s][1], pairs[k],
                                          (enum summand__outer_result)result};
                    compare(&point, model, SUMMAND__PAIR_ORDER, &loss);
                    if (!result)
                        compare(&point, model, 0, &loss);
                }
    print_message("%d points: %.2f %% lost in the mean, %.1f %% at most, more than 10 %% at %d\n",
                  loss.points, 100 * loss.sum / loss.points, 100 * loss.worst, loss.above);
    assert_int_equal(loss.above, 0);
}

static void one_core(void **state)
{
    (void)state;
    check(&cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_core)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

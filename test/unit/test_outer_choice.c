/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products: the choice by estimates is compared with the simulation of all algorithms
 * on a model, and loses 10 % at most. The simulation follows every message and computation.
 *
 *     test_outer_choice POINTS SEED
 *
 * checks this many random points instead of the fixed ones: 2 to 96 ranks, N and M of 1 to 8000,
 * and 1 to 256 pairs of each rank. All except the results are evenly spread over their logarithms.
 * */
#define UNIT_MAIN
#include "unit/outer_choice.h"

/* A node as measured on two cores of a Xeon (family 6, model 167, AVX-512): products of 89 Gflop/s,
 * results that bypass the caches at 19 GB/s, and messages of 14 GB/s. */
static const struct summand__model node = {
    .per_node = 1 << 24,
    .eager = 1e18,
    .reduce_byte = 5e-12,
    .copy_byte = 2.5e-11,
    .flop = 1.126e-11,
    .write_byte = 5.31e-11,
    .level = {{.latency = 1.4e-7, .send = 1.5e-7, .recv = 1.5e-7, .byte = 7.3e-11},
              {.latency = 1.4e-7, .send = 1.5e-7, .recv = 1.5e-7, .byte = 7.3e-11},
              {.latency = 1.4e-7, .send = 1.5e-7, .recv = 1.5e-7, .byte = 7.3e-11}}};

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
                for (int result = 0; result <= SUMMAND__OUTER_ROOT; result++) {
                    struct point point = {.ranks = ranks[r],
                                          .rows = sizes[s][0],
                                          .columns = sizes[s][1],
                                          .pairs = pairs[k],
                                          .result = (enum summand__outer_result)result};
                    compare(&point, model, SUMMAND__PAIR_ORDER, &loss);
                    if (result == SUMMAND__OUTER_ALL || result == SUMMAND__OUTER_ROOT)
                        compare(&point, model, 0, &loss);
                }
    conclude(&loss);
}

/* Gradients of layers: doubles as sums, floats as updates of weights. Up to 16 MB, because the
 * simulation does not model the time that gathers of longer results take beyond the caches. */
static void check_node(const struct summand__model *model)
{
    static const int ranks[] = {2, 3, 4, 8};
    static const size_t sizes[][2] = {{100, 100}, {256, 256}, {784, 512}, {1400, 1400}};
    static const size_t pairs[] = {1, 4, 16, 64};
    struct loss loss = {0, 0, 0, 0};
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (size_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
                for (int i = 0; i < 6; i++) {
                    struct point point = {.ranks = ranks[r],
                                          .rows = sizes[s][0],
                                          .columns = sizes[s][1],
                                          .pairs = pairs[k],
                                          .result = (enum summand__outer_result)(i / 2),
                                          .type = i % 2 ? SUMMAND__OUTER_F32 : SUMMAND__OUTER_F64,
                                          .beta = i % 2};
                    compare(&point, model, SUMMAND__PAIR_ORDER, &loss);
                }
    conclude(&loss);
}

/* Whether outer-gather is chosen; else results are gathered. `processors`: the number on a node
 * whose ranks share them, or 0. */
static void check_gathers(const struct point *point, const struct summand__model *model,
                          int processors, bool gathers)
{
    struct asked asked;
    ask(&asked, point, model);
    if (processors) {
        asked.query.model = NULL; /* that of shared processors */
        asked.query.node_size = (size_t)point->ranks;
        asked.query.processors = processors;
    }
    asked.query.promises = SUMMAND__PAIR_ORDER;
    const struct summand__choice choice = chosen_by(&asked);
    if (gathers != !strcmp(choice.algorithm->name, "outer-gather"))
        fail_msg("%d ranks, %zu x %zu, %zu pairs: %s", point->ranks, point->rows, point->columns,
                 point->pairs, choice.algorithm->name);
    summand__outer_release(&asked.shape);
}

/* The faster choice on that node, with a batch on each of two ranks: bench-training-step, and the
 * time of the kernel alone. */
static void check_measured(const struct summand__model *model)
{
    static const struct {
        size_t rows, columns, pairs;
        bool gather; /* outer-gather; else results are gathered */
    } measured[] = {{784, 512, 1, true},    {784, 512, 4, true},     {784, 512, 64, false},
                    {4096, 4096, 1, true},  {4096, 4096, 4, true},   {4096, 4096, 16, true},
                    {4096, 4096, 24, true}, {4096, 4096, 256, false}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        struct point point = {.ranks = 2,
                              .rows = measured[i].rows,
                              .columns = measured[i].columns,
                              .pairs = measured[i].pairs,
                              .type = SUMMAND__OUTER_F32,
                              .beta = 0.9};
        check_gathers(&point, model, 0, measured[i].gather);
    }
}

/* The faster choice on two cores of a Xeon (family 6, model 207) shared by four or eight ranks:
 * there, moving G costs all of them time. */
TEST(shared_processors)
{
    static const struct {
        int ranks;
        size_t side, pairs;
        bool gather;
    } measured[] = {{4, 500, 1, true},   {4, 2000, 1, true},   {4, 2000, 4, true},
                    {8, 2000, 1, true},  {4, 1000, 16, false}, {4, 2000, 16, false},
                    {8, 1000, 4, false}, {8, 2000, 16, false}};
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        struct point point = {.ranks = measured[i].ranks,
                              .rows = measured[i].side,
                              .columns = measured[i].side,
                              .pairs = measured[i].pairs,
                              .type = SUMMAND__OUTER_F64};
        check_gathers(&point, &node, 2, measured[i].gather);
    }
}

/* Four ranks on two cores of a Xeon, 784 x 512 doubles, 32 pairs: with any order of pairs the
 * all-reduce would take 2.9 ms, and what the chain of pairs takes 2.0. Many pairs pay for it. */
TEST(any_order)
{
    for (size_t pairs = 8; pairs <= 2048; pairs *= 4) {
        struct point point = {
            .ranks = 4, .rows = 784, .columns = 512, .pairs = pairs, .type = SUMMAND__OUTER_F64};
        struct asked asked;
        ask(&asked, &point, &node);
        asked.query.model = NULL;
        asked.query.node_size = 4;
        asked.query.processors = 2;
        const struct summand__choice choice = chosen_by(&asked);
        const bool reduces = !strcmp(choice.algorithm->name, "outer-allreduce");
        if (reduces ? pairs <= 32 : pairs > 1000)
            fail_msg("%zu pairs: %s", pairs, choice.algorithm->name);
        summand__outer_release(&asked.shape);
    }
}

TEST(one_core)
{
    check(&cluster);
}

TEST(one_node)
{
    check_measured(&node);
    check_node(&node);
}

/* More ranks than rows: some receive nothing, send their data without a wait, and get ahead of the
 * others. Also more ranks than a burst that shares cards fairly, with switches. Estimates of these
 * cases were wrong by 10 to 24 %. */
TEST(more_ranks_than_rows)
{
    static const struct point points[] = {
        {.ranks = 24, .rows = 15, .columns = 7632, .pairs = 1, .result = SUMMAND__OUTER_ROWS},
        {.ranks = 63, .rows = 4, .columns = 2, .pairs = 205, .result = SUMMAND__OUTER_ROWS},
        {.ranks = 51, .rows = 39, .columns = 1, .pairs = 140, .result = SUMMAND__OUTER_ROWS},
        {.ranks = 96, .rows = 626, .columns = 372, .pairs = 17, .result = SUMMAND__OUTER_ROWS}};
    struct loss loss = {0, 0, 0, 0};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        compare(&points[i], &cluster, i % 2 ? 0 : SUMMAND__PAIR_ORDER, &loss);
    conclude(&loss);
}

/* Many pairs of 4096 x 4096 on the cluster: bands of rows let messages move during the products. A
 * whole result takes less time than the best all-reduce by this factor. */
TEST(bands)
{
    static const struct {
        size_t pairs;
        double factor;
    } wanted[] = {{64, 1.75}, {256, 1.35}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const struct point point = {
            .ranks = 48, .rows = 4096, .columns = 4096, .pairs = wanted[i].pairs};
        struct asked asked;
        ask(&asked, &point, &cluster);
        asked.query.promises = SUMMAND__PAIR_ORDER;
        const struct summand__choice choice = chosen_by(&asked);
        assert_string_equal(choice.algorithm->name, "outer-grid");
        assert_true(asked.shape.bands > 1);
        double seconds = played(&asked, choice.algorithm);
        double sums = played(&asked, summand__algorithm_named("outer-allreduce"));
        if (sums < wanted[i].factor * seconds)
            fail_msg("%zu pairs: %g ms, all-reduce %g ms", point.pairs, seconds * 1e3, sums * 1e3);
        /* The gain is from bands, not from the grid: without them, all parts run in turn. */
        asked.shape.bands = 1;
        assert_true(played(&asked, choice.algorithm) > 1.25 * seconds);
        summand__outer_release(&asked.shape);
    }
}

/* If a grid is chosen: other counts of bands save 10 % at most. */
static void compare_bands(const struct point *point, const struct summand__model *model,
                          struct loss *loss)
{
    struct asked asked;
    ask(&asked, point, model);
    asked.query.promises = SUMMAND__PAIR_ORDER;
    const struct summand__choice choice = chosen_by(&asked);
    const int chosen = asked.shape.bands;
    int best = 0;
    double least = INFINITY, seconds = 0;
    if (!strcmp(choice.algorithm->name, "outer-grid")) {
        for (int bands = 1; bands <= SUMMAND__OUTER_PARTS; bands *= 2) {
            asked.shape.bands = bands;
            double time = played(&asked, choice.algorithm);
            seconds = bands == chosen ? time : seconds;
            best = time < least ? bands : best;
            least = time < least ? time : least;
        }
        if (add_loss(loss, seconds / least - 1))
            print_message("%d ranks, %d layers of %zu x %zu, %zu pairs, %g s/byte: %d bands %g ms "
                          "(%g estimated), %d bands %g ms\n",
                          point->ranks, asked.shape.layers, point->rows, point->columns,
                          point->pairs, model->level[SUMMAND__NETWORK].byte, chosen, seconds * 1e3,
                          choice.seconds * 1e3, best, least * 1e3);
    }
    summand__outer_release(&asked.shape);
}

/* Products in pieces read b again, and copies overlap no messages: too many bands took up to 22 %
 * longer, on fast networks and with several layers. */
TEST(count_of_bands)
{
    static const int ranks[] = {7, 16}, layers[] = {1, 2, 4};
    static const size_t sides[] = {300, 500, 1000}, pairs[] = {16, 64, 256};
    static const double faster[] = {1, 4, 10};
    struct loss loss = {0, 0, 0, 0};
    for (size_t f = 0; f < sizeof faster / sizeof *faster; f++) {
        struct summand__model model = cluster;
        for (int i = 0; i < SUMMAND__REACHES; i++)
            model.level[i].byte /= faster[f];
        for (size_t i = 0; i < 2 * 3 * 3 * 3; i++) {
            const struct point point = {.ranks = ranks[i % 2],
                                        .layers = layers[i / 2 % 3],
                                        .rows = sides[i / 6 % 3],
                                        .columns = sides[i / 6 % 3],
                                        .pairs = pairs[i / 18]};
            compare_bands(&point, &model, &loss);
        }
    }
    conclude(&loss);
    assert_true(loss.points > 100); /* else other algorithms hide the counts */
}

/* One rank keeps all its data, the other one sends all: neither does both. */
TEST(parcels)
{
    static const size_t parcel[] = {100, 0, 60, 0}; /* from 0 to 0, to 1; from 1 to 0, to 1 */
    struct summand__outer_layer layer = {.rows = 1, .lda = 1, .ldb = 1, .ldg = 1};
    struct summand__outer_shape shape = {.type = SUMMAND__OUTER_F64,
                                         .result = SUMMAND__OUTER_PARCELS,
                                         .layers = 1,
                                         .layer = &layer,
                                         .alpha = 1,
                                         .parcel = parcel};
    assert_true(summand__outer_prepare(&shape, NULL, 2));
    assert_int_equal(shape.busiest, 60);
    assert_int_equal(shape.largest, 160);
    assert_int_equal(shape.kept, 100);
    summand__outer_release(&shape);
}

static double spread(uint64_t *seed, double least, double most)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return least * pow(most / least, (double)(*seed >> 11) / 9007199254740992.0);
}

static int sample(int points, uint64_t seed)
{
    struct loss loss = {0, 0, 0, 0};
    for (int i = 0; i < points; i++) {
        struct point point = {.ranks = (int)spread(&seed, 2, 97),
                              .rows = (size_t)spread(&seed, 1, 8001),
                              .columns = (size_t)spread(&seed, 1, 8001),
                              .pairs = (size_t)spread(&seed, 1, 257)};
        point.result = (enum summand__outer_result)(i % 4);
        compare(&point, &cluster, i % 2 ? 0 : SUMMAND__PAIR_ORDER, &loss);
    }
    conclude(&loss);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return sample(atoi(argv[1]), strtoull(argv[2], NULL, 10));
    return cmocka_run_group_tests(unit_tests, NULL, NULL);
}

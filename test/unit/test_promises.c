/* SPDX-License-Identifier: BSD-3-Clause */
/* A weaker promise never costs time: the choice may take what it would take for a stronger one. For
 * every capability that chooses by promises, the chosen time by plays or estimates never rises when
 * the promise is weakened. Products of matrices have the same test in test_gemm_choice.c. */
#include <math.h>
#include <stdlib.h>

#include "algorithm/collective.h"
#include "outer/select.h"
#include "select/choose.h"
#include "unit/outer_choice.h"
#include "unit/unit.h"

static double time_of(const struct summand__query *query)
{
    struct summand__choice choice = {.algorithm = NULL};
    assert_true(summand__choose(query, &choice));
    assert_non_null(choice.algorithm);
    return choice.seconds;
}

TEST(collectives_never_take_longer)
{
    static const unsigned promises[] = {SUMMAND__CANONICAL | SUMMAND__RANK_ORDER,
                                        SUMMAND__RANK_ORDER, 0};
    static const int ranks[] = {2, 3, 4, 7, 8, 16, 48, 100, 576};
    static const size_t nodes[] = {1, 4, 16, 1000};
    for (int c = 0; c < SUMMAND__COLL_OUTER; c++)
        for (size_t p = 0; p < sizeof ranks / sizeof *ranks; p++)
            for (size_t k = 0; k < sizeof nodes / sizeof *nodes; k++)
                for (size_t bytes = 8; bytes <= (size_t)8 << 20; bytes *= 32) {
                    double stronger = INFINITY;
                    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++) {
                        struct summand__query query = {
                            .collective = (enum summand__collective)c,
                            .ranks = ranks[p],
                            .node_size = nodes[k] < (size_t)ranks[p] ? nodes[k] : (size_t)ranks[p],
                            .bytes = bytes,
                            .element = 8,
                            .promises = promises[i]};
                        const double seconds = time_of(&query);
                        if (seconds > stronger * (1 + 1e-9))
                            fail_msg("%s on %d ranks, %zu per node, %zu bytes: %g s, and %g s with "
                                     "a stronger promise",
                                     summand__collectives[c].name, ranks[p], query.node_size, bytes,
                                     seconds, stronger);
                        stronger = seconds;
                    }
                }
}

/* Ranks in turn, in pairs in turn, and on nodes of other sizes. */
static int node_of(int shape, int rank, int ranks)
{
    const int nodes = 3 + shape % 2;
    return shape < 2   ? rank % nodes
           : shape < 4 ? rank / 2 % nodes
                       : (rank >= ranks / 2) + (rank >= ranks - 2);
}

/* Scattered over nodes, where operands in rank order are on other groups than operands in any. */
TEST(scattered_collectives_never_take_longer)
{
    enum { SHAPES = 5, MOST = 48 };
    static const unsigned promises[] = {SUMMAND__CANONICAL | SUMMAND__RANK_ORDER,
                                        SUMMAND__RANK_ORDER, 0};
    int node[MOST], runs = 0;
    for (int c = 0; c < SUMMAND__COLL_OUTER; c++)
        for (int shape = 0; shape < SHAPES; shape++)
            for (int ranks = 6; ranks <= MOST; ranks *= 2) {
                struct summand__groupings *both;
                for (int r = 0; r < ranks; r++)
                    node[r] = node_of(shape, r, ranks);
                assert_true(summand__groupings_make(node, ranks, 4, &both));
                for (size_t bytes = 8; both && bytes <= (size_t)8 << 20; bytes *= 32) {
                    double stronger = INFINITY;
                    for (int i = 0; i < 3; i++) {
                        struct summand__query asked = {.collective = (enum summand__collective)c,
                                                       .ranks = ranks,
                                                       .bytes = bytes,
                                                       .element = 8,
                                                       .groupings = both};
                        struct summand__query query = summand__query_promising(&asked, promises[i]);
                        struct summand__choice choice = {.algorithm = NULL};
                        assert_true(summand__choose(&query, &choice) && choice.algorithm);
                        if (choice.seconds > stronger * (1 + 1e-9))
                            fail_msg("%s on %d ranks, shape %d, %zu bytes: %g s, and %g s with a "
                                     "stronger promise",
                                     summand__collectives[c].name, ranks, shape, bytes,
                                     choice.seconds, stronger);
                        stronger = choice.seconds;
                        runs += choice.runs;
                    }
                }
                free(both);
            }
    assert_true(runs > 0);
}

/* The promises of summand_outer: INDEX, SAME, NONE. */
TEST(sums_of_outer_products_never_take_longer)
{
    static const unsigned promises[] = {SUMMAND__PAIR_ORDER, 0, 0};
    static const struct point sizes[] = {{.rows = 784, .columns = 512},
                                         {.rows = 64, .columns = 64},
                                         {.rows = 4096, .columns = 4096},
                                         {.rows = 10, .columns = 2000}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int ranks = 2; ranks <= 64; ranks *= 2)
            for (size_t pairs = 1; pairs <= 1024; pairs *= 4)
                for (int alone = 0; alone < 2; alone++) {
                    double stronger = INFINITY;
                    struct summand__query machine = {.collective = SUMMAND__COLL_OUTER,
                                                     .ranks = ranks,
                                                     .node_size =
                                                         alone ? (size_t)ranks : (size_t)4};
                    const struct summand__model model = summand__query_model(&machine);
                    struct point point = sizes[s];
                    point.ranks = ranks;
                    point.pairs = pairs;
                    point.result = SUMMAND__OUTER_ALL;
                    point.type = SUMMAND__OUTER_F64;
                    for (int i = 0; i < 3; i++) {
                        struct asked asked;
                        ask(&asked, &point, &model);
                        asked.query.promises = promises[i];
                        asked.shape.any_bits = i == 2;
                        const struct summand__choice choice = chosen_by(&asked);
                        if (getenv("EXPLORE"))
                            print_message(
                                "%zu x %zu, %zu pairs, %d ranks%s, promise %d: %s %.1f us\n",
                                point.rows, point.columns, pairs, ranks,
                                alone ? " of one node" : "", i, choice.algorithm->name,
                                1e6 * choice.seconds);
                        else if (choice.seconds > stronger * (1 + 1e-9))
                            fail_msg("%zu x %zu, %zu pairs, %d ranks: %s %g s, and %g s with a "
                                     "stronger promise",
                                     point.rows, point.columns, pairs, ranks,
                                     choice.algorithm->name, choice.seconds, stronger);
                        stronger = choice.seconds;
                        summand__outer_release(&asked.shape);
                    }
                }
}

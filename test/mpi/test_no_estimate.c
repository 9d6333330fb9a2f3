/* np: 1 2 3 5; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm without an estimate, with its own tree shape, in one file. The automatic choice
 * never takes it, however good it is, and it runs if named. This program has its own table. */
#include <summand/reduce.h>

#include "algorithm/tree/pipe.h"
#include "mpi/harness.h"
#include "select/choose.h"

/* A spine: the subtree of the nearest higher rank has all higher ranks, and each lower rank is a
 * leaf. */
static bool spine_child(const struct summand__tree *tree, const struct summand__subtree *node,
                        int index, struct summand__subtree *child)
{
    int up = node->head + 1 < node->high;
    (void)tree;
    if (index >= up + node->head - node->low)
        return false;
    int leaf = node->head - 1 - (index - up);
    *child = index < up ? (struct summand__subtree){node->head + 1, node->high, node->head + 1, 0}
                        : (struct summand__subtree){leaf, leaf + 1, leaf, 0};
    return true;
}

static const struct summand__tree_shape spine_shape = {.child = spine_child};

static const struct summand__algorithm spine = {
    .name = "spine",
    .description = "a chain above the root, leaves below it",
    .source = "this test",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS | SUMMAND__CANONICAL,
    .limits = {[SUMMAND__SEGMENT] = {1, SIZE_MAX, 0}},
    .build = {SUMMAND__VECTORS(summand__tree_build)},
    .cost = summand__tree_cost,
    .tree = {.shape = &spine_shape},
};

extern const struct summand__algorithm summand__linear, summand__rabenseifner;

/* In place of the library's. */
const struct summand__algorithm *const summand__algorithms[] = {&spine, &summand__linear,
                                                                &summand__rabenseifner, NULL};

/* It is first in this table, and no other row has all promises that are asked for at a root. */
static void choices(void)
{
    int known = 0;
    for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
        for (int ranks = 1; ranks < 70; ranks += 3)
            for (size_t bytes = 8; bytes < 1 << 24; bytes *= 8)
                for (unsigned promises = 0; promises < 8; promises++) {
                    struct summand__choice found[8];
                    struct summand__query query = {.collective = (enum summand__collective)c,
                                                   .ranks = ranks,
                                                   .node_size = (size_t)ranks % 8 + 1,
                                                   .bytes = bytes,
                                                   .element = 8,
                                                   .promises = promises};
                    int count = summand__choices(&query, found, 8);
                    for (int i = 0; i < count; i++)
                        CHECK(found[i].algorithm != &spine, "collective %d, %d ranks: chosen", c,
                              ranks);
                    known += count > 0;
                }
    CHECK(known > 0, "nothing is ever chosen");
}

static void check_plan(const char *name, const char *want)
{
    summand_options options = {.algorithm = name}, made;
    summand_plan *plan;
    int one = 1, sum = 0;
    CHECK(summand_allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options,
                                 &plan) == MPI_SUCCESS,
          "no plan");
    CHECK(summand_plan_describe(plan, &made, NULL) == MPI_SUCCESS, "not described");
    CHECK(!strcmp(made.algorithm, "spine") == !strcmp(want, "spine"), "%s is run", made.algorithm);
    CHECK(summand_plan_start(plan) == MPI_SUCCESS && summand_plan_wait(plan) == MPI_SUCCESS &&
              sum == harness_ranks,
          "%s: the sum is %d", made.algorithm, sum);
    summand_plan_free(&plan);
}

static void named(void)
{
    enum { N = 1000 };
    int x[N], sum[N];
    for (int root = 0; root < harness_ranks; root++)
        for (int segment = 0; segment < 400; segment += 130) {
            summand_options options = {.algorithm = "spine", .segment = segment};
            for (int i = 0; i < N; i++)
                x[i] = i + harness_rank, sum[i] = -1;
            CHECK(summand_reduce(x, sum, N, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, &options) ==
                      MPI_SUCCESS,
                  "reduce");
            for (int i = 0; harness_rank == root && i < N; i++)
                CHECK(sum[i] == harness_ranks * i + harness_ranks * (harness_ranks - 1) / 2,
                      "root %d: element %d is %d", root, i, sum[i]);
        }
}

TESTS
{
    choices();
    check_plan("spine", "spine");
    check_plan(NULL, "another");
    named();
}

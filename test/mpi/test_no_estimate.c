/* np: 1 2 3 5; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* An algorithm without an estimate, with its own tree shape, in one file. It runs if named, and the
 * automatic choice plays it and takes it where it is best. This program has its own table. */
#include <math.h>
#include <summand/reduce.h>

#include "algorithm/tree/pipe.h"
#include "mpi/harness.h"
#include "play/simulate_call.h"
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

/* Seconds by the play of all ranks. */
static double play_of(struct summand__search *search, const struct summand__call *call)
{
    struct summand__predict predict = {.element = search->element, .model = search->context};
    return summand__simulate_call(search->algorithm, call, &predict) ? predict.time : INFINITY;
}

/* The least of all rows of the table, and of the row on trial. */
static void least_of(const struct summand__query *query, double *all, double *of_spine)
{
    struct summand__model model = summand__query_model(query);
    struct summand__search search = {.seconds = play_of,
                                     .context = &model,
                                     .call = summand__query_call(query),
                                     .element = query->element};
    search.call.parameter[SUMMAND__NODE_SIZE] = query->node_size;
    *all = *of_spine = INFINITY;
    for (int i = 0; summand__algorithms[i]; i++) {
        search.algorithm = summand__algorithms[i];
        if (!summand__may_be_chosen(query, search.algorithm, &search.call))
            continue;
        summand__search(&search);
        *all = fmin(*all, search.best.seconds);
        *of_spine = i ? *of_spine : search.best.seconds;
    }
}

/* How often the row on trial was chosen, another one was, and it was the best by the play. */
static struct {
    int spine, other, best;
} chosen;

static void check_choice(const struct summand__query *query)
{
    struct summand__choice choice;
    double all, of_spine;
    CHECK(summand__choose(query, &choice), "out of memory");
    least_of(query, &all, &of_spine);
    chosen.spine += choice.algorithm == &spine;
    chosen.other += choice.algorithm != &spine;
    chosen.best += of_spine == all;
    CHECK(choice.algorithm == &spine || of_spine > 0.9 * choice.seconds,
          "collective %d, %d ranks, %zu bytes: %s takes %g s, spine %g", query->collective,
          query->ranks, query->bytes, choice.algorithm->name, choice.seconds, of_spine);
}

/* Powers of two from 16 on are the longest of their buckets. */
static void choices(void)
{
    static const enum summand__collective collectives[] = {
        SUMMAND__COLL_REDUCE, SUMMAND__COLL_ALLREDUCE, SUMMAND__COLL_BCAST};
    for (int c = 0; c < 3; c++)
        for (int ranks = 2; ranks < 20; ranks += 5)
            for (size_t bytes = 128; bytes <= 1 << 21; bytes *= 128)
                for (int nodes = 1; nodes < 4; nodes += 2)
                    check_choice(&(struct summand__query){
                        .collective = collectives[c],
                        .ranks = ranks,
                        .node_size = (size_t)((ranks - 1) / nodes + 1),
                        .bytes = bytes,
                        .element = 8,
                        .promises = SUMMAND__RANK_ORDER | SUMMAND__CANONICAL});
    CHECK(chosen.best > 3 && chosen.spine > 3 && chosen.other > 3,
          "%d times best, %d times chosen, %d times not", chosen.best, chosen.spine, chosen.other);
}

static void check_plan(void)
{
    summand_options options = {.algorithm = "spine"}, made;
    summand_plan *plan;
    int one = 1, sum = 0;
    CHECK(summand_allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &options,
                                 &plan) == MPI_SUCCESS,
          "no plan");
    CHECK(summand_plan_describe(plan, &made, NULL) == MPI_SUCCESS, "not described");
    CHECK(!strcmp(made.algorithm, "spine"), "%s is run", made.algorithm);
    CHECK(summand_plan_start(plan) == MPI_SUCCESS && summand_plan_wait(plan) == MPI_SUCCESS &&
              sum == harness_ranks,
          "the sum is %d", sum);
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
    if (!harness_rank) /* no messages */
        choices();
    check_plan();
    named();
}

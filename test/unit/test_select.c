/* SPDX-License-Identifier: BSD-3-Clause */
/* The automatic choice can do the collective and keeps the promises, for any rank count and size,
 * also without memory. It loses nothing by the candidates that it skips. */
#include <math.h>

#include "algorithm/call.h"
#include "mpi/scarce.h"
#include "select/select.h"
#include "unit/unit.h"

static void check(int collective, int ranks, int processors, size_t bytes, unsigned promises)
{
    struct summand__query query = {.collective = (enum summand__collective)collective,
                                   .ranks = ranks,
                                   .node_size = processors ? (size_t)ranks : 1,
                                   .processors = processors,
                                   .bytes = bytes,
                                   .element = 8,
                                   .promises = promises};
    size_t offsets[66] = {0};
    struct summand__call call = {
        .collective = query.collective, .ranks = ranks, .offsets = offsets};
    struct summand__choice choice;
    summand__choose(&query, &choice);
    const struct summand__algorithm *chosen = choice.algorithm;
    assert_non_null(chosen);
    assert_true(summand__algorithm_does(chosen, &call));
    assert_true(summand__promises_kept(chosen, query.collective, promises));
}

static void assert_same_choice(const struct summand__choice *a, const struct summand__choice *b)
{
    assert_ptr_equal(a->algorithm, b->algorithm);
    assert_int_equal(a->runs, b->runs);
    assert_memory_equal(a->parameter, b->parameter, sizeof a->parameter);
}

TEST(test_choice)
{
    static const size_t bytes[] = {0, 8, 16384, 16385, (size_t)1 << 30};
    static const unsigned promises[] = {0, SUMMAND__RANK_ORDER,
                                        SUMMAND__RANK_ORDER | SUMMAND__CANONICAL};
    for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++)
        for (int ranks = 1; ranks <= 65; ranks++)
            for (int i = 0; i < 5; i++)
                for (int j = 0; j < 3; j++)
                    for (int processors = 0; processors <= 4; processors += 2)
                        check(collective, ranks, processors, bytes[i], promises[j]);
}

TEST(test_promises)
{
    const struct summand__algorithm *ring = summand__algorithm_named("ring");
    assert_false(summand__promises_kept(ring, SUMMAND__COLL_ALLREDUCE, SUMMAND__RANK_ORDER));
    assert_true(summand__promises_kept(ring, SUMMAND__COLL_ALLGATHER, SUMMAND__RANK_ORDER));
    assert_true(summand__promises_kept(ring, SUMMAND__COLL_ALLREDUCE, 0));
}

/* Bundles run on the two algorithms of ceil(log2 p) rounds with the canonical bracketing, or on the
 * named one, if that keeps the order. */
TEST(test_bundles)
{
    static const struct {
        const char *name;
        unsigned promises;
        enum summand__selection want;
    } named[] = {{"linear", SUMMAND__RANK_ORDER, SUMMAND__SELECTED},
                 {"ring", SUMMAND__RANK_ORDER, SUMMAND__NONE_SELECTED},
                 {"ring", 0, SUMMAND__SELECTED},
                 {"outer-grid", 0, SUMMAND__NONE_SELECTED}};
    for (int ranks = 1; ranks <= 5000; ranks += 1 + ranks / 100) {
        struct summand__choice reduce = {.algorithm = NULL}, all = reduce;
        assert_int_equal(
            summand__select_bundle(SUMMAND__COLL_REDUCE, ranks, 1, SUMMAND__RANK_ORDER, &reduce),
            SUMMAND__SELECTED);
        assert_string_equal(reduce.algorithm->name, "binomial");
        assert_int_equal(
            summand__select_bundle(SUMMAND__COLL_ALLREDUCE, ranks, 1, SUMMAND__RANK_ORDER, &all),
            SUMMAND__SELECTED);
        assert_string_equal(all.algorithm->name, "recursive-doubling");
    }
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct summand__choice choice = {.algorithm = summand__algorithm_named(named[i].name)};
        assert_non_null(choice.algorithm);
        assert_int_equal(
            summand__select_bundle(SUMMAND__COLL_ALLREDUCE, 6, 2, named[i].promises, &choice),
            named[i].want);
    }
}

/* A named algorithm runs if it keeps the promises; parameters that are left open are filled in. */
TEST(test_named)
{
    const struct summand__query query = {.collective = SUMMAND__COLL_ALLREDUCE,
                                         .ranks = 8,
                                         .node_size = 4,
                                         .bytes = 4096,
                                         .element = 8,
                                         .promises = SUMMAND__RANK_ORDER};
    const struct summand__call call = summand__query_call(&query);
    struct summand__choice choice = {.algorithm = summand__algorithm_named("k-ary"),
                                     .parameter = {[SUMMAND__RADIX] = 3}};
    assert_int_equal(summand__select(&query, NULL, &call, &choice), SUMMAND__SELECTED);
    assert_string_equal(choice.algorithm->name, "k-ary");
    assert_int_equal(choice.parameter[SUMMAND__RADIX], 3);
    assert_int_equal(choice.parameter[SUMMAND__NODE_SIZE], 4);
    choice = (struct summand__choice){.algorithm = summand__algorithm_named("ring")};
    assert_int_equal(summand__select(&query, NULL, &call, &choice), SUMMAND__NONE_SELECTED);
    choice = (struct summand__choice){.parameter = {[SUMMAND__SEGMENT] = 77}};
    struct summand__choice best;
    assert_true(summand__choose(&query, &best));
    assert_int_equal(summand__select(&query, NULL, &call, &choice), SUMMAND__SELECTED);
    assert_ptr_equal(choice.algorithm, best.algorithm);
    assert_int_equal(choice.parameter[SUMMAND__SEGMENT], 77);
}

static struct summand__cost chosen_cost(int ranks, int processors, size_t bytes)
{
    struct summand__query query = {.collective = SUMMAND__COLL_ALLREDUCE,
                                   .ranks = ranks,
                                   .node_size = (size_t)ranks,
                                   .processors = processors,
                                   .bytes = bytes,
                                   .element = 8};
    struct summand__call call = {
        .collective = query.collective, .ranks = ranks, .count = bytes / 8};
    struct summand__choice choice;
    summand__choose(&query, &choice);
    memcpy(call.parameter, choice.parameter, sizeof call.parameter);
    return summand__cost_of(choice.algorithm, &call);
}

/* If ranks share processors, each message that waits for another costs a turn of all ranks, and the
 * work of all ranks adds up. So few ranks exchange short vectors all at once, each written once for
 * all. Otherwise the algorithm sends no more messages than a tree, up and down, while ranks with a
 * processor each take more rounds or send more. */
TEST(test_oversubscribed)
{
    for (int ranks = 4; ranks <= 8; ranks *= 2)
        for (size_t bytes = 8; bytes <= 512; bytes *= 8) {
            struct summand__cost cost = chosen_cost(ranks, 2, bytes);
            assert_true(cost.depth == 1 && cost.messages - cost.repeats == (size_t)ranks);
            cost = chosen_cost(ranks, ranks, bytes);
            assert_true(cost.depth > 1);
        }
    for (int ranks = 8; ranks <= 32; ranks *= 2)
        for (size_t bytes = ranks > 8 ? 8 : 4096; bytes <= 32768; bytes *= 8) {
            size_t least = 2 * (size_t)(ranks - 1);
            assert_true(chosen_cost(ranks, 2, bytes).messages == least);
            assert_true(chosen_cost(ranks, ranks, bytes).messages > least);
        }
}

static double seconds_of(enum summand__collective collective, int ranks, size_t node, size_t bytes)
{
    struct summand__query query = {
        .collective = collective, .ranks = ranks, .node_size = node, .bytes = bytes, .element = 4};
    struct summand__choice choice;
    summand__choose(&query, &choice);
    return choice.seconds;
}

/* A longer vector takes no less time, and four times the bytes at most five times as long. A reduce
 * takes at most an all-reduce plus 35 % (a ring in between is the faster one, and there is none for
 * a reduce). An all-reduce takes at most a reduce and a broadcast. All limits include 5 % for
 * errors of estimates. */
TEST(test_consistent)
{
    static const struct {
        int ranks;
        size_t node;
    } clusters[] = {{2, 2}, {8, 8}, {24, 1}, {37, 8}, {576, 16}, {768, 16}, {4096, 16}};
    for (size_t m = 0; m < sizeof clusters / sizeof *clusters; m++) {
        double before[2] = {0};
        int p = clusters[m].ranks;
        size_t node = clusters[m].node;
        for (size_t bytes = 4; bytes <= (size_t)16 << 20; bytes *= 4) {
            double reduce = seconds_of(SUMMAND__COLL_REDUCE, p, node, bytes);
            double all = seconds_of(SUMMAND__COLL_ALLREDUCE, p, node, bytes);
            double bcast = seconds_of(SUMMAND__COLL_BCAST, p, node, bytes);
            assert_true(reduce <= 1.35 * all && all <= 1.05 * (reduce + bcast));
            assert_true(reduce >= 0.95 * before[0] && all >= 0.95 * before[1]);
            if (bytes > 4)
                assert_true(reduce <= 5 * before[0] && all <= 5 * before[1]);
            before[0] = reduce;
            before[1] = all;
        }
    }
}

static const struct {
    int ranks;
    size_t node;
    int processors;
} machines[] = {{2, 2, 0},      {3, 3, 0},    {8, 8, 0},  {13, 13, 2},   {64, 64, 2},
                {130, 130, 16}, {24, 1, 0},   {37, 8, 0}, {100, 16, 0},  {576, 16, 0},
                {576, 1, 0},    {768, 16, 0}, {5, 2, 0},  {129, 129, 0}, {4096, 16, 0}};
enum { MACHINES = sizeof machines / sizeof *machines };

/* The context of this file's searches, which try candidates without regard to rivals. */
struct trial {
    const struct summand__query *query;
    struct summand__model model;
};

static double trial_seconds(struct summand__search *search, const struct summand__call *call)
{
    const struct trial *trial = search->context;
    struct summand__choice choice = {.algorithm = search->algorithm};
    memcpy(choice.parameter, call->parameter, sizeof choice.parameter);
    return summand__choice_seconds(trial->query, &choice, &trial->model);
}

static double least_seconds(const struct summand__query *query)
{
    struct trial trial = {query, summand__query_model(query)};
    double least = INFINITY;
    for (int i = 0; summand__algorithms[i]; i++) {
        struct summand__search search = {.seconds = trial_seconds,
                                         .context = &trial,
                                         .algorithm = summand__algorithms[i],
                                         .call = summand__query_call(query),
                                         .element = query->element};
        search.call.parameter[SUMMAND__NODE_SIZE] = query->node_size;
        bool several =
            query->node_size > 1 && ((size_t)query->ranks - 1) / query->node_size + 1 >= 4;
        if ((several && search.algorithm->sees_nodes) ||
            !summand__algorithm_does(search.algorithm, &search.call) ||
            !summand__promises_kept(search.algorithm, query->collective, query->promises))
            continue;
        summand__search(&search);
        least = search.best.seconds < least ? search.best.seconds : least;
    }
    return least;
}

/* On every machine, by estimates, skipping candidates with faster or equal rivals loses nothing.
 * Algorithms that ignore nodes are left out there: test_estimate simulates them. */
TEST(test_nothing_lost)
{
    for (int m = 0; m < MACHINES; m++)
        for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++)
            for (size_t bytes = 4; bytes <= (size_t)64 << 20; bytes *= 8) {
                struct summand__query query = {.collective = (enum summand__collective)collective,
                                               .ranks = machines[m].ranks,
                                               .node_size = machines[m].node,
                                               .processors = machines[m].processors,
                                               .bytes = bytes,
                                               .element = 4};
                struct summand__choice choice;
                assert_int_equal(summand__choices(&query, &choice, 1), 1);
                assert_true(choice.seconds <= least_seconds(&query) * (1 + 1e-9));
            }
}

/* On one node. */
TEST(test_no_memory)
{
    struct summand__choice choice;
    scarce_begin(1, 1);
    void *volatile block = malloc(1); /* volatile: clang leaves out a block that nothing uses */
    assert_null(block);
    assert_int_equal(scarce.refused, 1);
    for (int m = 0; m < MACHINES; m++)
        for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++)
            for (size_t bytes = 0; bytes <= (size_t)1 << 20; bytes = 8 * bytes + 4) {
                struct summand__query query = {.collective = (enum summand__collective)collective,
                                               .ranks = machines[m].ranks,
                                               .node_size = machines[m].node,
                                               .processors = machines[m].processors,
                                               .bytes = bytes,
                                               .element = 4};
                if (!summand__query_plays(&query))
                    assert_true(summand__choose(&query, &choice));
            }
    assert_int_equal(scarce_end(), 1);
}

/* More ranks on a node than a function's frame has room for, and calls that are played: a rank
 * without memory must not choose from the rest alone, because the other ranks choose otherwise. */
TEST(test_poor)
{
    static const struct {
        int ranks;
        size_t node;
        int processors;
        size_t bytes;
    } calls[] = {{1100, 1100, 64, 1 << 20}, {5, 2, 0, 4096}};
    long all[2] = {0};
    for (int collective = 0; collective < 2 * SUMMAND__MPI_COLLECTIVES; collective++) {
        int which = collective % 2;
        struct summand__query query = {.collective = (enum summand__collective)(collective / 2),
                                       .ranks = calls[which].ranks,
                                       .node_size = calls[which].node,
                                       .processors = calls[which].processors,
                                       .bytes = calls[which].bytes,
                                       .element = 8};
        struct summand__choice want = {.algorithm = NULL}, got = want;
        assert_true(summand__choose(&query, &want));
        for (long n = 1, refused = 1; refused; n++) {
            scarce_begin(n, 0);
            bool chosen = summand__choose(&query, &got);
            refused = scarce_end();
            assert_true(chosen || refused); /* a play does without memory that it only gives back */
            if (chosen)
                assert_same_choice(&got, &want);
            all[which] += !chosen;
        }
    }
    assert_true(all[0] > 0 && all[1] > 0);
}

/* Calls between nodes share choices by buckets of lengths. A choice does not depend on earlier
 * ones, whatever the cache holds, and fits its own call: so ranks with other histories agree. */
TEST(test_buckets)
{
    enum { RANKS = 12, SHAPES = 4 };
    static const int node[SHAPES - 1][RANKS] = {{0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 2},
                                                {0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2},
                                                {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 0}};
    struct summand__groupings *shape[SHAPES] = {NULL}; /* the last one: even nodes */
    size_t segmented = 0, shared = 0;
    for (int i = 0; i < SHAPES - 1; i++)
        assert_true(summand__groupings_make(node[i], RANKS, 3, &shape[i]) && shape[i]);
    for (int turn = 0; turn < 2; turn++)
        for (size_t step = 0; step < 90; step++)
            for (int i = 0; i < SHAPES; i++) {
                const struct summand__grouping *grouping = summand__grouping_for(shape[i], false);
                size_t at = turn ? 89 - step : step, count = 30000 + 997 * at;
                struct summand__query query = {.collective = SUMMAND__COLL_BCAST,
                                               .ranks = RANKS,
                                               .node_size = grouping ? (size_t)grouping->most : 4,
                                               .grouping = grouping,
                                               .bytes = 8 * count,
                                               .element = 8};
                const struct summand__call call = summand__query_call(&query);
                struct summand__choice got = {.algorithm = NULL}, want;
                assert_true(summand__choose(&query, &want));
                assert_int_equal(summand__select(&query, NULL, &call, &got), SUMMAND__SELECTED);
                assert_same_choice(&got, &want);
                assert_true(got.parameter[SUMMAND__SEGMENT] < count);
                segmented += got.parameter[SUMMAND__SEGMENT] > 0;
                shared += summand__query_bucket(&query).bytes != query.bytes;
            }
    assert_true(segmented > 0 && shared > 0);
    for (size_t count = 1; count < 9000; count++) { /* messages of a bucket wait alike */
        struct summand__query query = {
            .ranks = RANKS, .node_size = 4, .bytes = 8 * count, .element = 8};
        const double most = summand__query_model(&query).eager;
        for (double part = 0.25; part <= 4; part *= 2)
            assert_int_equal((double)query.bytes * part > most,
                             (double)summand__query_bucket(&query).bytes * part > most);
    }
    for (int i = 0; i < SHAPES - 1; i++)
        free(shape[i]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of the whole table against the simulation of all ranks, and the loss of a choice by
 * estimates. */
#include <math.h>

#include "algorithm/call.h"
#include "algorithm/hierarchical/parts.h"
#include "select/choose.h"
#include "select/defaults.h"
#include "unit/estimated.h"
#include "unit/unit.h"

enum { ALGORITHMS = 64 };

/* Ranks and ranks per node: even, odd, one node, nodes of one rank; and fair cards, with
 * acknowledgements. */
static const struct {
    int ranks, node;
    bool fair;
} machines[] = {{2, 1, false},  {5, 5, false},    {16, 16, false}, {24, 1, false}, {37, 8, false},
                {64, 8, false}, {100, 16, false}, {37, 8, true},   {32, 8, true}};
enum { MACHINES = sizeof machines / sizeof *machines };

static struct summand__model model_of(int node, bool fair)
{
    struct summand__model model = summand__cluster_model;
    model.per_node = node;
    model.shared_card = node > 1;
    model.fair_card = fair;
    model.cross = fair ? 0.05 : 0;
    return model;
}

static bool has_offsets(int collective)
{
    return summand__has_offsets((enum summand__collective)collective);
}

/* Counts estimates within a factor of 1.5; all must be within a factor of 3. */
struct tally {
    int all, near;
    double worst;
};

static void compare(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    const struct summand__model *model, struct tally *tally)
{
    double estimate = summand__estimate_of(algorithm, call, ELEMENT, model);
    double exact = played(algorithm, call, model);
    if (exact == 0) {
        assert_true(estimate == 0);
        return;
    }
    double off = estimate > exact ? estimate / exact : exact / estimate;
    if (!(off <= 3))
        fail_msg("%s %s, %d ranks, %zu elements, segment %zu radix %zu leaders %zu: estimate %g, "
                 "play %g",
                 algorithm->name, summand__collective_name(call->collective), call->ranks,
                 call->count, call->parameter[SUMMAND__SEGMENT], call->parameter[SUMMAND__RADIX],
                 call->parameter[SUMMAND__LEADERS], estimate, exact);
    tally->all++;
    tally->near += off <= 1.5;
    tally->worst = off > tally->worst ? off : tally->worst;
}

/* One parameter at a time differs from its default. */
static void compare_parameters(const struct summand__algorithm *algorithm,
                               struct summand__call *call, const struct summand__model *model,
                               struct tally *tally)
{
    static const size_t values[SUMMAND__PARAMETERS][3] = {[SUMMAND__SEGMENT] = {512, 2048},
                                                          [SUMMAND__RADIX] = {2, 8},
                                                          [SUMMAND__LEADERS] = {1, 8},
                                                          [SUMMAND__INTER_NODE_RADIX] = {2, 8}};
    compare(algorithm, call, model, tally);
    for (int which = 0; which < SUMMAND__PARAMETERS; which++) {
        const struct summand__limits *limits = &algorithm->limits[which];
        for (int i = 0; values[which][i] && limits->most; i++) {
            if (values[which][i] < limits->least || values[which][i] >= call->count)
                continue;
            call->parameter[which] = values[which][i];
            compare(algorithm, call, model, tally);
            call->parameter[which] = 0;
        }
    }
}

TEST(near_the_play)
{
    static const size_t bytes[] = {4, 1200, 40000, 400000};
    struct tally tally = {0};
    for (int m = 0; m < MACHINES; m++)
        for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++)
            for (int b = 0; b < 4 && !has_offsets(collective); b++)
                for (int i = 0; summand__algorithms[i]; i++) {
                    struct summand__model model = model_of(machines[m].node, machines[m].fair);
                    struct summand__call call = call_for(collective, machines[m].ranks, bytes[b]);
                    call.parameter[SUMMAND__NODE_SIZE] = (size_t)machines[m].node;
                    if (summand__algorithm_does(summand__algorithms[i], &call))
                        compare_parameters(summand__algorithms[i], &call, &model, &tally);
                }
    print_message("%d estimates: %.1f %% within 1.5, worst %.2f\n", tally.all,
                  100.0 * tally.near / tally.all, tally.worst);
    assert_true(tally.near >= 0.92 * tally.all);
}

/* Equal blocks, with and without explicit positions. */
TEST(offsets)
{
    size_t positions[17];
    struct summand__model model = model_of(8, false);
    for (size_t r = 0; r <= 16; r++)
        positions[r] = 100 * r;
    struct summand__call equal = {.collective = SUMMAND__COLL_ALLGATHER, .ranks = 16, .count = 100};
    struct summand__call any = {
        .collective = SUMMAND__COLL_ALLGATHERV, .ranks = 16, .offsets = positions};
    for (int i = 0; summand__algorithms[i]; i++)
        if (summand__algorithm_does(summand__algorithms[i], &any))
            assert_true(summand__estimate_of(summand__algorithms[i], &any, ELEMENT, &model) ==
                        summand__estimate_of(summand__algorithms[i], &equal, ELEMENT, &model));
}

/* The best simulated time of all candidates, each with its best parameters. `first` [out]: the
 * simulated time of the chosen one. */
static double plays_of(const struct summand__query *query, double *first)
{
    struct summand__choice choices[ALGORITHMS];
    struct summand__model model = summand__query_model(query);
    int count = summand__choices(query, choices, ALGORITHMS);
    double best = 0;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        struct summand__call call = call_for((int)query->collective, query->ranks, query->bytes);
        memcpy(call.parameter, choices[i].parameter, sizeof call.parameter);
        double time = played(choices[i].algorithm, &call, &model);
        *first = i ? *first : time;
        best = !i || time < best ? time : best;
    }
    return best;
}

static double regret(const struct summand__query *query)
{
    double first, best = plays_of(query, &first);
    return best > 0 ? first / best : 1;
}

TEST(little_is_lost)
{
    static const size_t bytes[] = {4, 800, 12000, 120000};
    int all = 0, good = 0;
    double worst = 0;
    for (int m = 0; m < MACHINES; m++)
        for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++)
            for (int b = 0; b < 4 && !has_offsets(collective); b++)
                for (unsigned promises = 0; promises <= SUMMAND__RANK_ORDER; promises++) {
                    struct summand__model model = model_of(machines[m].node, machines[m].fair);
                    struct summand__query query = {.collective =
                                                       (enum summand__collective)collective,
                                                   .ranks = machines[m].ranks,
                                                   .node_size = (size_t)machines[m].node,
                                                   .bytes = bytes[b],
                                                   .element = ELEMENT,
                                                   .promises = promises,
                                                   .model = &model};
                    double lost = regret(&query);
                    all++;
                    good += lost <= 1.15;
                    worst = lost > worst ? lost : worst;
                }
    print_message("%d choices: %.1f %% within 1.15 of the best, worst %.2f\n", all,
                  100.0 * good / all, worst);
    assert_true(good >= 0.92 * all);
    assert_true(worst <= 1.5);
}

/* For several nodes of `node` ranks on fair cards: the estimate lies between `least` and `most`
 * times the simulated time. */
static void between(const char *name, int collective, int node, int ranks, size_t bytes,
                    double least, double most)
{
    const struct summand__algorithm *algorithm = summand__algorithm_named(name);
    struct summand__model model = model_of(node, true);
    struct summand__call call = call_for(collective, ranks, bytes);
    call.parameter[SUMMAND__SEGMENT] = algorithm->limits[SUMMAND__SEGMENT].most ? 1024 : 0;
    double ratio =
        summand__estimate_of(algorithm, &call, ELEMENT, &model) / played(algorithm, &call, &model);
    if (!(least <= ratio && ratio <= most))
        fail_msg("%s, %d ranks on nodes of %d, %zu bytes: %.2f of the play", name, ranks, node,
                 bytes, ratio);
}

/* A double tree whose root is an inner rank. */
TEST(inner_roots)
{
    const struct summand__algorithm *algorithm = summand__algorithm_named("two-tree");
    struct summand__model model = model_of(1, true);
    for (int p = 4; p <= 32; p++) {
        struct summand__call call = call_for(SUMMAND__COLL_REDUCE, p, 64);
        call.root = 1;
        double ratio = summand__estimate_of(algorithm, &call, ELEMENT, &model) /
                       played(algorithm, &call, &model);
        if (ratio < 0.95 || ratio > 1.15)
            fail_msg("%d ranks, root 1: %.2f of the play", p, ratio);
    }
}

/* Node borders inside groups of algorithms that ignore nodes, and halves that finish at different
 * times. */
TEST(borders)
{
    static const int sizes[] = {5, 7, 9, 12}, ranks[] = {27, 32, 40, 44, 56, 63};
    for (int s = 0; s < 4; s++)
        for (int r = 0; r < 6; r++) {
            between("pat", SUMMAND__COLL_ALLGATHER, sizes[s], ranks[r], 256, 0.95, 1.1);
            if (s != 1 && ranks[r] > 2 * sizes[s])
                between("two-tree", SUMMAND__COLL_REDUCE, sizes[s], ranks[r], 100000, 0.7, 1.4);
        }
    for (int p = 3; p <= 24; p++)
        for (size_t bytes = 64; bytes <= 100000; bytes *= 8) {
            between("recursive-doubling", SUMMAND__COLL_ALLREDUCE, 1, p, bytes, 0.85, 1.3);
            between("rabenseifner", SUMMAND__COLL_REDUCE_SCATTER_BLOCK, 1, p, bytes, 0.85, 1.2);
        }
}

/* Large nodes before small ones, which finish early. */
TEST(uneven_nodes)
{
    static const struct {
        const char *name;
        int collective;
    } cases[] = {{"postal", SUMMAND__COLL_REDUCE},
                 {"node-rabenseifner", SUMMAND__COLL_REDUCE_SCATTER_BLOCK},
                 {"node-rabenseifner", SUMMAND__COLL_ALLGATHER},
                 {"node-direct", SUMMAND__COLL_REDUCE_SCATTER_BLOCK}};
    static const int sizes[] = {16, 16, 8, 3, 1};
    struct summand__groupings *groupings;
    struct summand__model model = model_of(16, true);
    int node[44], ranks = 0;
    model.reduce_byte = model.copy_byte = 0;
    for (int i = 0; i < 5; i++)
        for (int r = 0; r < sizes[i]; r++)
            node[ranks++] = i;
    assert_true(summand__groupings_make(node, ranks, 5, &groupings));
    for (int i = 0; i < 4; i++) {
        const struct summand__algorithm *algorithm = summand__algorithm_named(cases[i].name);
        struct summand__call call = call_for(cases[i].collective, ranks, 256);
        struct summand__predict predict = {.element = ELEMENT, .model = &model, .node = node};
        call.grouping = summand__grouping_for(groupings, false);
        assert_true(summand__simulate_call(algorithm, &call, &predict));
        double ratio = summand__estimate_of(algorithm, &call, ELEMENT, &model) / predict.time;
        print_message("%s on uneven nodes: %.2f of the play\n", cases[i].name, ratio);
        assert_true(ratio > 0.9 && ratio < 1.1);
    }
    free(groupings);
}

static double trial(struct summand__search *search, const struct summand__call *call)
{
    return played(search->algorithm, call, search->context);
}

/* The least simulated time of all algorithms that ignore nodes, each with its best parameters. */
static double least_unseeing(const struct summand__query *query, struct summand__model *model)
{
    double least = INFINITY;
    for (int i = 0; summand__algorithms[i]; i++) {
        struct summand__search search = {
            .seconds = trial,
            .context = model,
            .algorithm = summand__algorithms[i],
            .call = call_for((int)query->collective, query->ranks, query->bytes),
            .element = ELEMENT};
        if (!search.algorithm->sees_nodes ||
            !summand__algorithm_does(search.algorithm, &search.call))
            continue;
        summand__search(&search);
        least = search.best.seconds < least ? search.best.seconds : least;
    }
    return least;
}

/* On four or more nodes of several ranks, algorithms that ignore nodes are not chosen; this loses
 * little. */
TEST(nodes_are_seen)
{
    static const int collectives[] = {SUMMAND__COLL_REDUCE, SUMMAND__COLL_ALLREDUCE,
                                      SUMMAND__COLL_BCAST};
    static const struct {
        int ranks, node;
    } nodes[] = {{32, 8}, {30, 8}, {32, 2}, {24, 3}};
    static const size_t bytes[] = {4, 2000, 60000};
    double worst = 0;
    for (int n = 0; n < 4; n++)
        for (int c = 0; c < 3; c++)
            for (int b = 0; b < 3; b++) {
                struct summand__model model = model_of(nodes[n].node, true);
                struct summand__query query = {.collective =
                                                   (enum summand__collective)collectives[c],
                                               .ranks = nodes[n].ranks,
                                               .node_size = (size_t)nodes[n].node,
                                               .bytes = bytes[b],
                                               .element = ELEMENT,
                                               .model = &model};
                double first, best = plays_of(&query, &first);
                double missed = best / least_unseeing(&query, &model);
                worst = missed > worst ? missed : worst;
            }
    print_message("without what does not see nodes: %.2f times as long at most\n", worst);
    assert_true(worst <= 1.1);
}

/* Wide trees: most operands come from other switches, or there are exactly two switches. */
TEST(several_switches)
{
    static const int switches[] = {2, 3, 16};
    struct summand__model model = model_of(1, true);
    model.per_switch = 16;
    for (int i = 0; i < 3; i++) {
        struct summand__call call = call_for(SUMMAND__COLL_REDUCE, 16 * switches[i], 4);
        call.parameter[SUMMAND__RADIX] = 16;
        double estimate = summand__estimate_of(&summand__kary, &call, ELEMENT, &model);
        double exact = played(&summand__kary, &call, &model);
        print_message("%d switches: estimate %g, play %g\n", switches[i], estimate, exact);
        assert_true(estimate > 0.93 * exact && estimate < 1.07 * exact);
    }
}

/* One rank on each node, no power of two, half of the bandwidth upwards: the algorithm that sends
 * long messages to near ranks is the fastest, and is chosen. Simulations of all algorithms take
 * long, so long calls show the estimate alone. */
TEST(odd_ranks_under_switches)
{
    static const int ranks[] = {65, 100, 127};
    const struct summand__algorithm *pat = summand__algorithm_named("pat");
    struct summand__model model = model_of(1, true);
    model.per_switch = 16;
    model.oversubscription = 2;
    model.reduce_byte = model.copy_byte = 0;
    for (int i = 0; i < 3; i++)
        for (size_t bytes = 16384; bytes <= 262144; bytes *= 4) {
            struct summand__query query = {.collective = SUMMAND__COLL_REDUCE_SCATTER_BLOCK,
                                           .ranks = ranks[i],
                                           .node_size = 1,
                                           .bytes = bytes,
                                           .element = ELEMENT,
                                           .model = &model};
            struct summand__call call = summand__query_call(&query);
            double off =
                summand__estimate_of(pat, &call, ELEMENT, &model) / played(pat, &call, &model);
            double lost = (size_t)ranks[i] * bytes <= 65 * 65536 ? regret(&query) : 1;
            print_message("%d ranks, %zu bytes: estimate %.2f of the play, choice %.2f\n", ranks[i],
                          bytes, off, lost);
            assert_true(off > 0.85 && off < 1.15 && lost < 1.05);
        }
}

/* Blocks of one length go round a ring whole, in equal segments, and in segments of which only some
 * use rendezvous. Without rendezvous, the busiest card counts. */
TEST(long_rings)
{
    static const struct {
        size_t block, segment;
        double within;
    } cases[] = {{3641, 0, 1.1},    {7282, 0, 1.1},     {7282, 4096, 1.25}, {7282, 3641, 1.1},
                 {7282, 1821, 1.1}, {7282, 2048, 1.25}, {40000, 4096, 1.1}};
    static const int collectives[] = {SUMMAND__COLL_ALLGATHER, SUMMAND__COLL_REDUCE_SCATTER_BLOCK};
    const struct summand__algorithm *ring = summand__algorithm_named("ring");
    struct summand__model model = model_of(16, true);
    model.eager = 16383;
    model.reduce_byte = model.copy_byte = 0;
    for (int c = 0; c < 2; c++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            struct summand__call call = {.collective = (enum summand__collective)collectives[c],
                                         .ranks = 64,
                                         .count = cases[i].block,
                                         .parameter = {[SUMMAND__SEGMENT] = cases[i].segment}};
            double estimate = summand__estimate_of(ring, &call, ELEMENT, &model);
            double exact = played(ring, &call, &model);
            double off = estimate > exact ? estimate / exact : exact / estimate;
            print_message("blocks of %zu in segments of %zu: estimate %g, play %g\n", call.count,
                          cases[i].segment, estimate, exact);
            assert_true(off < cases[i].within);
        }
}

/* Binomial trees down and up on fair cards: all messages down from one parent end together. If
 * nodes cut halves, more messages enter a node. */
TEST(binomial_on_even_cards)
{
    static const struct {
        int ranks, node;
        size_t count, segment;
        double within;
    } cases[] = {{512, 16, 16384, 0, 1.05},   {512, 16, 262144, 0, 1.05},
                 {64, 1, 65536, 0, 1.05},     {576, 16, 16384, 0, 1.15},
                 {576, 16, 65536, 1024, 1.1}, {144, 16, 65536, 1024, 1.2},
                 {100, 16, 65536, 1024, 1.3}};
    const struct summand__algorithm *binomial = summand__algorithm_named("binomial");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct summand__model model = model_of(cases[i].node, true);
        struct summand__call call = {.collective = SUMMAND__COLL_ALLREDUCE,
                                     .ranks = cases[i].ranks,
                                     .count = cases[i].count,
                                     .parameter = {[SUMMAND__SEGMENT] = cases[i].segment}};
        double estimate = summand__estimate_of(binomial, &call, ELEMENT, &model);
        double exact = played(binomial, &call, &model);
        double off = estimate > exact ? estimate / exact : exact / estimate;
        if (off > cases[i].within)
            fail_msg("%d ranks, %d per node, %zu in segments of %zu: estimate %g, play %g",
                     call.ranks, cases[i].node, call.count, cases[i].segment, estimate, exact);
    }
}

/* Double trees whose sums come back: on nodes of one rank, each card carries equally many bytes
 * both ways. */
TEST(two_trees_on_even_cards)
{
    static const int ranks[] = {16, 33, 64};
    const struct summand__algorithm *trees = summand__algorithm_named("two-tree");
    struct summand__model model = model_of(1, true);
    model.reduce_byte = model.copy_byte = 0;
    model.cross = 0.05;
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        for (size_t segment = 1024; segment <= 4096; segment *= 4) {
            struct summand__call call = {.collective = SUMMAND__COLL_ALLREDUCE,
                                         .ranks = ranks[i],
                                         .count = 1 << 20,
                                         .parameter = {[SUMMAND__SEGMENT] = segment}};
            double ratio =
                summand__estimate_of(trees, &call, ELEMENT, &model) / played(trees, &call, &model);
            if (!(ratio > 0.95 && ratio < 1.05))
                fail_msg("%d ranks, segments of %zu: estimate %.3f of the play", ranks[i], segment,
                         ratio);
        }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Cost formulas against the built schedules, for more ranks than proofs cover. Also the assumptions
 * of the choice: volumes are costs, ranges come in layers, and some algorithms equal others on one
 * node. */
#include "algorithm/call.h"
#include "shape/layers.h"
#include "unit/unit.h"

enum { MOST = 131 };

/* Odd, even, around powers of two. */
static const int rank_counts[] = {1, 2, 3, 4, 5, 7, 8, 12, 13, 31, 32, 33, 60, 95, 127, 128, 130};
enum { RANK_COUNTS = sizeof rank_counts / sizeof *rank_counts };

static struct summand__call call_of(int collective, int ranks, size_t count, const size_t *offsets)
{
    struct summand__call call = {
        .collective = (enum summand__collective)collective, .ranks = ranks, .count = count};
    call.offsets = offsets;
    return call;
}

/* Blocks of different sizes, some of them empty. */
static void cut_unevenly(size_t *offsets, int ranks, size_t count)
{
    offsets[0] = 0;
    for (int r = 0; r < ranks; r++)
        offsets[r + 1] = offsets[r] + (r % 3 == 1 ? 0 : count / ((size_t)r % 4 + 1));
}

/* Messages and elements of all ranks' schedules. */
static struct summand__cost count_built(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call)
{
    struct summand__cost cost = {0};
    for (int rank = 0; rank < call->ranks; rank++) {
        struct summand__call one = *call;
        struct summand__schedule schedule;
        one.rank = rank;
        assert_true(summand__build(algorithm, &one, &schedule));
        for (size_t i = 0; i < schedule.length; i++)
            if (schedule.steps[i].action == SUMMAND__SEND) {
                cost.messages++;
                cost.elements += schedule.steps[i].from.count;
            }
        summand__schedule_free(&schedule);
    }
    return cost;
}

static void check_call(const struct summand__algorithm *algorithm, const struct summand__call *call)
{
    struct summand__cost built = count_built(algorithm, call);
    struct summand__cost cost = summand__cost_of(algorithm, call);
    struct summand__cost volume = summand__volume_of(algorithm, call);
    if (cost.messages != built.messages || cost.elements != built.elements)
        fail_msg("%s %s, %d ranks, %zu elements, node %zu: %zu messages of %zu elements, formula "
                 "says %zu of %zu",
                 algorithm->name, summand__collective_name(call->collective), call->ranks,
                 call->count, call->parameter[SUMMAND__NODE_SIZE], built.messages, built.elements,
                 cost.messages, cost.elements);
    assert_int_equal(volume.messages, cost.messages);
    assert_int_equal(volume.elements, cost.elements);
    assert_int_equal(volume.repeats, cost.repeats);
    assert_int_equal(volume.repeated, cost.repeated);
}

/* Fewer elements than ranks, as many, some more, and many. */
static void check_counts(const struct summand__algorithm *algorithm, int collective, int ranks,
                         size_t node)
{
    const size_t counts[] = {1, (size_t)ranks / 2 + 1, (size_t)ranks, 3 * (size_t)ranks + 1, 20000};
    size_t offsets[MOST + 1];
    for (int i = 0; i < 5; i++) {
        struct summand__call call = call_of(collective, ranks, counts[i], offsets);
        call.parameter[SUMMAND__NODE_SIZE] = node;
        call.parameter[SUMMAND__LEADERS] = 5;
        call.root = summand__has_root(call.collective) && i % 2 ? ranks / 2 : 0;
        cut_unevenly(offsets, ranks, counts[i]);
        if (summand__algorithm_does(algorithm, &call))
            check_call(algorithm, &call);
    }
}

TEST(test_formulas)
{
    for (int i = 0; summand__algorithms[i]; i++)
        for (int collective = 0; collective < SUMMAND__MPI_COLLECTIVES; collective++)
            for (int p = 0; p < RANK_COUNTS; p++) {
                bool nodes = summand__algorithms[i]->limits[SUMMAND__NODE_SIZE].most > 0;
                check_counts(summand__algorithms[i], collective, rank_counts[p], MOST);
                if (nodes)
                    check_counts(summand__algorithms[i], collective, rank_counts[p], 6);
            }
}

/* Sums over the parts of a range, each handled in turn. */
static size_t meetings_of(int ranks, int radix)
{
    int parts = radix < ranks ? radix : ranks;
    size_t meetings = (size_t)ranks * (size_t)(parts - 1);
    for (int part = 0; part < parts && ranks > 1; part++)
        meetings += meetings_of((int)summand__cut((size_t)ranks, (size_t)part + 1, (size_t)parts) -
                                    (int)summand__cut((size_t)ranks, (size_t)part, (size_t)parts),
                                radix);
    return meetings;
}

TEST(test_layers)
{
    for (int ranks = 1; ranks <= 600; ranks++)
        for (int radix = 2; radix <= 17; radix++) {
            struct summand__layer layer = summand__layer_first(ranks);
            do
                assert_int_equal(layer.small * (size_t)layer.size +
                                     layer.large * ((size_t)layer.size + 1),
                                 ranks);
            while (summand__layer_next(&layer, radix));
            assert_int_equal(layer.size, 1);
            assert_int_equal(layer.small, ranks);
            assert_int_equal(summand__layers_meetings(ranks, radix), meetings_of(ranks, radix));
        }
}

static void check_same(const struct summand__algorithm *a, const struct summand__algorithm *b,
                       const struct summand__call *call)
{
    struct summand__schedule one, other;
    assert_true(summand__build(a, call, &one) && summand__build(b, call, &other));
    assert_int_equal(one.length, other.length);
    for (size_t i = 0; i < one.length; i++) {
        assert_int_equal(one.steps[i].action, other.steps[i].action);
        assert_int_equal(one.steps[i].peer, other.steps[i].peer);
        assert_int_equal(one.steps[i].lag, other.steps[i].lag);
        assert_int_equal(one.steps[i].flags, other.steps[i].flags);
        assert_true(summand__regions_equal(one.steps[i].from, other.steps[i].from));
        assert_true(summand__regions_equal(one.steps[i].to, other.steps[i].to));
    }
    summand__schedule_free(&one);
    summand__schedule_free(&other);
}

/* On one node some algorithms equal others, in every step and in their estimates. */
TEST(test_alone)
{
    static const struct summand__model model = {
        .per_node = MOST, .eager = 1e18, .level = {{1e-6, 2e-7, 3e-7, 0, 1e-10, 0}}};
    size_t offsets[MOST + 1];
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (int p = 1; p < RANK_COUNTS && summand__algorithms[i]->single_node_equivalent[c];
                 p++)
                for (size_t leaders = 1; leaders <= 16; leaders *= 4) {
                    const struct summand__algorithm *algorithm = summand__algorithms[i];
                    struct summand__call call = call_of(c, rank_counts[p], 700, offsets);
                    cut_unevenly(offsets, rank_counts[p], 700);
                    call.parameter[SUMMAND__NODE_SIZE] = MOST;
                    call.parameter[SUMMAND__LEADERS] = leaders;
                    call.parameter[SUMMAND__RADIX] = leaders / 4;
                    call.root = (int)leaders % call.ranks;
                    for (call.rank = 0; call.rank < call.ranks; call.rank += 5)
                        check_same(algorithm, algorithm->single_node_equivalent[c], &call);
                    assert_int_equal(
                        algorithm->promises & ~algorithm->single_node_equivalent[c]->promises, 0);
                    assert_true(summand__estimate_of(algorithm, &call, 4, &model) ==
                                summand__estimate_of(algorithm->single_node_equivalent[c], &call, 4,
                                                     &model));
                }
}

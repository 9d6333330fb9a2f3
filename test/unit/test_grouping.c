/* SPDX-License-Identifier: BSD-3-Clause */
/* Nodes of any sizes in any order: the grouping of ranks, unchanged runs of one size, and correct
 * schedules on them. */
#include "lab/verify/cases.h"
#include "lab/verify/prove.h"
#include "select/choose.h"
#include "unit/unit.h"

enum { MOST = 64 };

static unsigned next(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % below;
}

/* Runs of one size, the last perhaps smaller, found by the definition. */
static bool is_regular(const int *node, int ranks)
{
    for (int size = 1; size <= ranks; size++) {
        bool good = true;
        for (int a = 0; a < ranks; a++)
            for (int b = 0; b < ranks; b++)
                good = good && (node[a] == node[b]) == (a / size == b / size);
        if (good)
            return true;
    }
    return false;
}

/* Each group is a node, or a run of one; places and members are inverse maps. */
static void check_grouping(const struct summand__grouping *grouping, const int *node, int ranks,
                           bool ordered)
{
    int most = 0, least = ranks, seen = 0;
    assert_int_equal(grouping->ranks, ranks);
    for (int g = 0; g < grouping->groups; g++) {
        int first = summand__group_first(grouping, g), size = summand__group_size(grouping, g);
        assert_int_equal(first, seen);
        assert_true(size > 0);
        for (int place = first; place < first + size; place++, seen++) {
            int rank = grouping->member ? grouping->member[place] : place;
            int head = grouping->member ? grouping->member[first] : first;
            assert_int_equal(node[rank], node[head]);
            assert_int_equal(summand__group_at(grouping, place), g);
            if (grouping->member)
                assert_int_equal(grouping->place[rank], place);
        }
        most = size > most ? size : most;
        least = size < least ? size : least;
    }
    assert_int_equal(seen, ranks);
    assert_int_equal(grouping->most, most);
    assert_int_equal(grouping->least, least);
    assert_true(!ordered || !grouping->member);
}

/* The number of groups: nodes, or runs. */
static void count_groups(const int *node, int ranks, int *nodes, int *runs)
{
    *nodes = *runs = 0;
    for (int r = 0; r < ranks; r++) {
        bool known = false;
        for (int s = 0; s < r; s++)
            known = known || node[s] == node[r];
        *nodes += !known;
        *runs += !r || node[r] != node[r - 1];
    }
}

TEST(groups)
{
    unsigned seed = 1;
    for (int turn = 0; turn < 20000; turn++) {
        int node[MOST], ranks = 1 + (int)next(&seed, turn % 2 ? 8 : MOST), nodes, runs;
        int names = 1 + (int)next(&seed, 6), kind = (int)next(&seed, 3);
        for (int r = 0; r < ranks; r++)
            node[r] = kind == 0   ? (int)next(&seed, (unsigned)names)
                      : kind == 1 ? r % names
                                  : r / names;
        struct summand__groupings *both;
        assert_true(summand__groupings_make(node, ranks, MOST, &both));
        assert_int_equal(!both, is_regular(node, ranks));
        if (!both)
            continue;
        count_groups(node, ranks, &nodes, &runs);
        assert_int_equal(both->any.groups, nodes);
        assert_int_equal(both->ordered.groups, runs);
        check_grouping(&both->any, node, ranks, false);
        check_grouping(&both->ordered, node, ranks, true);
        free(both);
    }
}

static bool prove_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       void *context)
{
    struct summand__proof proof;
    size_t *proofs = context, one = 0;
    if (!summand__prove_placed(algorithm, call, (unsigned)*proofs * 977, &one, &proof))
        fail_msg("%s %s on %d ranks: %s", algorithm->name,
                 summand__collective_name(call->collective), call->ranks, proof.fault);
    *proofs += one;
    return true;
}

/* Every algorithm on uneven, cyclic and random nodes. */
TEST(proofs)
{
    static const int ranks[] = {3, 7, 12, 21};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
        for (int way = 0; way < SUMMAND__LAYOUTS; way++) {
            struct summand__groupings *both;
            assert_true(summand__layout(ranks[i], way, &both));
            for (int a = 0; both && summand__algorithms[a]; a++)
                for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++) {
                    size_t count = 0;
                    assert_true(summand__cases_on(summand__algorithms[a],
                                                  (enum summand__collective)c, both,
                                                  SUMMAND__FEW_CASES, prove_case, &count));
                    assert_true(count || !summand__algorithms[a]->build[c]);
                }
            free(both);
        }
}

static double time_of(struct summand__query *query, struct summand__choice *choice)
{
    assert_true(summand__choose(query, choice));
    return choice->seconds;
}

/* Ranks that may change places take the same time round-robin as in blocks. In rank order they
 * share their node's card, so no estimate is lower than on nodes of one rank each. */
TEST(choices)
{
    enum { RANKS = 96, NODES = 12 };
    int node[RANKS];
    struct summand__groupings *both;
    struct summand__choice a, b;
    for (int r = 0; r < RANKS; r++)
        node[r] = r % NODES;
    assert_true(summand__groupings_make(node, RANKS, NODES, &both));
    for (size_t bytes = 4; bytes <= 1 << 22; bytes *= 4) {
        struct summand__query blocks = {.collective = SUMMAND__COLL_ALLREDUCE,
                                        .ranks = RANKS,
                                        .node_size = RANKS / NODES,
                                        .bytes = bytes,
                                        .element = 4};
        struct summand__query cyclic = blocks, ordered = blocks, alone = blocks;
        cyclic.grouping = summand__grouping_for(both, false);
        assert_true(time_of(&blocks, &a) == time_of(&cyclic, &b));
        assert_ptr_equal(a.algorithm, b.algorithm);
        assert_memory_equal(a.parameter, b.parameter, sizeof a.parameter);
        ordered.grouping = summand__grouping_for(both, true);
        ordered.promises = alone.promises = SUMMAND__RANK_ORDER;
        ordered.node_size = alone.node_size = 1;
        assert_true(time_of(&ordered, &a) >= time_of(&alone, &b));
        assert_true(bytes < 65536 || a.seconds > 4 * b.seconds);
    }
    free(both);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Each part of a recorded call that differs is found, whichever of the two runs is named first. */
#include "cli/diff/diff.h"
#include "unit/unit.h"

static const struct record_call plain = {.name = "MPI_Allreduce",
                                         .count = 4,
                                         .type = "MPI_DOUBLE",
                                         .op = "MPI_SUM",
                                         .root = -1,
                                         .input = {true, 1},
                                         .result = {true, 2},
                                         .how = "ring",
                                         .site = "f+0x1"};

/* Another call, with one part changed; false: there are no more. */
static bool change(int part, struct record_call *call, enum difference *expected)
{
    static const enum difference kinds[] = {
        CALLS_DIFFER,  CALLS_DIFFER,  CALLS_DIFFER,  CALLS_DIFFER,   CALLS_DIFFER,
        CALLS_DIFFER,  INPUTS_DIFFER, INPUTS_DIFFER, RESULTS_DIFFER, RESULTS_DIFFER,
        INPUTS_DIFFER, SAME,          SAME,          SAME,           SAME};
    *call = plain;
    call->name = part == 0 ? "MPI_Reduce" : call->name;
    call->count += part == 1;
    call->type = part == 2 ? "MPI_FLOAT" : call->type;
    call->op = part == 3 ? "MPI_MAX" : part == 4 ? NULL : call->op;
    call->root = part == 5 ? 0 : call->root;
    call->input.there = part != 6 && part != 10;
    call->input.hash += part == 7;
    call->result.there = part != 8;
    call->result.hash += part == 9 || part == 10;
    call->how = part == 11 ? "mpi" : part == 12 ? NULL : call->how;
    call->site = part == 13 ? "f+0x2" : part == 14 ? NULL : call->site;
    if (part < 15)
        *expected = kinds[part];
    return part < 15;
}

TEST(test_calls)
{
    struct record_call other;
    enum difference expected;
    assert_int_equal(compare_calls(&plain, &plain), SAME);
    assert_int_equal(compare_calls(&plain, NULL), CALL_MISSING);
    assert_int_equal(compare_calls(NULL, &plain), CALL_MISSING);
    for (int part = 0; change(part, &other, &expected); part++) {
        assert_int_equal(compare_calls(&plain, &other), expected);
        assert_int_equal(compare_calls(&other, &plain), expected);
    }
    /* What neither has is equal, whatever stands in its place. */
    struct record_call none = plain, nothing = plain;
    none.result = (struct record_hashed){false, 7};
    nothing.result = (struct record_hashed){false, 8};
    assert_int_equal(compare_calls(&none, &nothing), SAME);
}

/* A record with these calls on one communicator. */
static struct rank_record record_of(struct kept_call *calls, int count, bool whole)
{
    static struct record_communicator world = {.size = 1, .group = 0xaa};
    static int order[] = {0, 1, 2, 3};
    for (int i = 0; i < count; i++)
        calls[i].call.number = i + 1;
    return (struct rank_record){.communicators = 1,
                                .communicator = &world,
                                .count = count,
                                .call = calls,
                                .order = order,
                                .whole = whole};
}

/* Records whose second call differs, or of which one has a call more. */
static void compare_both(const struct rank_record *a, const struct rank_record *b,
                         enum difference expected, long long alone)
{
    for (int turn = 0; turn < 2; turn++) {
        struct named_calls calls = {0};
        struct unmatched unmatched = {0};
        struct rank_difference d;
        compare_rank(turn ? b : a, turn ? a : b, &d, &calls, &unmatched);
        assert_int_equal(d.kind, expected);
        if (expected != SAME)
            assert_int_equal(d.first.number, expected == CALL_MISSING ? 3 : 2);
        assert_int_equal(d.compared, 2);
        assert_int_equal(d.inputs, expected == INPUTS_DIFFER);
        assert_int_equal(unmatched.calls[turn], alone);
        assert_int_equal(unmatched.calls[!turn], 0);
        assert_int_equal(d.beyond[turn], a->count - 2 - alone);
        named_calls_free(&calls);
        unmatched_free(&unmatched);
    }
}

TEST(test_ranks)
{
    struct kept_call mine[3] = {{.call = plain}, {.call = plain}, {.call = plain}};
    struct kept_call other[3] = {{.call = plain}, {.call = plain}, {.call = plain}};
    struct rank_record a = record_of(mine, 2, true), b = record_of(other, 2, true);
    enum difference expected;
    compare_both(&a, &b, SAME, 0);
    for (int part = 0; change(part, &other[1].call, &expected); part++) {
        other[1].call.number = 2;
        compare_both(&a, &b, expected, 0);
    }
    other[1].call = plain;
    b = record_of(other, 2, true);
    a = record_of(mine, 3, true);
    compare_both(&a, &b, CALL_MISSING, 1);
    b.whole = false; /* it may have had the call */
    compare_both(&a, &b, SAME, 0);
}

/* Which receives are joined with their reduce steps: each rule, held and broken. What joined
 * schedules do is seen where all algorithms run over shared memory (mpi/test_algorithms.c). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "algorithm/algorithm.h"
#include "lab/verify/cases.h"
#include "schedule/passes/defer.h"
#include "schedule/passes/fuse.h"

static const enum summand__place A = SUMMAND__SENDBUF, B = SUMMAND__RECVBUF, C = SUMMAND__SCRATCH;

enum { MOST = 16, FAR_PEER = 9 };

static bool near(const void *context, int peer)
{
    (void)context;
    return peer != FAR_PEER;
}

static struct summand__region at(enum summand__place place, size_t first)
{
    return summand__region(place, first, 4);
}

/* The positions, plus one, of the reduce and copy steps that the receive at `recv` is joined with,
 * as reduce + 100 * copy. */
static size_t joined(struct summand__schedule *schedule, size_t recv)
{
    struct summand__fused fused[MOST];
    assert_false(schedule->failed);
    summand__fuse(schedule, near, NULL, fused);
    for (size_t i = 0; i < schedule->length; i++)
        if (fused[i].reduce) {
            assert_true(fused[fused[i].reduce - 1].joined);
            assert_int_equal(schedule->steps[fused[i].reduce - 1].action, SUMMAND__REDUCE);
            if (fused[i].copy)
                assert_true(fused[fused[i].copy - 1].joined);
        }
    size_t result = fused[recv].reduce + 100 * fused[recv].copy;
    summand__schedule_free(schedule);
    return result;
}

/* What the tests begin with: 0 send from `out`, 1 receive to `in`, 2 the end of the round. */
static struct summand__schedule exchange(struct summand__region out, struct summand__region in)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__send(&schedule, 1, out);
    summand__recv(&schedule, 1, in);
    summand__round(&schedule);
    return schedule;
}

static void operands(void **state)
{
    (void)state;
    struct summand__schedule schedule = exchange(at(A, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* the left operand arrives */
    assert_int_equal(joined(&schedule, 1), 4);
    schedule = exchange(at(A, 0), at(B, 0));
    summand__reduce(&schedule, at(A, 0), at(B, 0)); /* the right one, in the result's place */
    assert_int_equal(joined(&schedule, 1), 4);
    schedule = exchange(at(B, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* the result's place is being sent */
    assert_int_equal(joined(&schedule, 1), 4);
    schedule = exchange(at(B, 2), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* a part of it is */
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = exchange(at(A, 0), at(C, 2));
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* other elements arrive */
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = exchange(at(A, 0), at(C, 0));
    summand__copy(&schedule, at(C, 8), at(B, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* something else comes first */
    assert_int_equal(joined(&schedule, 1), 0);
}

static void operand_is_read_again(void **state)
{
    (void)state;
    struct summand__schedule schedule = exchange(at(A, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    summand__copy(&schedule, at(C, 2), at(B, 8));
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = exchange(at(A, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    summand__copy(&schedule, at(A, 0), at(C, 0)); /* not before it is written */
    summand__copy(&schedule, at(C, 2), at(B, 8));
    assert_int_equal(joined(&schedule, 1), 4);
    schedule = exchange(at(A, 0), at(C, 0));
    summand__send(&schedule, 1, at(C, 0)); /* in the same round */
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = exchange(at(A, 0), at(B, 0)); /* it is part of the result */
    summand__reduce(&schedule, at(B, 0), at(B, 8));
    assert_int_equal(joined(&schedule, 1), 0);
}

static void other_peers(void **state)
{
    (void)state;
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__recv(&schedule, FAR_PEER, at(C, 0));
    summand__round(&schedule);
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* cannot be combined as it arrives */
    assert_int_equal(joined(&schedule, 0), 0);
    summand__schedule_init(&schedule);
    summand__recv(&schedule, 1, at(C, 0));
    summand__send(&schedule, FAR_PEER, at(B, 0));
    summand__round(&schedule);
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* a send that is not waited for */
    assert_int_equal(joined(&schedule, 0), 0);
}

/* 0, 1 receive; 3, 4 combine in the order given. */
static struct summand__schedule two(void)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__recv(&schedule, 1, at(C, 0));
    summand__recv(&schedule, 2, at(C, 8));
    summand__round(&schedule);
    return schedule;
}

static void order(void **state)
{
    (void)state;
    struct summand__schedule schedule = two();
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    summand__reduce(&schedule, at(C, 8), at(B, 0));
    assert_int_equal(joined(&schedule, 1), 5);
    schedule = two();
    summand__reduce(&schedule, at(C, 8), at(B, 0)); /* the later receive comes first */
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    assert_int_equal(joined(&schedule, 0), 0);
    schedule = two();
    summand__reduce(&schedule, at(A, 0), at(C, 0)); /* the value moves on */
    summand__reduce(&schedule, at(C, 0), at(C, 8));
    assert_int_equal(joined(&schedule, 1), 5);
    schedule = two();
    summand__reduce(&schedule, at(C, 8), at(C, 0)); /* the result's place is being received */
    assert_int_equal(joined(&schedule, 1), 0);
}

static void copies(void **state)
{
    (void)state;
    for (int broken = 0; broken < 3; broken++) {
        struct summand__schedule schedule;
        summand__schedule_init(&schedule);
        summand__recv(&schedule, 1, at(C, 0));
        summand__copy(&schedule, broken == 1 ? at(C, 8) : at(A, 0), at(B, 0));
        if (broken == 2)
            summand__copy(&schedule, at(B, 0), at(C, 16)); /* the copy is read */
        summand__round(&schedule);
        summand__reduce(&schedule, at(C, 0), at(B, 0));
        size_t reduce = schedule.length;
        assert_int_equal(joined(&schedule, 0), reduce + (broken ? 0 : 200));
    }
}

/* All algorithms: nothing is joined twice, and a quarter of what is combined is joined (direct: 92
 * of 320 of 5 ranks, the least). */
static bool count(const struct summand__algorithm *algorithm, const struct summand__call *shape,
                  void *context)
{
    struct summand__call call = *shape;
    struct summand__schedule schedule, deferred;
    size_t *totals = context;
    for (call.rank = 0; call.rank < call.ranks; call.rank++) {
        assert_true(summand__build(algorithm, &call, &schedule));
        summand__defer(&schedule, near, NULL, &deferred);
        assert_false(deferred.failed);
        assert_int_equal(deferred.length, schedule.length);
        struct summand__fused *fused = calloc(schedule.length + 1, sizeof *fused);
        size_t receives = 0, reduces = 0;
        summand__fuse(&deferred, near, NULL, fused);
        for (size_t i = 0; i < schedule.length; i++) {
            receives += fused[i].reduce > 0;
            reduces += fused[i].joined && deferred.steps[i].action == SUMMAND__REDUCE;
            totals[0] += deferred.steps[i].action == SUMMAND__REDUCE;
        }
        assert_int_equal(receives, reduces);
        totals[1] += reduces;
        free(fused);
        summand__schedule_free(&deferred);
        summand__schedule_free(&schedule);
    }
    return true;
}

/* 0: a message that is late by `lag` rounds, of the place where the result will be; 2: the operand
 * arrives in the round after, in which the other one may be under way still. */
static struct summand__schedule beside_late(bool sent, unsigned lag)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    if (sent)
        summand__send_late(&schedule, 1, at(B, 0), lag);
    else
        summand__recv_late(&schedule, 1, at(B, 0), lag);
    summand__round(&schedule);
    summand__recv(&schedule, 2, at(C, 0));
    summand__round(&schedule);
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    return schedule;
}

static void late_messages(void **state)
{
    (void)state;
    for (int sent = 0; sent < 2; sent++) {
        struct summand__schedule through = beside_late(sent, 0), under_way = beside_late(sent, 1);
        assert_int_equal(joined(&through, 2), 5);
        assert_int_equal(joined(&under_way, 2), 0);
    }
}

static void algorithms(void **state)
{
    (void)state;
    for (int i = 0; summand__algorithms[i]; i++)
        for (int ranks = 2; ranks <= 5; ranks += 3) {
            size_t totals[2] = {0, 0};
            for (int c = 0; c < SUMMAND__COLLECTIVES; c++)
                summand__cases(summand__algorithms[i], (enum summand__collective)c, ranks,
                               SUMMAND__FEW_CASES, count, totals);
            if (totals[1] * 4 <= totals[0] && totals[0])
                fail_msg("%s, %d ranks: %zu of %zu joined", summand__algorithms[i]->name, ranks,
                         totals[1], totals[0]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands),    cmocka_unit_test(operand_is_read_again),
        cmocka_unit_test(other_peers), cmocka_unit_test(order),
        cmocka_unit_test(copies),      cmocka_unit_test(late_messages),
        cmocka_unit_test(algorithms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

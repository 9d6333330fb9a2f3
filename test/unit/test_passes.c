/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes over schedules: which receives combine, each rule, kept and violated; messages before
 * local steps; receives that complete later, in their last rounds. The resulting schedules are
 * proved in test_placed.c, and run over shared memory for all algorithms in mpi/test_algorithms.c.
 * */
#include "algorithm/algorithm.h"
#include "lab/verify/cases.h"
#include "schedule/passes/passes.h"
#include "unit/unit.h"

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

static const struct summand__abilities abilities = {near, NULL, true};

/* The fate of the receive at `recv`: 0 if it does not combine. Else 1, plus 10 if the incoming data
 * is the left operand, plus 100 if the copy before it is gone too. */
static size_t joined(struct summand__schedule *schedule, size_t recv)
{
    size_t length = schedule->length;
    assert_false(schedule->failed);
    assert_true(summand__recv_reduce(schedule, &abilities));
    const struct summand__step *step = &schedule->steps[recv];
    bool combines = step->action == SUMMAND__RECV_REDUCE;
    bool copied =
        combines && step->with.place == SUMMAND__SENDBUF && step->flags & SUMMAND__STEP_LEFT;
    size_t result = 0;
    if (combines)
        result = 1 + (step->flags & SUMMAND__STEP_LEFT ? 10 : 0) + (copied ? 100 : 0);
    size_t combining = 0;
    for (size_t i = 0; i < schedule->length; i++)
        combining += schedule->steps[i].action == SUMMAND__RECV_REDUCE;
    assert_int_equal(schedule->length + combining + copied, length);
    summand__schedule_free(schedule);
    return result;
}

/* The common beginning: 0 send from `out`, 1 receive to `in`, 2 the end of the round. */
static struct summand__schedule exchange(struct summand__region out, struct summand__region in)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__send(&schedule, 1, out);
    summand__recv(&schedule, 1, in);
    summand__round(&schedule);
    return schedule;
}

TEST(operands)
{
    struct summand__schedule schedule = exchange(at(A, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* the left operand arrives */
    assert_int_equal(joined(&schedule, 1), 11);
    schedule = exchange(at(A, 0), at(B, 0));
    summand__reduce(&schedule, at(A, 0), at(B, 0)); /* the right one, in the result's place */
    assert_int_equal(joined(&schedule, 1), 1);
    schedule = exchange(at(B, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0)); /* the result's place is being sent */
    assert_int_equal(joined(&schedule, 1), 11);
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

TEST(operand_is_read_again)
{
    struct summand__schedule schedule = exchange(at(A, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    summand__copy(&schedule, at(C, 2), at(B, 8));
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = exchange(at(A, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    summand__copy(&schedule, at(A, 0), at(C, 0)); /* not before it is written */
    summand__copy(&schedule, at(C, 2), at(B, 8));
    assert_int_equal(joined(&schedule, 1), 11);
    schedule = exchange(at(A, 0), at(C, 0));
    summand__send(&schedule, 1, at(C, 0)); /* in the same round */
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = exchange(at(A, 0), at(B, 0)); /* it is part of the result */
    summand__reduce(&schedule, at(B, 0), at(B, 8));
    assert_int_equal(joined(&schedule, 1), 0);
}

/* A later write must cover the whole operand. Otherwise the operand is still read: if a copy or
 * receive writes a part at either end. A write of more than the operand is allowed. */
TEST(operand_is_written_in_part)
{
    static const struct {
        size_t first, count, result;
    } writes[] = {{2, 4, 0}, {6, 4, 0}, {4, 3, 0}, {5, 3, 0}, {4, 4, 11}, {3, 6, 11}};
    for (size_t i = 0; i < sizeof writes / sizeof *writes; i++)
        for (int received = 0; received < 2; received++) {
            struct summand__region anew = summand__region(C, writes[i].first, writes[i].count);
            struct summand__schedule schedule = exchange(at(A, 0), at(C, 4));
            summand__reduce(&schedule, at(C, 4), at(B, 0));
            if (received)
                summand__recv(&schedule, FAR_PEER, anew);
            else
                summand__copy(&schedule, summand__region(A, 0, anew.count), anew);
            summand__round(&schedule);
            summand__copy(&schedule, at(C, 4), at(B, 8));
            assert_int_equal(joined(&schedule, 1), writes[i].result);
        }
}

TEST(other_peers)
{
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

/* Steps 0 and 1 receive; 3 and 4 combine in the given order. */
static struct summand__schedule two(void)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__recv(&schedule, 1, at(C, 0));
    summand__recv(&schedule, 2, at(C, 8));
    summand__round(&schedule);
    return schedule;
}

TEST(order)
{
    struct summand__schedule schedule = two();
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    summand__reduce(&schedule, at(C, 8), at(B, 0));
    assert_int_equal(joined(&schedule, 1), 11);
    schedule = two();
    summand__reduce(&schedule, at(C, 8), at(B, 0)); /* the later receive comes first */
    summand__reduce(&schedule, at(C, 0), at(B, 0));
    assert_int_equal(joined(&schedule, 0), 0);
    schedule = two();
    summand__reduce(&schedule, at(A, 0), at(C, 0)); /* the value moves on */
    summand__reduce(&schedule, at(C, 0), at(C, 8));
    assert_int_equal(joined(&schedule, 1), 1);
    schedule = two();
    summand__reduce(&schedule, at(C, 8), at(C, 0)); /* the result's place is being received */
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = two();
    summand__reduce(&schedule, at(A, 0), at(C, 0)); /* the result of this combining receive ... */
    summand__reduce(&schedule, at(C, 2), at(C, 8)); /* is a part of the operand */
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = two();
    summand__reduce(&schedule, at(A, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 8), at(C, 2)); /* or of the result */
    assert_int_equal(joined(&schedule, 1), 0);
    schedule = two();
    summand__reduce(&schedule, at(A, 0), at(C, 0));
    summand__reduce(&schedule, at(C, 8), at(C, 0)); /* all of it: in this order */
    assert_int_equal(joined(&schedule, 1), 11);
}

TEST(copies)
{
    for (int broken = 0; broken < 3; broken++) {
        struct summand__schedule schedule;
        summand__schedule_init(&schedule);
        summand__recv(&schedule, 1, at(C, 0));
        summand__copy(&schedule, broken == 1 ? at(C, 8) : at(A, 0), at(B, 0));
        if (broken == 2)
            summand__copy(&schedule, at(B, 0), at(C, 16)); /* the copy is read */
        summand__round(&schedule);
        summand__reduce(&schedule, at(C, 0), at(B, 0));
        assert_int_equal(joined(&schedule, 0), broken ? 11 : 111);
    }
}

static size_t number(const struct summand__schedule *schedule, enum summand__action action)
{
    size_t all = 0;
    for (size_t i = 0; i < schedule->length; i++)
        all += schedule->steps[i].action == action;
    return all;
}

/* Per peer and direction: the number of messages, and a hash of their order and lengths. */
static void messages_of(const struct summand__schedule *schedule, size_t *all, size_t *hash)
{
    for (size_t i = 0; i < schedule->length; i++) {
        const struct summand__step *step = &schedule->steps[i];
        if (!summand__is_message(step))
            continue;
        size_t way = 2 * (size_t)step->peer + (step->action == SUMMAND__SEND);
        struct summand__region region =
            step->action == SUMMAND__SEND ? step->from : summand__arrives(step);
        hash[way] = hash[way] * 31 + region.count + 7 * region.first;
        all[way]++;
    }
}

/* All algorithms: each receive that combines replaces one reduce step, the order per peer stays,
 * and at least a quarter of all reductions happen on arrival (the least: direct on 5 ranks, 92 of
 * 320). */
static bool count(const struct summand__algorithm *algorithm, const struct summand__call *shape,
                  void *context)
{
    struct summand__call call = *shape;
    struct summand__schedule schedule;
    size_t *totals = context;
    for (call.rank = 0; call.rank < call.ranks; call.rank++) {
        size_t all[2][2 * MOST] = {{0}}, hash[2][2 * MOST] = {{0}};
        assert_true(summand__build(algorithm, &call, &schedule));
        messages_of(&schedule, all[0], hash[0]);
        size_t reduces = number(&schedule, SUMMAND__REDUCE);
        size_t rounds = number(&schedule, SUMMAND__ROUND);
        assert_true(summand__passes(&schedule, &abilities));
        messages_of(&schedule, all[1], hash[1]);
        assert_memory_equal(all[0], all[1], sizeof all[0]);
        assert_memory_equal(hash[0], hash[1], sizeof hash[0]);
        size_t combining = number(&schedule, SUMMAND__RECV_REDUCE);
        assert_int_equal(number(&schedule, SUMMAND__REDUCE) + combining, reduces);
        assert_int_equal(number(&schedule, SUMMAND__ROUND), rounds);
        for (size_t i = 0; i < schedule.length; i++)
            assert_true(!summand__receives(&schedule.steps[i]) || !schedule.steps[i].lag);
        totals[0] += reduces;
        totals[1] += combining;
        summand__schedule_free(&schedule);
    }
    return true;
}

TEST(hoisted)
{
    static const enum summand__action want[] = {SUMMAND__SEND,   SUMMAND__RECV,  SUMMAND__COPY,
                                                SUMMAND__REDUCE, SUMMAND__ROUND, SUMMAND__SEND,
                                                SUMMAND__COPY};
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__copy(&schedule, at(A, 0), at(B, 0));
    summand__send(&schedule, 1, at(A, 0));
    summand__reduce(&schedule, at(C, 0), at(C, 4));
    summand__recv(&schedule, 1, at(C, 8));
    summand__round(&schedule);
    summand__send(&schedule, 1, at(A, 0));
    summand__copy(&schedule, at(A, 0), at(B, 0));
    assert_true(summand__hoist(&schedule));
    assert_int_equal(schedule.length, sizeof want / sizeof *want);
    for (size_t i = 0; i < schedule.length; i++)
        assert_int_equal(schedule.steps[i].action, want[i]);
    summand__schedule_free(&schedule);
}

/* Sends go before receives from peers that combine, and both keep their order; not if the
 * neighbours of a multicast identify it. */
TEST(sent_first)
{
    static const struct {
        enum summand__action action;
        size_t first;
    } want[] = {{SUMMAND__RECV, 4}, {SUMMAND__SEND, 0}, {SUMMAND__SEND, 1},  {SUMMAND__RECV, 0},
                {SUMMAND__RECV, 8}, {SUMMAND__COPY, 0}, {SUMMAND__ROUND, 0}, {SUMMAND__RECV, 12}};
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__recv(&schedule, 1, at(C, 0));
    summand__recv(&schedule, FAR_PEER, at(C, 4));
    summand__send(&schedule, 1, at(A, 0));
    summand__recv(&schedule, 1, at(C, 8));
    summand__send(&schedule, 1, at(A, 1));
    summand__copy(&schedule, at(A, 0), at(B, 0));
    summand__round(&schedule);
    summand__recv(&schedule, 1, at(C, 12));
    summand__multicast(&schedule, 1, at(A, 0));
    assert_true(summand__sends_first(&schedule, &abilities));
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const struct summand__step *step = &schedule.steps[i];
        assert_int_equal(step->action, want[i].action);
        if (step->action != SUMMAND__ROUND)
            assert_int_equal(summand__receives(step) ? step->to.first : step->from.first,
                             want[i].first);
    }
    summand__schedule_free(&schedule);
}

/* A later-completing receive from a peer that combines moves to the start of its last round; others
 * stay. */
TEST(deferred)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    summand__recv_late(&schedule, 1, at(C, 0), 2);
    summand__recv_late(&schedule, FAR_PEER, at(C, 4), 2);
    summand__round(&schedule);
    summand__send_late(&schedule, 1, at(A, 0), 1);
    summand__round(&schedule);
    summand__send(&schedule, 1, at(A, 0));
    summand__drain(&schedule);
    size_t length = schedule.length;
    assert_true(summand__defer(&schedule, &abilities));
    assert_int_equal(schedule.length, length);
    assert_int_equal(schedule.steps[0].peer, FAR_PEER);
    assert_int_equal(schedule.steps[0].lag, 2);
    assert_int_equal(schedule.steps[2].lag, 1);
    assert_int_equal(schedule.steps[4].action, SUMMAND__RECV);
    assert_int_equal(schedule.steps[4].lag, 0);
    assert_int_equal(schedule.steps[5].action, SUMMAND__SEND);
    summand__schedule_free(&schedule);
}

/* Among receives from one peer, those of earlier rounds are posted first. */
TEST(deferred_in_order)
{
    struct summand__schedule schedule;
    summand__schedule_init(&schedule);
    for (unsigned lag = 3; lag > 0; lag--) {
        summand__recv_late(&schedule, 1, at(C, 4 * (size_t)lag), lag);
        summand__round(&schedule);
    }
    summand__recv(&schedule, 1, at(C, 0));
    summand__round(&schedule);
    assert_true(summand__defer(&schedule, &abilities));
    assert_false(schedule.failed);
    assert_int_equal(schedule.length, 8);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(schedule.steps[3 + i].action, SUMMAND__RECV);
        assert_int_equal(schedule.steps[3 + i].to.first, 4 * (3 - i));
    }
    summand__schedule_free(&schedule);
}

/* Step 0: a message that completes `lag` rounds later and uses the result's place. Step 2: the
 * operand arrives in the next round, during which message 0 may still be under way. */
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

TEST(late_messages)
{
    for (int sent = 0; sent < 2; sent++) {
        struct summand__schedule through = beside_late(sent, 0), under_way = beside_late(sent, 1);
        assert_int_equal(joined(&through, 2), 11);
        assert_int_equal(joined(&under_way, 2), 0);
    }
}

TEST(algorithms)
{
    for (int i = 0; summand__algorithms[i]; i++)
        for (int ranks = 2; ranks <= 5; ranks += 3) {
            size_t totals[2] = {0, 0};
            for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
                summand__cases(summand__algorithms[i], (enum summand__collective)c, ranks,
                               SUMMAND__FEW_CASES, count, totals);
            if (totals[1] * 4 <= totals[0] && totals[0])
                fail_msg("%s, %d ranks: %zu of %zu joined", summand__algorithms[i]->name, ranks,
                         totals[1], totals[0]);
        }
}

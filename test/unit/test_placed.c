/* SPDX-License-Identifier: BSD-3-Clause */
/* The schedules for ranks that share memory (later-completing receives in their last rounds,
 * receives that combine) are proved for many placements of ranks on nodes. Receives that must not
 * combine are caught: hand-made schedules that passes/passes.h would not produce. test_mutation.c
 * breaks the results of the passes. */
#include "algorithm/call.h"
#include "lab/verify/cases.h"
#include "lab/verify/placements.h"
#include "lab/verify/prove.h"
#include "unit/unit.h"

enum { COUNT = 4 };

struct tally {
    size_t cases, proofs;
};

static bool prove_case(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       void *context)
{
    struct tally *tally = context;
    struct summand__proof proof;
    if (!summand__prove_placed(algorithm, call, (unsigned)tally->cases++, &tally->proofs, &proof))
        fail_msg("%s %s: %d ranks, root %d, count %zu, segment %zu%s: %s", algorithm->name,
                 summand__collective_name(call->collective), call->ranks, call->root, call->count,
                 call->parameter[SUMMAND__SEGMENT], call->in_place ? ", in place" : "",
                 proof.fault);
    return true;
}

TEST(every_algorithm)
{
    static const int ranks[] = {1, 2, 3, 4, 5, 6, 7, 8, 13, 17, 33};
    struct tally tally = {0, 0};
    for (int i = 0; summand__algorithms[i]; i++)
        for (int c = 0; c < SUMMAND__MPI_COLLECTIVES; c++)
            for (size_t p = 0; p < sizeof ranks / sizeof *ranks; p++)
                assert_true(summand__cases(
                    summand__algorithms[i], (enum summand__collective)c, ranks[p],
                    ranks[p] < 8 ? SUMMAND__MANY_CASES : SUMMAND__FEW_CASES, prove_case, &tally));
    print_message("%zu calls, %zu proofs\n", tally.cases, tally.proofs);
    assert_true(tally.proofs > 3 * tally.cases);
}

/* Bell numbers, without the partition in which each rank is alone; beyond a limit, the number of
 * kinds. */
TEST(placements)
{
    static const size_t want[] = {0, 0, 1, 4, 14, 51, 202, 3, 3};
    for (int ranks = 1; ranks <= 8; ranks++) {
        struct summand__placements all = {ranks, 3, 0};
        size_t found = 0;
        for (int node[8]; summand__placements_next(&all, node); found++)
            for (int r = 0; r < ranks; r++)
                assert_true(node[r] >= 0 && node[r] < ranks);
        assert_int_equal(found, want[ranks]);
    }
}

/* By hand: rank 0 copies its operand to the result, then receives and combines rank 1's while it
 * sends `out`; further steps follow. */
static const struct summand__region A = {SUMMAND__SENDBUF, 0, COUNT},
                                    B = {SUMMAND__RECVBUF, 0, COUNT},
                                    C = {SUMMAND__SCRATCH, 0, COUNT},
                                    D = {SUMMAND__SCRATCH, COUNT, COUNT};
static const int together[] = {0, 0, 0}, apart[] = {0, 1, 2};

/* The regions that the test's schedules send. */
static struct summand__cost cost;

static struct summand__cost by_hand_cost(const struct summand__algorithm *algorithm,
                                         const struct summand__call *call, bool depth)
{
    (void)algorithm, (void)call, (void)depth;
    return cost;
}

static const struct summand__algorithm by_hand = {.name = "by hand", .cost = by_hand_cost};

/* Makes the last receive of a schedule combine. */
static void combine(struct summand__schedule *schedule, struct summand__region with,
                    struct summand__region to, bool left)
{
    struct summand__step *step = &schedule->steps[schedule->length - 1];
    assert_int_equal(step->action, SUMMAND__RECV);
    step->action = SUMMAND__RECV_REDUCE;
    step->flags |= left ? SUMMAND__STEP_LEFT : 0;
    step->from = step->to;
    step->with = with;
    step->to = to;
}

static void init(struct summand__schedule *schedules, int ranks)
{
    for (int r = 0; r < ranks; r++)
        summand__schedule_init(&schedules[r]);
}

static void start(struct summand__schedule *schedules, struct summand__region out)
{
    init(schedules, 2);
    struct summand__schedule *root = &schedules[0], *other = &schedules[1];
    summand__copy(root, A, B);
    summand__round(root);
    summand__recv(root, 1, C);
    combine(root, B, B, true);
    summand__send(root, 1, out);
    summand__send(other, 0, A);
    summand__recv(other, 0, summand__region(SUMMAND__SCRATCH, 0, out.count));
}

/* What is wrong, or "". */
static const char *outcome(struct summand__schedule *schedules, int ranks, const int *node)
{
    static struct summand__proof proof;
    const struct summand__call call = {
        .collective = SUMMAND__COLL_REDUCE, .ranks = ranks, .count = COUNT};
    cost = (struct summand__cost){0};
    for (int r = 0; r < ranks; r++)
        for (size_t i = 0; i < schedules[r].length; i++)
            if (schedules[r].steps[i].action == SUMMAND__SEND) {
                cost.messages++;
                cost.elements += schedules[r].steps[i].from.count;
            }
    summand__prove_schedules(&by_hand, &call, node, schedules, &proof);
    for (int r = 0; r < ranks; r++)
        summand__schedule_free(&schedules[r]);
    return proof.fault;
}

static void refused(struct summand__schedule *schedules, int ranks, const int *node,
                    const char *why)
{
    const char *fault = outcome(schedules, ranks, node);
    if (!strstr(fault, why))
        fail_msg("\"%s\" instead of: %s", fault, why);
}

TEST(right)
{
    struct summand__schedule schedules[2];
    start(schedules, B);
    assert_string_equal(outcome(schedules, 2, together), "");
    start(schedules, A);
    summand__round(&schedules[0]);
    assert_string_equal(outcome(schedules, 2, together), "");
}

TEST(far_peer)
{
    struct summand__schedule schedules[2];
    start(schedules, A);
    refused(schedules, 2, apart, "receives and combines a message that does not combine");
    start(schedules, A);
    refused(schedules, 2, NULL, "receives and combines a message that does not combine");
}

TEST(result_is_sent)
{
    struct summand__schedule schedules[3];
    start(schedules, summand__region(SUMMAND__RECVBUF, 1, COUNT - 1)); /* a part of it */
    refused(schedules, 2, together, "share recvbuf");
    init(schedules, 3); /* to a rank that does not combine */
    summand__copy(&schedules[0], A, B);
    summand__round(&schedules[0]);
    summand__recv(&schedules[0], 1, C);
    combine(&schedules[0], B, B, true);
    summand__send(&schedules[0], 2, B);
    summand__send(&schedules[1], 0, A);
    summand__recv(&schedules[2], 0, C);
    refused(schedules, 3, (const int[]){0, 0, 1}, "share recvbuf");
    start(schedules, B); /* the message arrives there */
    schedules[0].steps[2].from = B;
    schedules[0].steps[2].with = A;
    refused(schedules, 2, together, "share recvbuf");
}

TEST(operand_is_read_again)
{
    struct summand__schedule schedules[2];
    start(schedules, A);
    summand__round(&schedules[0]);
    summand__copy(&schedules[0], C, D);
    refused(schedules, 2, together, "rank 0 reads scratch[0] before it is written");
}

TEST(result_is_received)
{
    struct summand__schedule schedules[2];
    start(schedules, A);
    summand__recv(&schedules[0], 1, B);
    summand__send(&schedules[1], 0, A);
    refused(schedules, 2, together, "share recvbuf");
}

/* A receive that combines, behind this one, makes its operand. */
TEST(wrong_order)
{
    struct summand__schedule schedules[3];
    for (int wrong = 0; wrong < 2; wrong++) {
        init(schedules, 3);
        summand__recv(&schedules[0], 1 + wrong, C);
        combine(&schedules[0], wrong ? B : A, B, true);
        summand__recv(&schedules[0], 2 - wrong, D);
        combine(&schedules[0], wrong ? A : B, B, true);
        summand__send(&schedules[1], 0, A);
        summand__send(&schedules[2], 0, A);
        if (wrong)
            refused(schedules, 3, together, "rank 0 reads recvbuf[0] before it is written");
        else
            assert_string_equal(outcome(schedules, 3, together), "");
    }
}

/* A message goes to the place of an earlier one that was combined: it would overwrite it. */
TEST(received_over_result)
{
    struct summand__schedule schedules[3];
    init(schedules, 3);
    summand__recv(&schedules[0], 1, C);
    combine(&schedules[0], A, B, true);
    summand__recv(&schedules[0], 2, B);
    combine(&schedules[0], A, B, false);
    summand__send(&schedules[1], 0, A);
    summand__send(&schedules[2], 0, A);
    refused(schedules, 3, together, "share recvbuf");
}

/* A step of the round in which the result is sent writes it. */
TEST(written_while_sent)
{
    struct summand__schedule schedules[2];
    init(schedules, 2);
    summand__copy(&schedules[0], A, B);
    summand__send(&schedules[0], 1, B);
    summand__recv(&schedules[0], 1, C);
    combine(&schedules[0], B, B, true);
    summand__send(&schedules[1], 0, A);
    summand__recv(&schedules[1], 0, C);
    refused(schedules, 2, together, "share recvbuf");
}

TEST(unequal)
{
    struct summand__schedule schedules[2];
    start(schedules, A);
    schedules[0].steps[2].with.count--;
    refused(schedules, 2, together, "of unequal regions");
    start(schedules, A);
    schedules[0].steps[2].lag = 1;
    refused(schedules, 2, together, "which is late");
}

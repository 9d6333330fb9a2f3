/* SPDX-License-Identifier: BSD-3-Clause */
/* The prover itself: handwritten schedules, correct ones and ones broken in each way that it must
 * detect. */
#include "algorithm/call.h"
#include "lab/verify/prove.h"
#include "unit/unit.h"

enum { RANKS = 3, COUNT = 2 };

/* Rank 0 receives from rank 1, then from rank 2, and combines in rank order. */
static struct summand__cost by_hand_cost(const struct summand__algorithm *algorithm,
                                         const struct summand__call *call, bool depth)
{
    (void)algorithm, (void)call, (void)depth;
    return (struct summand__cost){.messages = 2, .elements = 2 * COUNT, .depth = 2};
}

static void not_built(const struct summand__algorithm *algorithm, const struct summand__call *call,
                      struct summand__schedule *schedule)
{
    (void)algorithm, (void)call, (void)schedule;
}

static const struct summand__algorithm by_hand = {
    .name = "by hand",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS,
    .build = {[SUMMAND__COLL_REDUCE] = not_built},
    .cost = by_hand_cost,
};

static struct summand__region sendbuf, recvbuf, first, second;
static struct summand__schedule schedules[RANKS], *const root = schedules;

static void start(void)
{
    sendbuf = summand__region(SUMMAND__SENDBUF, 0, COUNT);
    recvbuf = summand__region(SUMMAND__RECVBUF, 0, COUNT);
    first = summand__region(SUMMAND__SCRATCH, 0, COUNT);
    second = summand__region(SUMMAND__SCRATCH, COUNT, COUNT);
    for (int r = 0; r < RANKS; r++)
        summand__schedule_init(&schedules[r]);
    for (int r = 1; r < RANKS; r++)
        summand__send(&schedules[r], 0, sendbuf);
}

/* The same with late sends. */
static void start_late(void)
{
    start();
    for (int r = 1; r < RANKS; r++) {
        summand__schedule_free(&schedules[r]);
        summand__schedule_init(&schedules[r]);
        summand__send_late(&schedules[r], 0, sendbuf, 2);
        summand__drain(&schedules[r]);
    }
}

/* Ends the test's schedules; returns true if they prove, else `proof` says what is wrong. */
static bool prove(struct summand__proof *proof)
{
    const struct summand__call call = {
        .collective = SUMMAND__COLL_REDUCE, .ranks = RANKS, .count = COUNT};
    bool good = summand__prove_schedules(&by_hand, &call, NULL, schedules, proof);
    for (int r = 0; r < RANKS; r++)
        summand__schedule_free(&schedules[r]);
    return good;
}

static void refused(const char *why)
{
    struct summand__proof proof;
    if (prove(&proof))
        fail_msg("proved, in spite of: %s", why);
    if (!strstr(proof.fault, why))
        fail_msg("\"%s\" instead of: %s", proof.fault, why);
}

static void receive(int peer, struct summand__region to)
{
    summand__recv(root, peer, to);
    summand__round(root);
}

TEST(right)
{
    struct summand__proof proof;
    start();
    receive(1, first);
    summand__reduce(root, sendbuf, first);
    summand__round(root);
    receive(2, recvbuf);
    summand__reduce(root, first, recvbuf);
    assert_true(prove(&proof));
    assert_int_equal(proof.counted.messages, 2);
    assert_int_equal(proof.counted.elements, 4);
    assert_int_equal(proof.counted.depth, 2);
}

/* Later-completing messages: rank 0 keeps each of its receives open for two rounds. */
TEST(right_late)
{
    struct summand__proof proof;
    start_late();
    summand__recv_late(root, 1, first, 1);
    summand__round(root);
    summand__round(root);
    summand__reduce(root, sendbuf, first);
    summand__round(root);
    summand__recv_late(root, 2, recvbuf, 1);
    summand__drain(root);
    summand__reduce(root, first, recvbuf);
    assert_true(prove(&proof));
    assert_int_equal(proof.counted.depth, 2);
}

/* A transport may rely on this: a receive that completes in its round never meets a send that
 * completes later. */
TEST(late_at_one_end)
{
    start();
    summand__recv_late(root, 1, first, 1);
    summand__drain(root);
    refused("rank 1's message to rank 0 is late at one end only");
    start_late();
    receive(1, first);
    refused("rank 1's message to rank 0 is late at one end only");
}

TEST(late_and_not_waited_for)
{
    start();
    summand__recv_late(root, 1, first, 1);
    summand__round(root);
    summand__reduce(root, sendbuf, first);
    summand__drain(root);
    refused("of a round that is not over share scratch");
    start();
    summand__recv_late(root, 1, first, 2);
    summand__round(root);
    refused("rank 0 ends before its late messages");
}

TEST(late_send_overwritten)
{
    struct summand__schedule *sender = &schedules[1];
    start();
    summand__copy(sender, sendbuf, first);
    summand__round(sender);
    summand__send_late(sender, 0, first, 2);
    summand__round(sender);
    summand__copy(sender, sendbuf, second);
    summand__round(sender);
    summand__copy(sender, sendbuf, first);
    summand__drain(sender);
    receive(1, second);
    receive(1, first);
    refused("rank 1: steps 3 (send) and 7 (copy) of a round that is not over");
}

TEST(overtaken)
{
    start();
    summand__recv_late(root, 1, first, 2);
    summand__round(root);
    summand__recv(root, 1, second);
    summand__drain(root);
    refused("step 2 (recv) may overtake step 0");
}

/* Rank 1 reaches the step for which rank 2 waits only after rank 0 has posted its later-completing
 * receive. */
TEST(late_receive_relied_on)
{
    start();
    for (int r = 1; r < RANKS; r++)
        summand__schedule_free(&schedules[r]);
    summand__recv_late(&schedules[0], 1, first, 1);
    summand__recv(&schedules[0], 2, second);
    summand__drain(&schedules[0]);
    summand__send(&schedules[1], 0, sendbuf);
    summand__round(&schedules[1]);
    summand__send(&schedules[1], 2, sendbuf);
    summand__recv(&schedules[2], 1, first);
    summand__round(&schedules[2]);
    summand__send(&schedules[2], 0, sendbuf);
    refused("deadlock: rank 0");
}

TEST(wrong_order)
{
    start();
    receive(2, first);
    summand__reduce(root, sendbuf, first);
    summand__round(root);
    receive(1, recvbuf);
    summand__reduce(root, first, recvbuf);
    refused("not combined in rank order");
}

TEST(lost_contribution)
{
    start();
    receive(1, recvbuf);
    receive(2, first);
    summand__reduce(root, sendbuf, recvbuf);
    refused("lacks the contribution of rank 2");
}

TEST(double_contribution)
{
    start();
    receive(1, first);
    summand__reduce(root, sendbuf, first);
    summand__round(root);
    receive(2, recvbuf);
    summand__reduce(root, first, recvbuf);
    summand__reduce(root, sendbuf, recvbuf);
    refused("contribution of rank 0 is counted twice");
}

/* Two ranks that first send to each other and then receive: this works only if the MPI buffers. */
TEST(deadlock)
{
    start();
    summand__send(root, 1, sendbuf);
    summand__round(root);
    receive(1, first);
    receive(2, recvbuf);
    summand__round(&schedules[1]);
    summand__recv(&schedules[1], 0, first);
    refused("deadlock");
}

TEST(overlapping_buffers)
{
    start();
    summand__recv(root, 1, first);
    summand__recv(root, 2, summand__region(SUMMAND__SCRATCH, 1, COUNT));
    refused("of one round share scratch");
}

/* The operand is combined in the round in which it arrives. */
TEST(too_early)
{
    start();
    summand__recv(root, 1, first);
    summand__reduce(root, sendbuf, first);
    summand__round(root);
    receive(2, recvbuf);
    summand__reduce(root, first, recvbuf);
    refused("of one round share scratch");
}

TEST(read_before_write)
{
    start();
    summand__reduce(root, second, first);
    refused("before it is written");
}

TEST(writes_sendbuf)
{
    start();
    receive(1, sendbuf);
    refused("writes sendbuf");
}

/* recvbuf is significant only at the root. */
TEST(insignificant_recvbuf)
{
    start();
    receive(1, first);
    summand__round(&schedules[1]);
    summand__copy(&schedules[1], sendbuf, recvbuf);
    refused("is outside of recvbuf");
}

TEST(unequal_lengths)
{
    start();
    receive(1, summand__region(SUMMAND__SCRATCH, 0, 1));
    refused("rank 1 sends 2 elements, rank 0 expects 1");
}

TEST(never_written)
{
    start();
    receive(1, first);
    receive(2, second);
    refused("is never written");
}

TEST(other_cost)
{
    start();
    summand__recv(root, 1, first);
    summand__recv(root, 2, recvbuf);
    summand__round(root);
    summand__reduce(root, first, recvbuf);
    summand__reduce(root, sendbuf, recvbuf);
    refused("depth 1, formula says 2");
}

/* An algorithm of ceil(log2 p) rounds, and one with the least volume, must both give the canonical
 * bracketing, for reduce and all-reduce. */
TEST(canonical_set)
{
    for (int c = SUMMAND__COLL_REDUCE; c <= SUMMAND__COLL_ALLREDUCE; c++) {
        bool fast = false, compact = false;
        for (int i = 0; summand__algorithms[i]; i++) {
            const struct summand__algorithm *algorithm = summand__algorithms[i];
            const struct summand__call call = {
                .collective = (enum summand__collective)c, .ranks = 16, .count = 64};
            struct summand__proof proof;
            if (!(algorithm->promises & SUMMAND__CANONICAL) || !algorithm->build[c])
                continue;
            assert_true(summand__prove(algorithm, &call, &proof));
            fast = fast || proof.counted.depth == 4;
            /* 15/16 of the vector per rank and phase; a reduce's second phase takes log p hops */
            compact =
                compact || (proof.counted.elements <= 2 * 15 * 64 && proof.counted.depth == 8);
        }
        assert_true(fast && compact);
    }
}

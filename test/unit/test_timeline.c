/* SPDX-License-Identifier: BSD-3-Clause */
/* Timelines of recorded runs: known records of two ranks have the times counted by hand. Covers the
 * dissertation's threshold, and with its erratum; the ring buffer keeps the last records. */
#include <math.h>

#include "lab/timeline/timeline.h"
#include "schedule/schedule.h"
#include "unit/unit.h"

static void close_to(double got, double right)
{
    if (!(fabs(got - right) < 1e-9 * (1 + fabs(right))))
        fail_msg("%g, not %g", got, right);
}

static struct summand__recorded computes(double begin, double end, double flops)
{
    return (struct summand__recorded){
        .begin = begin, .end = end, .action = SUMMAND__COMPUTE, .peer = -1, .flops = flops};
}

static struct summand__recorded puts_to(int peer, double begin, double end, uint64_t bytes)
{
    return (struct summand__recorded){
        .begin = begin, .end = end, .action = SUMMAND__PUT, .peer = peer, .bytes = bytes};
}

static struct summand__recorded notifies(int peer, double at, uint32_t counter)
{
    return (struct summand__recorded){
        .begin = at, .end = at, .action = SUMMAND__NOTIFY, .peer = peer, .counter = counter};
}

static struct summand__recorded waits(double begin, double end, uint32_t counter, int64_t value)
{
    return (struct summand__recorded){.begin = begin,
                                      .end = end,
                                      .action = SUMMAND__WAIT_COUNTER,
                                      .peer = -1,
                                      .counter = counter,
                                      .value = value};
}

/* Rank 0 puts two pieces, then computes; rank 1 computes 0..4, waits until 5, computes until 9. */
static void known_puts(bool immediate)
{
    struct summand__recorded zero[] = {puts_to(1, 1, 2, 100), puts_to(1, 2, 3, 50),
                                       notifies(1, 3, 7),     puts_to(1, 3, 4.5, 30),
                                       notifies(1, 4.5, 7),   computes(5, 6, 200)};
    struct summand__recorded one[] = {computes(0, 4, 800), waits(4, 4.1, 7, 1), waits(4.1, 5, 7, 2),
                                      computes(5, 9, 800)};
    struct summand__recorded *of[] = {zero, one};
    size_t count[] = {6, 4};
    struct summand__timeline timeline = {
        .ranks = 2, .of = of, .count = count, .immediate = immediate};
    summand__timeline_make(&timeline);
    assert_false(timeline.failed);
    assert_int_equal(timeline.transfers, 2);
    close_to(timeline.begin, 0);
    close_to(timeline.end, 9);
    struct summand__timeline_rank rank = summand__timeline_rank_of(&timeline, 1);
    assert_int_equal(timeline.transfer[0].bytes, 150);
    assert_int_equal(timeline.transfer[1].bytes, 30);
    close_to(timeline.transfer[0].begin, 1);
    close_to(timeline.transfer[0].end, immediate ? 3 : 4.1);
    close_to(timeline.transfer[1].end, immediate ? 4.5 : 5);
    close_to(rank.of_kind[SUMMAND__TIMELINE_COMPUTING], 8);
    close_to(rank.of_kind[SUMMAND__TIMELINE_WAITING], 1);
    close_to(rank.of_kind[SUMMAND__TIMELINE_SENDING], 0);
    close_to(rank.in_flight, immediate ? 3.5 : 4);
    close_to(rank.hidden, 3);
    rank = summand__timeline_rank_of(&timeline, 0);
    close_to(rank.of_kind[SUMMAND__TIMELINE_SENDING], 3.5);
    close_to(rank.in_flight, 0);
    struct summand__timeline_sum sum = summand__timeline_sum_of(&timeline);
    close_to(sum.overlap, immediate ? 3 / 3.5 : 0.75);
    close_to(sum.operations, 1800);
    close_to(sum.bytes, 180);
    close_to(sum.flop_rate, 200);
    close_to(sum.bandwidth, immediate ? 75 : 150 / 3.1);
    summand__timeline_free(&timeline);
}

TEST(puts_at_once)
{
    known_puts(true);
}

TEST(puts_that_move)
{
    known_puts(false);
}

static struct summand__recorded message(int action, int peer, double at, uint64_t bytes,
                                        uint32_t group)
{
    return (struct summand__recorded){.begin = at,
                                      .end = at + 0.5,
                                      .action = action,
                                      .peer = peer,
                                      .bytes = bytes,
                                      .group = group};
}

/* The second message of the pair ends with its own group. */
TEST(messages)
{
    struct summand__recorded zero[] = {message(SUMMAND__SEND, 1, 0, 10, 0),
                                       message(SUMMAND__SEND, 1, 1, 20, 1)};
    struct summand__recorded one[] = {message(SUMMAND__RECV, 0, 0, 10, 0),
                                      message(SUMMAND__RECV, 0, 0.5, 20, 1),
                                      computes(1, 2, 0),
                                      {.begin = 2, .end = 3, .action = SUMMAND__ROUND, .group = 0},
                                      computes(3, 6, 0),
                                      {.begin = 6, .end = 8, .action = SUMMAND__ROUND, .group = 1}};
    struct summand__recorded *of[] = {zero, one};
    size_t count[] = {2, 6};
    struct summand__timeline timeline = {.ranks = 2, .of = of, .count = count, .immediate = true};
    summand__timeline_make(&timeline);
    assert_int_equal(timeline.transfers, 2);
    struct summand__timeline_rank rank = summand__timeline_rank_of(&timeline, 1);
    close_to(timeline.transfer[0].end, 3);
    close_to(timeline.transfer[1].end, 8);
    close_to(rank.in_flight, 8);
    close_to(rank.hidden, 4);
    summand__timeline_free(&timeline);
}

TEST(thresholds)
{
    const double flop = 3.13e-11;
    close_to(ceil(summand__hidden_from(64, 40 * 1024.0 * 1024 * 1024 / 16, flop)), 382);
    close_to(ceil(summand__hidden_from(64, 32e9 / 16, flop)), 512);
    double b = summand__hidden_from(64, 5e9, flop); /* both take as long */
    close_to(b * b * 64 / 5e9, (2 * b * b * b - b * b) * flop);
}

TEST(the_last_records)
{
    struct summand__recording recording;
    assert_true(summand__recording_init(&recording, 4));
    for (uint64_t i = 0; i < 10; i++)
        summand__recording_add(&recording, i, 10000 * i, 10000 * i + 50);
    assert_int_equal(recording.count, 10);
    for (size_t i = 6; i < 10; i++)
        assert_int_equal(recording.record[i % 4].instruction, i);
    summand__recording_add(&recording, 9, 90060, 90100);   /* looks again at once */
    summand__recording_add(&recording, 9, 190060, 190100); /* later */
    assert_int_equal(recording.count, 11);
    assert_int_equal(recording.record[9 % 4].end, 90100);
    summand__recording_free(&recording);
}

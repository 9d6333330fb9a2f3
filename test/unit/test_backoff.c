/* SPDX-License-Identifier: BSD-3-Clause */
/* The backoff, on the test's clock: it spins, then yields, then sleeps, each for a sensible time.
 * It hardly spins if oversubscribed, spins as often as asked if polls are counted, never sleeps if
 * it must stay awake, and spins again after progress. */
#include <sched.h>
#include <time.h>

#include "base/backoff.h"
#include "unit/unit.h"

static uint64_t clock_ns, slept_ns;
static unsigned yields, sleeps;

/* In place of the system's. A yield takes a microsecond. */
int clock_gettime(clockid_t id, struct timespec *time)
{
    (void)id;
    *time = (struct timespec){(time_t)(clock_ns / 1000000000), (long)(clock_ns % 1000000000)};
    return 0;
}

int sched_yield(void)
{
    yields++;
    clock_ns += 1000;
    return 0;
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    (void)left;
    sleeps++;
    slept_ns += (uint64_t)time->tv_nsec + (uint64_t)time->tv_sec * 1000000000;
    clock_ns += (uint64_t)time->tv_nsec + (uint64_t)time->tv_sec * 1000000000;
    return 0;
}

static void reset(void)
{
    clock_ns = 5000000000;
    slept_ns = 0;
    yields = sleeps = 0;
}

/* Turns until the first one that did not spin. */
static unsigned spins(struct summand__backoff *backoff)
{
    unsigned turns = 0;
    while (!summand__backoff_turn(backoff)) {
        turns++;
        assert_true(turns < 100000);
        assert_int_equal(yields + sleeps, 0);
    }
    return turns;
}

/* Longer than a message between two cores (100 ns), and shorter than a turn of the scheduler. */
TEST(test_spins)
{
    struct summand__backoff backoff = {.oversubscribed = false},
                            oversubscribed = {.oversubscribed = true}, polls = {.polls = 77},
                            both = {.oversubscribed = true, .polls = 77};
    reset();
    assert_int_equal(spins(&polls), 77);
    assert_int_equal(yields, 1);
    reset();
    assert_between(spins(&both), 0, 16);
    reset();
    assert_between(spins(&backoff), 100, 10000);
    assert_int_equal(yields, 1);
    reset();
    assert_between(spins(&oversubscribed), 0, 16);
    assert_int_equal(yields, 1);
}

/* Yields for longer than the shortest sleep may last (0.1 ms), then sleeps for short times. */
TEST(test_sleeps)
{
    for (int oversubscribed = 0; oversubscribed < 2; oversubscribed++) {
        struct summand__backoff backoff = {.oversubscribed = oversubscribed};
        reset();
        uint64_t begin = clock_ns;
        spins(&backoff);
        while (!sleeps) {
            assert_true(summand__backoff_turn(&backoff));
            assert_true(clock_ns - begin < 20000000);
        }
        assert_between(yields, 500, 20000);
        unsigned yielded = yields;
        for (int turn = 0; turn < 100; turn++)
            assert_true(summand__backoff_turn(&backoff));
        assert_int_equal(yields, yielded);
        assert_int_equal(sleeps, 101);
        assert_between(slept_ns / sleeps, 1000, 500000);
    }
}

TEST(test_stays_awake)
{
    struct summand__backoff backoff = {.awake = true};
    reset();
    spins(&backoff);
    for (int turn = 0; turn < 100000; turn++)
        assert_true(summand__backoff_turn(&backoff));
    assert_int_equal(yields, 100001);
    assert_int_equal(sleeps, 0);
    backoff.awake = false; /* waited that long already */
    assert_true(summand__backoff_turn(&backoff));
    assert_int_equal(sleeps, 1);
}

TEST(test_begins_anew)
{
    struct summand__backoff backoff = {.oversubscribed = false};
    reset();
    unsigned first = spins(&backoff);
    for (int turn = 0; turn < 10000; turn++)
        summand__backoff_turn(&backoff);
    assert_true(sleeps > 0);
    summand__backoff_reset(&backoff);
    reset();
    assert_int_equal(spins(&backoff), first);
    for (int turn = 0; turn < 100; turn++)
        summand__backoff_turn(&backoff);
    assert_int_equal(sleeps, 0);
    assert_int_equal(yields, 101);
}

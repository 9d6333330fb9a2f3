/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/backoff.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

/* Spins some 20 us, longer than a message between two cores takes; then yields for 2 ms. A sleep
 * may last 0.1 ms too long, which is then a small part of the wait. */
enum { OVERSUBSCRIBED_SPINS = 4, YIELD_NANOSECONDS = 2000000, SLEEP_NANOSECONDS = 50000 };
static _Atomic uint32_t spins_alone = 1000;

static uint64_t read_clock(clockid_t id)
{
    struct timespec time;
    clock_gettime(id, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

uint64_t summand__clock(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t summand__clock_coarse(void)
{
    return read_clock(CLOCK_MONOTONIC_COARSE);
}

void summand__spins_set(uint32_t turns)
{
    atomic_store_explicit(&spins_alone, turns, memory_order_relaxed);
}

static uint32_t spins_of(const struct summand__backoff *backoff)
{
    if (backoff->oversubscribed)
        return OVERSUBSCRIBED_SPINS;
    return backoff->polls ? backoff->polls
                          : atomic_load_explicit(&spins_alone, memory_order_relaxed);
}

bool summand__backoff_turn(struct summand__backoff *backoff)
{
    if (backoff->turns < spins_of(backoff)) {
        backoff->turns++;
        if (!backoff->polls)
            summand__pause();
        return false;
    }
    if (!backoff->yielded)
        backoff->yielded = summand__clock();
    if (backoff->awake || summand__clock() - backoff->yielded < YIELD_NANOSECONDS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = SLEEP_NANOSECONDS}, NULL);
    return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The pause between two polls: a wait spins briefly, then yields, then sleeps. With more ranks than
 * processors it hardly spins, because the awaited rank may need the processor. Waits use it through
 * wait/wait.h. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct summand__backoff {
    bool oversubscribed; /* more ranks than processors */
    bool awake;          /* never sleeps: the MPI must be called for messages to progress */
    uint32_t polls;      /* polls before it yields, without a pause, if each poll calls the MPI; 0:
                            as calibrated, with a pause after each */
    uint32_t turns;      /* failed polls so far, while it spins */
    uint64_t yielded;    /* clock, ns, when it stopped spinning, or 0 */
};

/* Nanoseconds of a monotonic clock; the coarse one is some ms late and costs 5 ns. */
uint64_t summand__clock(void);
uint64_t summand__clock_coarse(void);

/* Sets how many turns a rank with its own processor spins, from a calibration. */
void summand__spins_set(uint32_t turns);

/* Lets the core's other thread run for a moment. */
static inline void summand__pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Call it after a failed poll. True if it did more than spin: time for other checks. */
bool summand__backoff_turn(struct summand__backoff *backoff);

/* Something moved: the wait starts to spin again. */
static inline void summand__backoff_reset(struct summand__backoff *backoff)
{
    backoff->turns = 0;
    backoff->yielded = 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How long to leave the processor between two polls: a wait spins briefly, then yields, then
 * sleeps. With more ranks than processors it hardly spins, because the rank that it waits for may
 * need the processor. Waits use it by wait/wait.h. */
#ifndef SUMMAND_BASE_BACKOFF_H
#define SUMMAND_BASE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

struct summand__backoff {
    bool oversubscribed; /* more ranks than processors */
    bool awake;          /* never sleeps: the MPI needs its calls for messages to move */
    uint32_t polls;      /* before it yields, without a pause, if each poll calls the MPI; 0: as
                            calibrated, with a pause after each */
    uint32_t turns;      /* failed polls so far, as far as they are counted */
    uint64_t yielded;    /* nanoseconds of the clock when it stopped spinning, or 0 */
};

/* Nanoseconds of one clock that only goes forwards; the coarse one is some ms late and costs 5 ns.
 */
uint64_t summand__clock(void);
uint64_t summand__clock_coarse(void);

/* How many turns a rank of this process spins if it has a processor of its own: as calibrated. */
void summand__spins_set(uint32_t turns);

/* A moment in which the other thread of the core may run. */
static inline void summand__pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* To be called after a failed poll. True if it did not just spin: time to look after other things.
 */
bool summand__backoff_turn(struct summand__backoff *backoff);

/* Something moved: the wait spins again. */
static inline void summand__backoff_reset(struct summand__backoff *backoff)
{
    backoff->turns = 0;
    backoff->yielded = 0;
}

#endif

/* How a rank waits for what another one writes: it spins briefly, then lets others run, then
 * sleeps. Where there are more ranks than cores it hardly spins, as the one it waits for may need
 * its core.
 */
#ifndef SUMMAND_BASE_BACKOFF_H
#define SUMMAND_BASE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

struct summand__backoff {
    bool oversubscribed; /* more ranks than processors */
    bool awake;          /* never sleeps: the MPI needs its calls for messages to move */
    uint32_t turns;      /* in vain so far */
    uint64_t yielded;    /* nanoseconds of the clock when it stopped spinning, or 0 */
};

/* Nanoseconds of one clock that only goes forwards; the coarse one is some ms late and costs 5 ns.
 */
uint64_t summand__clock(void);
uint64_t summand__clock_coarse(void);

/* How many turns a rank spins where it has a core of its own, of this process: as calibrated. */
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

/* One turn in vain. True if the rank did not just spin: time to look after other things. */
bool summand__wait_a_turn(struct summand__backoff *backoff);

/* Something moved: waiting starts anew. */
static inline void summand__wait_anew(struct summand__backoff *backoff)
{
    backoff->turns = 0;
    backoff->yielded = 0;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a queue in shared memory (kernel/queue.h). */
#ifndef SUMMAND_KERNEL_QUEUE_LAYOUT_H
#define SUMMAND_KERNEL_QUEUE_LAYOUT_H

#include <stddef.h>

/* Of each queue: a head, which has a line for each slot, and slots, a power of two of them; in
 * front of these, a short place for each, next to each other: the first touch of a page costs some
 * us, and slots would have a page each for what fits into a few lines.
 *
 * Two ranks: twice the second-level cache of common processors or more, so that a line which is
 * written anew has left the reader's own caches; to take it from there costs two to three times as
 * much as from the cache that both share. Some more: the more slots, the fewer turns a long message
 * needs where ranks share processors. Many ranks' slots would fill the caches
 * (docs/results/queues.md). */
enum {
    SUMMAND__HEAD = 128,       /* bytes, without the lines of slots */
    SUMMAND__CELL_LINE = 64,   /* bytes of the line of a slot */
    SUMMAND__COUNT_LINE = 64,  /* bytes of each count of a broadcast queue's readers */
    SUMMAND__SLOT = 16384,     /* bytes */
    SUMMAND__SHORT = 512,      /* bytes of the short place of a slot */
    SUMMAND__PAIR_SLOTS = 128, /* of two ranks */
    SUMMAND__FEW_RANKS = 8,
    SUMMAND__FEW_SLOTS = 16, /* of up to so many */
    SUMMAND__LEAST_SLOTS = 8
};

static inline size_t summand__head_bytes(unsigned slots)
{
    return SUMMAND__HEAD + (size_t)slots * SUMMAND__CELL_LINE;
}

static inline size_t summand__slots_bytes(unsigned slots)
{
    return (size_t)slots * (SUMMAND__SHORT + SUMMAND__SLOT);
}

#endif

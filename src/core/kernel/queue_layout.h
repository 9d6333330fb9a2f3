/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of a queue in shared memory (kernel/queue.h). */
#pragma once

#include <stddef.h>

/* Each queue has a head, with a line for each slot, and a power of two of slots. Before the slots
 * lie the short places, one for each slot, contiguous. The first touch of a page costs some us, and
 * a slot would touch a page for data that fit into a few lines.
 *
 * Two ranks: twice the second-level cache of common processors or more, so that a rewritten line
 * has left the reader's own caches; to take it from there costs two to three times as much as from
 * the shared cache. More slots also mean fewer turns for a long message if ranks share processors.
 * Many ranks' slots would fill the caches (docs/results/queues.md). */
enum {
    SUMMAND__HEAD = 128,       /* bytes, without the lines of slots */
    SUMMAND__CELL_LINE = 64,   /* bytes of the line of a slot */
    SUMMAND__COUNT_LINE = 64,  /* bytes of each count of a broadcast queue's readers */
    SUMMAND__SLOT = 16384,     /* bytes */
    SUMMAND__SHORT = 512,      /* bytes of the short place of a slot */
    SUMMAND__PAIR_SLOTS = 128, /* slots of a queue of two ranks */
    SUMMAND__FEW_RANKS = 8,
    SUMMAND__FEW_SLOTS = 16, /* slots of a queue of up to SUMMAND__FEW_RANKS ranks */
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

/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies into memory that another core read last, and reads next: the slots of a queue.
 *
 * An ordinary store takes each line from the other core first. Among cores that share a cache that
 * is a few ns a line; among others, of other parts of a processor or other sockets, several times
 * as much, for the writer and again for the reader. Stores that bypass the caches ask nobody for
 * the line: writer and reader meet in memory, at one price wherever they are. Two cores' distance
 * is known to nobody in a virtual machine, whose host moves them about. So the writer looks at what
 * its ordinary copies take, now and then, and goes the other way while they are slow. */
#ifndef SUMMAND_KERNEL_HANDOVER_H
#define SUMMAND_KERNEL_HANDOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* To one reader, or to several of the same memory. */
struct summand__handover {
    uint16_t left; /* copies before the next look */
    uint8_t alike; /* looks in a row that spoke against the present way */
    bool bypasses;
};

/* A line that is written soon, and was read by another core since: the other core is asked for it
 * now, and not when stores wait for it. Processors that lack the instruction do nothing. */
static inline void summand__handover_ask(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

enum {
    SUMMAND__HANDOVER_FAR =
        90, /* ns that a line takes from one core to another: 50 if they share
               a cache, 120 on the mesh of a Xeon, 210 from chiplet to chiplet */
    SUMMAND__HANDOVER_LEAST = 2048 /* bytes: shorter copies always go the ordinary way */
};

/* To a ring of so many slots. The first copy into each may be slow as its pages are new: no look.
 */
static inline struct summand__handover summand__handover_to(size_t slots)
{
    return (struct summand__handover){.left = (uint16_t)slots};
}

/* Of SUMMAND__HANDOVER_LEAST bytes or more, by the present way, or by ordinary stores and the clock
 * where a look is due. */
void summand__handover_long(struct summand__handover *handover, void *to, const void *from,
                            size_t bytes);

/* What a look found: an ordinary copy of so many bytes took so long. */
void summand__handover_saw(struct summand__handover *handover, size_t bytes, uint64_t nanoseconds);

/* memcpy; what is stored later is seen later. Cost: one read of the source, one write of the
 * target; of every 16th longer copy, or of one in 256 while they bypass the caches, two looks at
 * the clock. */
static inline void summand__handover_copy(struct summand__handover *handover, void *to,
                                          const void *from, size_t bytes)
{
    if (bytes < SUMMAND__HANDOVER_LEAST)
        memcpy(to, from, bytes);
    else
        summand__handover_long(handover, to, from, bytes);
}

#endif

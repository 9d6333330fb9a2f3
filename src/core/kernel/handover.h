/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies into memory that another core read last, and reads next: the slots of a queue.
 *
 * An ordinary store takes each line from the other core first. This costs a few ns a line if the
 * cores share a cache. Otherwise (other parts of a processor, other sockets) it costs several times
 * as much, for the writer and again for the reader. Stores that bypass the caches need no line:
 * writer and reader meet in memory, at one price for any two cores. In a virtual machine the
 * distance of two cores is unknown, because the host moves them. So the writer measures its
 * ordinary copies now and then, and bypasses the caches while they are slow. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* For one reader, or for several of the same memory. */
struct summand__handover {
    uint16_t left; /* copies before the next measurement */
    uint8_t alike; /* measurements in a row that favour the other kind of copy */
    bool bypasses;
    uint16_t slots, pages; /* of the ring; pages of a slot that copies have reached */
};

/* Requests a line that this core writes soon and another core has read since. So stores do not wait
 * for it. Does nothing on processors that lack the instruction. */
static inline void summand__handover_ask(const void *line)
{
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
    __builtin_prefetch(line, 1);
#endif
}

enum {
    SUMMAND__HANDOVER_FAR = 90,    /* ns to move a line from one core to another: 50 if they share a
                                      cache, 120 on the mesh of a Xeon, 210 from chiplet to chiplet */
    SUMMAND__HANDOVER_LEAST = 2048 /* bytes: shorter copies are always ordinary ones */
};

/* For a ring of `slots` slots. The first copy into each is not measured, nor the first one that is
 * longer by a page: new pages make it slow. */
static inline struct summand__handover summand__handover_to(size_t slots)
{
    return (struct summand__handover){.slots = (uint16_t)slots};
}

/* Copies SUMMAND__HANDOVER_LEAST bytes or more in the present way. If a measurement is due, it uses
 * ordinary stores and the clock. */
void summand__handover_long(struct summand__handover *handover, void *to, const void *from,
                            size_t bytes);

/* Enters a measurement: an ordinary copy of `bytes` took `nanoseconds`. */
void summand__handover_saw(struct summand__handover *handover, size_t bytes, uint64_t nanoseconds);

/* memcpy; a reader sees it before any later store. Cost: one read of the source, one write of the
 * target. Of longer copies, every 16th reads the clock twice; every 256th while they bypass the
 * caches. */
static inline void summand__handover_copy(struct summand__handover *handover, void *to,
                                          const void *from, size_t bytes)
{
    if (bytes < SUMMAND__HANDOVER_LEAST)
        memcpy(to, from, bytes);
    else
        summand__handover_long(handover, to, from, bytes);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A window over GPI-2: its row (gpi2_window.c), and its segments (gpi2_open.c). */
#pragma once

#include "compute/mpi/window.h"
#include "plugins/gpi2/gpi2.h"

/* The fewest bytes of the room from which writes leave. */
enum { SUMMAND__GPI2_ROOM = 1 << 16 };

struct summand__gpi2_peer {
    gaspi_rank_t rank;   /* in GASPI */
    unsigned char shift; /* of its memory in its segment, bytes */
    bool busy;           /* writes to it may still be in flight */
};

/* To a counter of another rank, by this one. */
struct summand__gpi2_given {
    uint64_t count, number; /* number: of changes of its high bits */
};

struct summand__gpi2_segment {
    struct summand__window_base base; /* first */
    const struct summand__gpi2 *gpi2;
    gaspi_segment_id_t id;
    gaspi_queue_id_t queue;
    unsigned char *memory;      /* two words for each counter, slots, room; on a cache line */
    size_t room_at, room, used; /* room: what writes leave from, bytes in `memory` */
    struct summand__gpi2_peer *peer;
    struct summand__gpi2_given
        *given;       /* by rank, then counter. Pages that are not touched take no memory */
    uint64_t *seen;   /* of each counter */
    uint32_t *unread; /* of each counter: a notification whose word is a later one's; or 0 */
    bool *member;     /* whether it is, by rank of the world */
    int world;
    bool closed, ended; /* by its user; by MPI_Finalize */
};

/* Bytes of the words of its counters. */
static inline size_t summand__gpi2_words(const struct summand__gpi2_segment *own)
{
    enum { LINE = 64 };
    return ((size_t)own->base.window.counters * 2 * sizeof(uint64_t) + LINE - 1) / LINE * LINE;
}

extern const struct summand__window_transport summand__gpi2_window;

/* `open` and `close` of the row. */
int summand__gpi2_open(struct summand__state *state, const struct summand__window_spec *spec,
                       struct summand__window **window);
void summand__gpi2_close(struct summand__window *window);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the ranks of a node share. It has no name: it is freed with the last process that
 * maps it, however that process ends. */
#pragma once

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fabric/nodes.h"
#include "fabric/peer_memory.h"
#include "kernel/queue_layout.h"
#include "wait/presence.h"
#include "wait/tags.h"

enum { SUMMAND__READERS = 40 }; /* of a broadcast queue, at most */

/* The memory of a node, in equal shares for contexts. A share has two parts: lines, which are
 * contiguous (those of all contexts, rounded to pages), and pages, most of which are never touched.
 * Lines: each rank's presence (wait/presence.h), the heads of the queues of each ordered pair of
 * ranks, the heads of broadcast queues. Pages: each rank's aborted operations; the slots of queues;
 * those of broadcast queues. */
struct summand__pool {
    unsigned char *memory; /* zero at first; NULL: the node has one rank */
    size_t bytes;
    size_t lines, pages; /* bytes of each share */
    int contexts;        /* shares */
    int ranks;           /* of the node */
    unsigned slots;      /* of each queue */
    bool locks;          /* this process locks new memory */
};

/* Limits of a process, bytes. */
struct summand__allowance {
    size_t file;      /* of a file */
    size_t addresses; /* for shares: a part of the limit, because the program needs some; if it
                         locks its memory, no more than it may lock */
};

struct summand__allowance summand__allowance_now(void);

/* Plans the shares of a node of so many ranks: as many as address space, the limits and `most`
 * allow; 0 if not even one fits. If the limits are below one share, queues get fewer slots, as with
 * more ranks. Pure: `memory` is NULL. */
struct summand__pool summand__pool_plan(int ranks, int most, struct summand__allowance limits);

/* Local: maps all shares of a file, which has the planned length, and opens the first one. False if
 * that fails; `memory` is NULL. */
bool summand__pool_map(struct summand__pool *pool, int descriptor);

/* Local: makes a context's share usable. If the program locks its memory (mlockall with
 * MCL_FUTURE), touched pages of the share are locked too. */
void summand__pool_open(const struct summand__pool *pool, int context);

/* The first context's pages. */
unsigned char *summand__pool_pages(const struct summand__pool *pool);

/* The transport's state of a context, kept from one communicator to the next: queues continue. */
struct summand__ends {
    void *user;
    void (*drop)(void *user);
    bool (*clean)(void *user); /* no queue that this rank writes has data in transit */
};

/* Slots of each queue on a node of so many ranks, without limits. */
unsigned summand__slots_of(int ranks);

/* One communicator's view of its fabric's memory. Ranks here are the fabric's ranks on this
 * node. */
struct summand__segment {
    unsigned char *lines, *pages; /* of the context; NULL: this node has one rank */
    unsigned slots;
    int rank, ranks;  /* of this node */
    int members;      /* number of them in the communicator */
    int processors;   /* of summand__nodes, for these ranks */
    int total;        /* ranks of the communicator */
    const int *local; /* rank of the communicator -> rank on this node, or -1 on another one */
    bool whole;       /* the node holds all ranks of the communicator: `local` is never -1 */
    pid_t *processes; /* of this node if ranks may read each other's memory; else NULL */
    size_t read_from; /* bytes from which messages are read so; SIZE_MAX: none are */
    bool far;         /* a line takes long between cores: kernel/handover.h */
    MPI_Comm comm;    /* to probe and to pack; errors return */
    const struct summand__tags *tags; /* the state's */
    struct summand__ends *ends;
    void *user; /* ends->user, once the transport has used this view */
};

/* The rank on this node of a rank of the communicator, or -1. */
static inline int summand__segment_rank(const struct summand__segment *segment, int rank)
{
    return rank >= 0 && rank < segment->total ? segment->local[rank] : -1;
}

/* The communicator's rank of a rank on this node, or -1. Cost: O(ranks). */
static inline int summand__segment_global(const struct summand__segment *segment, int local)
{
    for (int rank = 0; rank < segment->total; rank++)
        if (segment->local[rank] == local)
            return rank;
    return -1;
}

/* True for 3 to 40 ranks, each of which then has a broadcast queue to all others. */
static inline bool summand__has_broadcasts(int ranks)
{
    return ranks > 2 && ranks <= SUMMAND__READERS;
}

/* The index of a queue in its context: from one rank of the node to another one; or, if `from` is
 * `ranks`, the broadcast queue of rank `to`. */
static inline size_t summand__queue_index(const struct summand__segment *segment, int from, int to)
{
    size_t ranks = (size_t)segment->ranks;
    return from == segment->ranks ? ranks * (ranks - 1) + (size_t)to
                                  : (size_t)from * (ranks - 1) + (size_t)(to - (to > from));
}

static inline size_t summand__broadcast_head_bytes(int ranks, unsigned slots)
{
    return (summand__head_bytes(slots) + (size_t)(ranks - 1) * SUMMAND__COUNT_LINE + 127) / 128 *
           128;
}

/* The presence of a rank on this node. */
static inline struct summand__presence *
summand__segment_presence(const struct summand__segment *segment, int local)
{
    return (struct summand__presence *)(void *)segment->lines + local;
}

static inline unsigned char *summand__segment_head(const struct summand__segment *segment, int from,
                                                   int to)
{
    size_t ranks = (size_t)segment->ranks, bytes = summand__head_bytes(segment->slots);
    unsigned char *heads = segment->lines + ranks * sizeof(struct summand__presence);
    if (from == segment->ranks)
        return heads + ranks * (ranks - 1) * bytes +
               (size_t)to * summand__broadcast_head_bytes(segment->ranks, segment->slots);
    return heads + summand__queue_index(segment, from, to) * bytes;
}

static inline unsigned char *summand__segment_slots(const struct summand__segment *segment,
                                                    int from, int to)
{
    return segment->pages + (size_t)segment->ranks * SUMMAND__ABORTED_BYTES +
           summand__queue_index(segment, from, to) * summand__slots_bytes(segment->slots);
}

/* The aborted operations of a rank on this node. */
static inline struct summand__aborted *
summand__segment_aborted(const struct summand__segment *segment, int local)
{
    return (struct summand__aborted *)(void *)(segment->pages +
                                               (size_t)local * SUMMAND__ABORTED_BYTES);
}

/* Identifies a file of a process: by its table of open files. */
struct summand__file {
    int64_t process, descriptor;
    uint64_t device, inode;
};

/* Local: creates an empty, unnamed file. Its descriptor, or -1 (then `file->process` is 0). */
int summand__file_create(struct summand__file *file);

/* Local: opens another process's file. Returns a descriptor, or -1. */
int summand__file_attach(const struct summand__file *file);

/* Local: maps a file; NULL if that fails. */
unsigned char *summand__file_map(int descriptor, size_t bytes);

/* Local: extends a file to so many bytes. False if that is not allowed. */
bool summand__file_extend(int descriptor, size_t bytes);

/* Collective over the ranks of one node: maps `bytes` of new shared memory, on all ranks or on none
 * (NULL). Free it by munmap. Returns an MPI error code. */
int summand__segment_share(MPI_Comm node, size_t bytes, unsigned char **memory);

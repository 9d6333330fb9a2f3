/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that the ranks of a node share. It has no name: it is gone with the last process that maps
 * it, however that process ends. */
#ifndef SUMMAND_FABRIC_SEGMENT_H
#define SUMMAND_FABRIC_SEGMENT_H

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

enum { SUMMAND__READERS = 40 }; /* of a broadcast queue, at the most */

/* The memory of a node, in equal shares for contexts. A share has two parts: lines, which lie
 * together (of all contexts, as far as pages go), and pages, of which most are never touched.
 * Lines: what each rank tells of itself (wait/presence.h), the heads of the queues of each
 * ordered pair of ranks, the heads of broadcast queues. Pages: of each rank what it aborted; the
 * slots of queues; those of broadcast queues. */
struct summand__pool {
    unsigned char *memory; /* zero at first; NULL: the node has one rank */
    size_t bytes;
    size_t lines, pages; /* bytes of each share */
    int contexts;        /* shares */
    int ranks;           /* of the node */
    unsigned slots;      /* of each queue */
    bool locks;          /* this process's new memory is locked */
};

/* Bytes that a process may have. */
struct summand__allowance {
    size_t file;      /* of a file */
    size_t addresses; /* for shares: of all addresses not all, as the program needs some. Where it
                         locks its memory, no more than it may lock */
};

struct summand__allowance summand__allowance_now(void);

/* The shares of a node of so many ranks: as many as address space, the limits and `most` allow; 0
 * where not even one is. Where a file may not be as long as one share, its queues have as few slots
 * as many ranks' have. Pure: `memory` is NULL. */
struct summand__pool summand__pool_plan(int ranks, int most, struct summand__allowance limits);

/* Local: maps all shares of a file that is as long as planned, and opens the first one. False: that
 * is not to be had; `memory` is NULL. */
bool summand__pool_map(struct summand__pool *pool, int descriptor);

/* Local: a context's share may be used from now on. Where the program locks its memory
 * (mlockall with MCL_FUTURE), so are the pages of the share that are touched. */
void summand__pool_open(const struct summand__pool *pool, int context);

/* The first context's pages. */
unsigned char *summand__pool_pages(const struct summand__pool *pool);

/* What the transport keeps of a context, from one communicator to the next: queues go on where they
 * are. */
struct summand__ends {
    void *user;
    void (*drop)(void *user);
    bool (*clean)(void *user); /* nothing is under way in any queue that this rank writes */
};

/* Slots of each queue on a node of so many ranks, where nothing limits them. */
unsigned summand__slots_of(int ranks);

/* One communicator's view of its fabric's memory: ranks here are those of the fabric on this node.
 */
struct summand__segment {
    unsigned char *lines, *pages; /* of the context; NULL: this node has one rank */
    unsigned slots;
    int rank, ranks;  /* of this node */
    int members;      /* those of them that the communicator has */
    int processors;   /* that these share: summand__nodes */
    int total;        /* ranks of the communicator */
    const int *local; /* rank of the communicator -> rank on this node, or -1 on another one */
    bool whole;       /* the node holds all ranks of the communicator: `local` is never -1 */
    pid_t *processes; /* of this node, where ranks may read each other's memory; else NULL */
    size_t read_from; /* bytes from which messages are to be read so; SIZE_MAX where none are */
    size_t read_end;  /* bytes from which they are not any more */
    bool read_as_calibrated; /* not as SUMMAND_DIRECT_READ says: then a pipeline's are read, too */
    bool far;                /* a line takes long from core to core: kernel/handover.h */
    MPI_Comm comm;           /* to look at the MPI's messages, and to pack; errors return */
    const struct summand__tags *tags; /* the state's */
    struct summand__ends *ends;
    void *user; /* ends->user, once the transport has met this view */
};

/* A rank of the communicator as a rank of this node, or -1. */
static inline int summand__segment_rank(const struct summand__segment *segment, int rank)
{
    return rank >= 0 && rank < segment->total ? segment->local[rank] : -1;
}

/* A rank of this node as a rank of the communicator; -1: it has none there. Cost: O(ranks). */
static inline int summand__segment_global(const struct summand__segment *segment, int local)
{
    for (int rank = 0; rank < segment->total; rank++)
        if (segment->local[rank] == local)
            return rank;
    return -1;
}

/* Broadcast queues, which each rank writes once for all others, are for nodes of 3 to 40 ranks. */
static inline bool summand__has_broadcasts(int ranks)
{
    return ranks > 2 && ranks <= SUMMAND__READERS;
}

/* The place of a queue among those of its context: that from one rank of the node to another one,
 * or, where `from` is `ranks`, the broadcast queue of rank `to`. */
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

/* What a rank of this node tells the others of itself. */
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

/* What a rank of this node tells the others of the operations that it has aborted. */
static inline struct summand__aborted *
summand__segment_aborted(const struct summand__segment *segment, int local)
{
    return (struct summand__aborted *)(void *)(segment->pages +
                                               (size_t)local * SUMMAND__ABORTED_BYTES);
}

/* How others find a file of this process: in its table of open files. */
struct summand__file {
    int64_t process, descriptor;
    uint64_t device, inode;
};

/* Local: a file without a name, of no bytes. Its descriptor, or -1 (then `file->process` is 0). */
int summand__file_create(struct summand__file *file);

/* Local: a descriptor of another process's file, or -1. */
int summand__file_attach(const struct summand__file *file);

/* Local: maps a file; NULL where that is not to be had. */
unsigned char *summand__file_map(int descriptor, size_t bytes);

/* Local: makes it so long. False where it may not be. */
bool summand__file_extend(int descriptor, size_t bytes);

/* Collective over the ranks of one node: `bytes` more of shared memory, on all of them or on none
 * (NULL). To be unmapped by munmap. An MPI error code. */
int summand__segment_share(MPI_Comm node, size_t bytes, unsigned char **memory);

#endif

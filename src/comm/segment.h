/* Memory that the ranks of a node share, one segment per communicator and node. It has no name: it
 * is gone with the last process that maps it, however that process ends. */
#ifndef SUMMAND_COMM_SEGMENT_H
#define SUMMAND_COMM_SEGMENT_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "comm/nodes.h"
#include "comm/peer_memory.h"
#include "comm/presence.h"
#include "comm/tags.h"

/* Room for each ordered pair of ranks, of which the transport makes queues, and behind those for
 * each rank as much, of which it makes boards: a head, and slots, a power of two of them. The more,
 * the fewer turns a long message needs where ranks share processors; among many ranks they would
 * fill the caches. */
enum {
    SUMMAND__PAIR_HEAD = 4096, /* bytes */
    SUMMAND__SLOT = 16384,     /* bytes */
    SUMMAND__FEW_RANKS = 8,    /* up to so many have most slots */
    SUMMAND__MOST_SLOTS = 16,
    SUMMAND__LEAST_SLOTS = 8
};

/* Pages of a segment are only there once they are touched, so room costs nothing. */
struct summand__segment {
    unsigned char *memory; /* zero at first */
    size_t bytes;
    unsigned slots;     /* of each pair of ranks */
    int rank, ranks;    /* of this node */
    int processors;     /* that these share: summand__nodes */
    int total;          /* ranks of the communicator */
    int *local;         /* rank of the communicator -> rank on this node, or -1 on another one */
    bool whole;         /* the node holds all ranks of the communicator: `local` changes nothing */
    pid_t *processes;   /* of this node, where ranks may read each other's memory; else NULL */
    size_t read_from;   /* bytes from which messages are to be read so; SIZE_MAX where none are */
    bool reads_refused; /* SUMMAND_DIRECT_READ asks for it, and the kernel does not allow it */
    MPI_Comm comm;      /* the state's */
    const struct summand__tags *tags; /* the state's */
    void *user;                       /* what the transport keeps, and how it goes */
    void (*drop)(void *user);
};

/* Collective over `comm`, whose errors return: shares memory among the ranks of each node where
 * SUMMAND_TRANSPORT allows it. `*made` is NULL on all ranks if any of them
 * cannot, and where no node has two ranks. `complaint` (local): rank 0's SUMMAND_TRANSPORT is no
 * transport, or asks for shared memory that is not to be had; or its SUMMAND_DIRECT_READ is nothing
 * that this allows. Returns an MPI error code: also, on all ranks, where one has no memory for what
 * it keeps of the segment. */
int summand__segment_make(MPI_Comm comm, const struct summand__nodes *nodes,
                          struct summand__segment **made, bool *complaint);

static inline size_t summand__pair_bytes(const struct summand__segment *segment)
{
    return SUMMAND__PAIR_HEAD + (size_t)segment->slots * SUMMAND__SLOT;
}

/* A rank of the communicator as a rank of this node, or -1. */
static inline int summand__segment_rank(const struct summand__segment *segment, int rank)
{
    return rank >= 0 && rank < segment->total ? segment->local[rank] : -1;
}

/* A rank of this node as a rank of the communicator. Cost: O(ranks). */
static inline int summand__segment_global(const struct summand__segment *segment, int local)
{
    int rank = 0;
    while (rank + 1 < segment->total && segment->local[rank] != local)
        rank++;
    return rank;
}

/* Where the memory of an ordered pair of ranks of this node begins; from `ranks` on: of a board. */
static inline unsigned char *summand__segment_pair(const struct summand__segment *segment, int from,
                                                   int to)
{
    size_t pair = (size_t)from * (size_t)segment->ranks + (size_t)to;
    return segment->memory + pair * summand__pair_bytes(segment);
}

/* All that a rank of this node tells the others of itself, but for its messages. */
struct summand__told {
    struct summand__presence presence;
    struct summand__given_up given_up;
};
_Static_assert(sizeof(struct summand__told) <= 4096, "it fits into a page");

/* In the page where the rank's queue to itself would begin. */
static inline struct summand__told *summand__segment_told(const struct summand__segment *segment,
                                                          int local)
{
    return (struct summand__told *)(void *)summand__segment_pair(segment, local, local);
}

/* The operations that it has given up. */
static inline struct summand__given_up *
summand__segment_given_up(const struct summand__segment *segment, int local)
{
    return &summand__segment_told(segment, local)->given_up;
}

/* Local; knows no MPI. NULL is nothing. */
void summand__segment_drop(struct summand__segment *segment);

/* Collective over the ranks of the segment's node: `bytes` more of shared memory, on all of them or
 * on none (NULL). To be unmapped by munmap. An MPI error code. */
int summand__segment_share(MPI_Comm node, size_t bytes, unsigned char **memory);

#endif

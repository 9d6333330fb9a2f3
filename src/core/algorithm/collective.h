/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives: one table with a row for each. */
#pragma once

#include <stdbool.h>

enum summand__collective {
    SUMMAND__COLL_REDUCE,               /* sendbuf on all -> recvbuf on root */
    SUMMAND__COLL_ALLREDUCE,            /* sendbuf on all -> recvbuf on all */
    SUMMAND__COLL_BCAST,                /* recvbuf on root -> recvbuf on all */
    SUMMAND__COLL_REDUCE_SCATTER_BLOCK, /* sendbuf on all -> block r in recvbuf of rank r */
    SUMMAND__COLL_REDUCE_SCATTER,       /* the same with blocks of any sizes */
    SUMMAND__COLL_ALLGATHER,            /* sendbuf of rank r -> block r of recvbuf on all */
    SUMMAND__COLL_ALLGATHERV,           /* the same with blocks of any sizes */
    SUMMAND__COLL_SCAN,                 /* sendbuf of ranks 0 to r -> recvbuf of rank r */
    SUMMAND__COLL_EXSCAN,               /* sendbuf of ranks 0 to r - 1 -> recvbuf of rank r > 0 */
    SUMMAND__MPI_COLLECTIVES,           /* those above are MPI's: vectors and blocks */
    SUMMAND__COLL_OUTER = SUMMAND__MPI_COLLECTIVES, /* sums of outer products (outer/mpi/outer.h) */
    SUMMAND__COLL_GEMM, /* products of distributed matrices (matrix/mpi/gemm.h) */
    SUMMAND__COLLECTIVES
};

struct summand__collective_row {
    const char *name;              /* in lists and options */
    const char *call, *init;       /* the public calls, without _c, whose ranks go with these */
    enum summand__collective even; /* with blocks, the same with blocks of one size; else itself */
    bool root;
    bool blocks;    /* one per rank */
    bool offsets;   /* blocks of any sizes */
    bool combines;  /* has an operator */
    bool displaced; /* the caller gives displacements of blocks */
    bool in_place;  /* takes MPI_IN_PLACE */
    bool prefix;    /* a rank's result is of the ranks up to it only */
};

extern const struct summand__collective_row summand__collectives[SUMMAND__COLLECTIVES];

static inline const char *summand__collective_name(enum summand__collective collective)
{
    return summand__collectives[collective].name;
}
static inline bool summand__has_root(enum summand__collective collective)
{
    return summand__collectives[collective].root;
}
static inline bool summand__has_blocks(enum summand__collective collective)
{
    return summand__collectives[collective].blocks;
}
static inline bool summand__has_offsets(enum summand__collective collective)
{
    return summand__collectives[collective].offsets;
}
static inline bool summand__has_operator(enum summand__collective collective)
{
    return summand__collectives[collective].combines;
}
/* Each rank has a result of its own: that of the ranks up to it, or below it. */
static inline bool summand__is_prefix(enum summand__collective collective)
{
    return summand__collectives[collective].prefix;
}
/* Each rank gives its own block, and gets all. */
static inline bool summand__gathers(enum summand__collective collective)
{
    return summand__has_blocks(collective) && !summand__has_operator(collective);
}

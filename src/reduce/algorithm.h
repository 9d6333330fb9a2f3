/* What an algorithm is: a pure function from a call to one rank's schedule, and what is promised of
 * it. Each algorithm is one const struct in a file of its own; table.c names each once. */
#ifndef SUMMAND_REDUCE_ALGORITHM_H
#define SUMMAND_REDUCE_ALGORITHM_H

#include <stdbool.h>
#include <stddef.h>

#include "schedule/schedule.h"

enum summand__collective {
    SUMMAND__COLL_REDUCE,    /* sendbuf on all -> recvbuf on root */
    SUMMAND__COLL_ALLREDUCE, /* sendbuf on all -> recvbuf on all */
    SUMMAND__COLL_BCAST,     /* recvbuf on root -> recvbuf on all */
    SUMMAND__COLLECTIVES
};

/* One rank's view of a call. */
struct summand__call {
    enum summand__collective collective;
    int rank, ranks, root;
    size_t count;  /* elements */
    bool in_place; /* the contribution lies in recvbuf; reduce: at the root only */
};

enum summand__promise {
    SUMMAND__RANK_ORDER = 1, /* operands combined in rank order: for non-commutative operators */
    SUMMAND__SAME_BITS = 2,  /* one bracketing on all ranks */
    SUMMAND__CANONICAL = 4,  /* the bracketing of shape/halving.h, whatever root and count */
};

/* What an operation costs in all: exact formulas, held against the schedules by the verifier. */
struct summand__cost {
    size_t messages; /* sent by all ranks together */
    size_t elements; /* sent by all ranks together */
    size_t depth;    /* messages that wait for one another on the longest chain */
};

struct summand__algorithm {
    const char *name;
    const char *description;
    const char *source;
    unsigned promises; /* of enum summand__promise */
    bool (*applicable)(const struct summand__call *call); /* NULL: always */
    /* NULL where the algorithm does not do the collective. */
    void (*build[SUMMAND__COLLECTIVES])(const struct summand__call *call,
                                        struct summand__schedule *schedule);
    struct summand__cost (*cost)(const struct summand__call *call);
};

/* All algorithms, ended by NULL. */
extern const struct summand__algorithm *const summand__algorithms[];

const struct summand__algorithm *summand__algorithm_named(const char *name);
const char *summand__collective_name(enum summand__collective collective);
bool summand__algorithm_does(const struct summand__algorithm *algorithm,
                             const struct summand__call *call);

/* Builds the schedule of call->rank; false when out of memory. */
bool summand__build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__schedule *schedule);

#endif

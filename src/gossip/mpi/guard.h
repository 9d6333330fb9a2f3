/* SPDX-License-Identifier: BSD-3-Clause */
/* A second copy of what a rank keeps between two steps of a call: counters, indices, pointers,
 * options, layouts. While a rank waits or goes from one step to the next the guard is closed; it is
 * opened before anything is used. A bit that has flipped meanwhile is put back then. */
#ifndef SUMMAND_GOSSIP_MPI_GUARD_H
#define SUMMAND_GOSSIP_MPI_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__guarded {
    void *at;
    size_t words; /* of 8 bytes */
};

enum { SUMMAND__GUARDED_MOST = 7 };

/* Kept twice, each with a seal of its own, for it lies outside of what it guards. */
struct summand__guard_list {
    uint64_t count;
    struct summand__guarded part[SUMMAND__GUARDED_MOST];
    uint64_t *copy;
    size_t room;
    uint64_t content; /* the seal of all parts */
    uint64_t seal;    /* of the words before */
};

struct summand__guard {
    struct summand__guard_list list[2];
};

enum summand__guard_state { SUMMAND__GUARD_SAME, SUMMAND__GUARD_MENDED, SUMMAND__GUARD_LOST };

/* Copies the parts; false when out of memory. A guard of zeros is an empty one. Cost: reading the
 * parts twice. */
bool summand__guard_close(struct summand__guard *guard, const struct summand__guarded *parts,
                          int count);
/* Puts back what has changed. Lost: more has changed than can be mended. */
enum summand__guard_state summand__guard_open(struct summand__guard *guard);
void summand__guard_free(struct summand__guard *guard);

#endif

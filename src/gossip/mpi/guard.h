/* SPDX-License-Identifier: BSD-3-Clause */
/* A second copy of a rank's data between two steps of a call: counters, indices, pointers, options,
 * layouts. The guard is closed while a rank waits or moves to the next step, and opened before any
 * use. Opening repairs bits that have flipped meanwhile. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__guarded {
    void *at;
    size_t words; /* of 8 bytes */
};

enum { SUMMAND__GUARDED_MOST = 7 };

/* Stored twice, each with its own seal, because it lies outside the guarded data. */
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
/* Restores changed words. Lost: more has changed than can be repaired. */
enum summand__guard_state summand__guard_open(struct summand__guard *guard);
void summand__guard_free(struct summand__guard *guard);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Forests of the index tree as operands of a reduction.
 *
 * A forest holds the values of the maximal aligned subtrees of a range of global indices. Forests
 * of adjacent ranges combine like a monoid: adjacent siblings become their parent. So a distributed
 * index tree is an ordinary reduction of forests: p - 1 messages for a reduce, ceil(log2 p) rounds
 * for an all-reduce, at most 2 log2 N values each. k forests form one operand, a bundle. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/error_flag.h"
#include "schedule/operator.h"
#include "shape/dyadic.h"

enum { SUMMAND__FOREST_ROOM = SUMMAND__DYADIC_MAX + 2 };

/* The layout of bundles: a head, a flag if all forests have one range, the ranges, the values. The
 * values j of all forests are contiguous, so forests of one range are merged like a single one of
 * vectors. Values are at the right end of their room, so that a merge can put the left neighbour's
 * values before them. */
struct summand__bundle {
    size_t k;                         /* forests */
    uint32_t signature;               /* of the call */
    struct summand__operator element; /* combines two values; packs them, or NULL: plain bytes */
    size_t stride;                    /* bytes between consecutive values of a forest */
    size_t end;                       /* offset after the last value of the first forest */
    size_t extent;                    /* bytes of the whole bundle */
};

/* The range of a forest, [start, end), and the number of its values: it follows from the range, but
 * is needed often. */
struct summand__range {
    uint64_t start, end;
    uint64_t values;
};

/* `lower` bytes before an element's address, and `upper` from it on, may be
 * touched. */
void summand__bundle_init(struct summand__bundle *bundle, size_t k, uint32_t signature,
                          const struct summand__operator *element, size_t lower, size_t upper);
size_t summand__bundle_extent(const struct summand__bundle *bundle);

/* The operator over bundles (one schedule element each); `bundle` must stay valid. */
struct summand__operator summand__bundle_operator(const struct summand__bundle *bundle);

struct summand__head *summand__bundle_head(void *memory);

/* Initializes a bundle without an error and without forests. */
void summand__bundle_begin(const struct summand__bundle *bundle, void *memory);

/* Sets the range of forest i to [start, start + count); called for all forests in order. Returns
 * the place of its values, `k` apart. */
void *summand__bundle_place(const struct summand__bundle *bundle, void *memory, size_t i,
                            uint64_t start, uint64_t count);

/* Replaces the last value of each forest by the value of its range, which must be [0, N): the root
 * of the index tree. Destroys the forests. */
void summand__bundle_fold(const struct summand__bundle *bundle, void *memory);

/* The root of forest i of a folded bundle; NULL if N is 0. */
const void *summand__bundle_root(const struct summand__bundle *bundle, void *memory, size_t i);

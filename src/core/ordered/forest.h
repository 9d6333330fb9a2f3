/* SPDX-License-Identifier: BSD-3-Clause */
/* Forests of the index tree as operands of a reduction.
 *
 * A forest holds the values of the maximal aligned subtrees of a range of global indices. Forests
 * of adjacent ranges combine like a monoid: siblings that meet become their parent. So a
 * distributed index tree is an ordinary reduction whose operands are forests: p - 1 messages for a
 * reduce, ceil(log2 p) rounds for an all-reduce, at most 2 log2 N values each. k forests travel
 * together as one operand, a bundle. */
#ifndef SUMMAND_ORDERED_FOREST_H
#define SUMMAND_ORDERED_FOREST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/error_flag.h"
#include "schedule/operator.h"
#include "shape/dyadic.h"

enum { SUMMAND__FOREST_ROOM = SUMMAND__DYADIC_MAX + 2 };

/* How bundles lie in memory: a head, whether all forests have one range, the ranges, the values.
 * Value j of all forests lies together, so forests of one range are merged as one whose values are
 * vectors. Values are at the right end of their room, so that a merge can put the left neighbour's
 * values in front of them. */
struct summand__bundle {
    size_t k;                         /* forests */
    uint32_t signature;               /* of the call */
    struct summand__operator element; /* combines two values; packs them, or NULL for plain bytes */
    bool numbers;                     /* our own arithmetic: in the default environment */
    size_t stride;                    /* bytes from a value to the next one of its forest */
    size_t end;                       /* offset behind the last value of the first forest, and */
    size_t extent;                    /* bytes of it all */
};

/* The range of a forest, [start, end), and how many values cover it: known from the range, and kept
 * because it is asked for all the time. */
struct summand__range {
    uint64_t start, end;
    uint64_t values;
};

/* `numbers`: the element operator is one of ordered/number.h, and not the user's, whose environment
 * is left alone. `lower` bytes may be touched in front of an element's address and `upper` bytes
 * from it on. */
void summand__bundle_init(struct summand__bundle *bundle, size_t k, uint32_t signature,
                          const struct summand__operator *element, bool numbers, size_t lower,
                          size_t upper);
size_t summand__bundle_extent(const struct summand__bundle *bundle);

/* The operator over bundles (one schedule element each); `bundle` must stay where it is. */
struct summand__operator summand__bundle_operator(const struct summand__bundle *bundle);

struct summand__head *summand__bundle_head(void *memory);

/* Nothing is wrong yet, and no forest is there. */
void summand__bundle_begin(const struct summand__bundle *bundle, void *memory);

/* Says that forest i covers [start, start + count): of all forests, in their order. Returns where
 * its values go, `k` apart. */
void *summand__bundle_place(const struct summand__bundle *bundle, void *memory, size_t i,
                            uint64_t start, uint64_t count);

/* Makes the last value of each forest that of its range, which must be [0, N): the root of the
 * index tree. Uses the forests up. */
void summand__bundle_fold(const struct summand__bundle *bundle, void *memory);

/* The root of forest i of a bundle that was folded; NULL if N is 0. */
const void *summand__bundle_root(const struct summand__bundle *bundle, void *memory, size_t i);

#endif

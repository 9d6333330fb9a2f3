/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a call: has it a root, blocks, a result on this rank, and where do they lie? */
#ifndef SUMMAND_ALGORITHM_CALL_H
#define SUMMAND_ALGORITHM_CALL_H

#include "algorithm/algorithm.h"

/* Elements [first, first + count) of the vector. */
struct summand__block {
    size_t first, count;
};

/* Elements of the whole vector. */
size_t summand__call_total(const struct summand__call *call);

/* Where the block of a rank lies in the vector. */
struct summand__block summand__call_block(const struct summand__call *call, int rank);

/* The same, where a collective without blocks has its vector cut into one nearly equal slice per
 * rank. */
struct summand__block summand__call_slice(const struct summand__call *call, int rank);

/* How many of these are not empty. Cost: O(1), but for blocks of any sizes. */
size_t summand__call_slices(const struct summand__call *call);

/* Whether the rank gets a result. */
bool summand__call_result(const struct summand__call *call, int rank);

/* Where the rank's contribution lies: a place and region, of no elements if it has none. */
struct summand__region summand__call_input(const struct summand__call *call);

/* Where the rank's result belongs; of no elements if it gets none. */
struct summand__region summand__call_output(const struct summand__call *call);

/* The vector cut into `parts` nearly equal slices: where slice `index` begins. */
size_t summand__cut(size_t total, size_t index, size_t parts);

#endif

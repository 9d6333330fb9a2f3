/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a call: root, blocks, this rank's result, and their positions. */
#pragma once

#include "algorithm/algorithm.h"

/* Elements [first, first + count) of the vector. */
struct summand__block {
    size_t first, count;
};

/* Elements of the whole vector. */
size_t summand__call_total(const struct summand__call *call);

/* The position of a rank's block in the vector. */
struct summand__block summand__call_block(const struct summand__call *call, int rank);

/* The same; for a collective without blocks, the vector is cut into one nearly equal slice per
 * rank. */
struct summand__block summand__call_slice(const struct summand__call *call, int rank);

/* The number of slices that are not empty. Cost: O(1), except for blocks of any sizes. */
size_t summand__call_slices(const struct summand__call *call);

/* True if the rank gets a result. */
bool summand__call_result(const struct summand__call *call, int rank);

/* True if in_place holds for the rank: of a reduction, the root's operand lies in recvbuf. */
bool summand__call_in_place(const struct summand__call *call, int rank);

/* The result of call->rank combines the operands of so many ranks, from rank 0 on. */
int summand__call_contributing(const struct summand__call *call);

/* The place and region of the rank's contribution; without elements if it has none. */
struct summand__region summand__call_input(const struct summand__call *call);

/* The region of the rank's result; without elements if it gets none. */
struct summand__region summand__call_output(const struct summand__call *call);

/* The first element of slice `index` if the vector is cut into `parts` nearly equal slices. */
size_t summand__cut(size_t total, size_t index, size_t parts);

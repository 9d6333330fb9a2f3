/* SPDX-License-Identifier: BSD-3-Clause */
/* Results for a root that all ranks make by rows: the root receives the rows of the others. By
 * blocks of a grid: grid_root.c. */
#pragma once

#include "outer/algorithm/build.h"

/* Where a rank makes its rows, and where the root receives those of others that it may not receive
 * in the result: from `first` on for each layer, contiguously. */
struct summand__outer_rooted {
    uint32_t place;
    size_t first[SUMMAND__OUTER_LAYERS];
};

static inline bool summand__outer_is_rooted(const struct summand__call *call)
{
    return call->outer->result == SUMMAND__OUTER_ROOT;
}

/* Adds the temporary memory. */
void summand__outer_root_begin(const struct summand__outer_build *build,
                               struct summand__outer_rooted *rooted);
/* Appends the product of the factors for rows [row, row + rows) and for columns of the matrix; the
 * rows are this rank's. */
void summand__outer_root_product(const struct summand__outer_build *build,
                                 const struct summand__outer_rooted *rooted, int l,
                                 const struct summand__outer_factors *factors,
                                 const struct summand__outer_block *part);
/* Appends the messages to the root, and its updates. */
void summand__outer_root_collect(const struct summand__outer_build *build,
                                 const struct summand__outer_rooted *rooted);

/* Updates a block of a layer's result by chains that the root received, from element `from` of a
 * place on, contiguously. `tells`: its rows are complete then. */
void summand__outer_root_apply(const struct summand__outer_build *build, uint32_t place,
                               size_t from, int l, const struct summand__outer_block *block,
                               bool tells);

struct summand__cost summand__outer_root_cost(const struct summand__call *call);
double summand__outer_root_seconds(const struct summand__call *call,
                                   const struct summand__model *model);

/* Seconds until the root has `bytes` from so many ranks; each sends it `messages`. */
double summand__outer_to_root_seconds(const struct summand__call *call, double ranks,
                                      double messages, double bytes,
                                      const struct summand__model *model);

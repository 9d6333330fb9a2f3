/* SPDX-License-Identifier: BSD-3-Clause */
/* Which elements computations depend on, and whether their rectangles match. */
#pragma once

#include "schedule/compute.h"

/* True if shapes match, and lie in the regions that the step declares. */
bool summand__computation_fits(const struct summand__computation *computation,
                               const struct summand__step *step);

/* The number of links in a chain of this computation; 1 for others. */
size_t summand__chain_length(const struct summand__computation *computation);

/* The element of an operand, counted from its first one, on which link k of element (i, j)
 * depends. */
size_t summand__part_element(enum summand__operand_part part,
                             const struct summand__rectangle *shape, size_t i, size_t j, size_t k);

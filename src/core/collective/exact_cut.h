/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts the vector of an exact sum into segments and parts. */
#pragma once

#include "algorithm/algorithm.h"
#include "collective/exact_layout.h"

/* Numbers whose lanes may travel in the opening. */
enum { SUMMAND__EXACT_FEW = 256 };

/* The layouts of the segments of a call with `each` numbers per element. `scatters`: the ranks of a
 * long all-reduce may round a part each. NULL when out of memory. */
struct summand__exact_layout *summand__exact_cut(const struct summand__call *call,
                                                 enum summand__lanes_type type, size_t each,
                                                 bool scatters, int *segments);
void summand__exact_layouts_free(struct summand__exact_layout *layouts, int segments);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Slices: the slices of each rank, and the order in which their parts travel (slices_parts.c); the
 * schedules (slices.c) and their estimate (slices_time.c) share them. */
#pragma once

#include "outer/algorithm/build.h"

/* The elements of a pair for a rank's block, over all layers. */
struct summand__outer_need {
    size_t a, b;
};

/* A factor's slices of all pairs that this rank takes; and its own pairs, cut for others, block
 * after block. Slices are in parts of rows and of columns. */
struct summand__outer_side {
    enum summand__outer_place which;
    size_t part, parts;
    uint32_t all, own;
    bool whole;       /* all ranks take the same slices, and send them from their place in `all` */
    size_t at, width; /* first element of this rank's slices, and their columns */
};

/* The order in which parts travel: the first parts of both factors together, then single parts,
 * each of the factor that has had the smaller share of its own. */
struct summand__outer_order {
    size_t parts[2], seen[2]; /* of a and b */
    int last;                 /* the factor of the last part */
};

struct summand__outer_need summand__outer_need_of(const struct summand__call *call, int rank);

/* The number of parts of a factor, the same on all ranks; and one of its parts. */
size_t summand__outer_side_parts(const struct summand__call *call, enum summand__outer_place which);
struct summand__outer_side summand__outer_side_of(const struct summand__call *call,
                                                  enum summand__outer_place which, size_t part);
/* Of layer l, the first row or column that a rank takes in a part, and their number. */
size_t summand__outer_side_slice(const struct summand__call *call,
                                 const struct summand__outer_side *side, int l, int rank,
                                 size_t *count);
/* Elements of a pair that a rank takes in a part; and in the parts before. */
size_t summand__outer_side_width(const struct summand__call *call,
                                 const struct summand__outer_side *side, int rank);
size_t summand__outer_side_before(const struct summand__call *call,
                                  const struct summand__outer_side *side, int rank);

/* The first parts; and the next one: false if there is none. */
struct summand__outer_order summand__outer_order_of(const struct summand__call *call);
bool summand__outer_order_next(struct summand__outer_order *order);

/* The cost of the exchange of all parts. */
struct summand__cost summand__outer_slices_cost(const struct summand__call *call);

double summand__outer_slices_estimate(const struct summand__algorithm *algorithm,
                                      const struct summand__call *call, size_t element,
                                      const struct summand__model *model);

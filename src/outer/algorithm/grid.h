/* SPDX-License-Identifier: BSD-3-Clause */
/* The grid: slices and bands (grid_parts.c), which its schedules (grid.c; grid_root.c) and its
 * estimate (grid_time.c) share. */
#pragma once

#include "outer/algorithm/line.h"

/* Slices of a factor: member m of the exchange line takes slice m. */
struct summand__outer_grid_side {
    enum summand__outer_place which;
    enum summand__outer_line_kind across,
        along; /* the line of the exchange, the line of the gather */
    struct summand__outer_line exchange, gather; /* this rank's lines of these kinds */
    size_t width;                                /* elements of this rank's slice of a pair */
    uint32_t got, own,
        all; /* gathered slices; own pairs, cut for others; slices in the order of pairs */
};

/* Results for a root: where a rank makes the blocks of even and of odd bands, which travel while it
 * makes the next ones; and where the root receives those of all others. */
struct summand__outer_grid_rooted {
    uint32_t made[2], received;
};

/* A whole result, on all ranks or a root, is made in bands of rows. Each band is a sum of outer
 * products of its own, with the same b. Other results are one band. */
struct summand__outer_grid_band {
    int number;
    struct summand__outer_shape shape;
    struct summand__outer_layer layer[SUMMAND__OUTER_LAYERS];
    struct summand__call call;
    size_t row[SUMMAND__OUTER_LAYERS]; /* the first one of each layer */
    struct summand__outer_build build; /* of a schedule */
    struct summand__outer_grid_side *side;
    const struct summand__outer_grid_rooted *rooted; /* or NULL */
};

static inline bool summand__outer_grid_whole(const struct summand__call *call)
{
    return call->outer->result == SUMMAND__OUTER_ALL;
}

/* A gather along rows brings pairs by columns. They are in order only if there is one row or one
 * column. */
static inline bool summand__outer_grid_in_order(const struct summand__outer_grid_side *side)
{
    return side->which == SUMMAND__OUTER_B || side->exchange.ranks == 1 || side->gather.ranks == 1;
}

struct summand__outer_grid_side summand__outer_grid_side_of(const struct summand__call *call,
                                                            enum summand__outer_place which,
                                                            int rank);

/* The number of bands; and one of them: its call and its layers. */
int summand__outer_grid_bands(const struct summand__call *call);
void summand__outer_grid_cut(const struct summand__call *call, int number,
                             struct summand__outer_grid_band *band);

/* Adds the temporary memory. */
void summand__outer_grid_root_begin(const struct summand__outer_build *build,
                                    struct summand__outer_grid_rooted *rooted);
/* Appends the product of the factors for rows [from, from + rows) of this rank's block. */
void summand__outer_grid_root_product(const struct summand__outer_grid_band *band,
                                      const struct summand__outer_build *build, int l,
                                      const struct summand__outer_factors *factors, size_t from,
                                      size_t rows);
/* Appends the messages of a band to the root, and its copies or updates. */
void summand__outer_grid_root_collect(const struct summand__outer_grid_band *band);
struct summand__cost summand__outer_grid_root_cost(const struct summand__call *call);
/* Seconds until the root has received so many bytes; and until it has taken them. */
double summand__outer_grid_root_seconds(const struct summand__call *call, double bytes,
                                        const struct summand__model *model);
double summand__outer_grid_root_taking(const struct summand__call *call, double bytes,
                                       const struct summand__model *model);

double summand__outer_grid_estimate(const struct summand__algorithm *algorithm,
                                    const struct summand__call *call, size_t element,
                                    const struct summand__model *model);

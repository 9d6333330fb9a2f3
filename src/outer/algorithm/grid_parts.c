/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices that a rank of a grid takes, and the bands of a whole result. */
#include "outer/algorithm/grid.h"
#include "outer/algorithm/root.h"

struct summand__outer_grid_side summand__outer_grid_side_of(const struct summand__call *call,
                                                            enum summand__outer_place which,
                                                            int rank)
{
    bool a = which == SUMMAND__OUTER_A;
    struct summand__outer_grid_side side = {
        .which = which,
        .across = a ? SUMMAND__OUTER_LINE_B : SUMMAND__OUTER_LINE_A,
        .along = a ? SUMMAND__OUTER_LINE_A : SUMMAND__OUTER_LINE_B};
    side.exchange = summand__outer_line_of(call, side.across, rank);
    side.gather = summand__outer_line_of(call, side.along, rank);
    side.width = summand__outer_slice(call, which, side.exchange.own);
    return side;
}

int summand__outer_grid_bands(const struct summand__call *call)
{
    bool whole = summand__outer_grid_whole(call) || summand__outer_is_rooted(call);
    int bands = whole ? call->outer->bands : 1;
    return bands < 1 ? 1 : bands < SUMMAND__OUTER_PARTS ? bands : SUMMAND__OUTER_PARTS;
}

void summand__outer_grid_cut(const struct summand__call *call, int number,
                             struct summand__outer_grid_band *band)
{
    size_t bands = (size_t)summand__outer_grid_bands(call), first = (size_t)number;
    band->number = number;
    band->shape = *call->outer;
    band->shape.layer = band->layer;
    band->call = *call;
    band->call.outer = &band->shape;
    for (int l = 0; l < call->outer->layers; l++) {
        size_t rows = call->outer->layer[l].rows;
        band->layer[l] = call->outer->layer[l];
        band->row[l] = summand__cut(rows, first, bands);
        band->layer[l].rows = summand__cut(rows, first + 1, bands) - band->row[l];
    }
}

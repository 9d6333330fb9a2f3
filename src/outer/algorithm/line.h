/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines: the rows and columns of a grid of ranks, or groups of consecutive ranks, in which parts of
 * sums of outer products are gathered. A line has no communicator: its allgather is embedded. */
#pragma once

#include "outer/algorithm/build.h"

/* Ranks base + m stride; this one is number `own`. */
struct summand__outer_line {
    int base, stride, ranks, own;
};

struct summand__outer_line summand__outer_line_of(const struct summand__call *call,
                                                  enum summand__outer_line_kind kind, int rank);

/* The first rank of the longest line; all lines use its algorithm. */
int summand__outer_longest_line(const struct summand__call *call,
                                enum summand__outer_line_kind kind);

/* The block of a rank of the grid, for any result. */
struct summand__outer_block summand__outer_grid_block(const struct summand__call *call, int l,
                                                      int rank);
/* Elements of a or b of one pair, over all layers, that row or column `index` of the grid needs;
 * and those of the rows or columns before it. */
size_t summand__outer_slice(const struct summand__call *call, enum summand__outer_place which,
                            int index);
size_t summand__outer_slices_before(const struct summand__call *call,
                                    enum summand__outer_place which, int index);

/* The allgather of a rank's line; of layer l, if the line gathers a result. `offsets` has room for
 * its ranks and one more. */
struct summand__call summand__outer_line_call(const struct summand__call *call,
                                              enum summand__outer_line_kind kind, int l, int rank,
                                              size_t *offsets);

/* Appends this rank's allgather of one or two kinds of lines at once, into places from elements
 * `at` on. Without memory the schedule fails. */
struct summand__outer_line_target {
    enum summand__outer_line_kind kind;
    int l;
    uint32_t place;
    size_t at;
};
void summand__outer_gather_lines(const struct summand__outer_build *build, int kinds,
                                 const struct summand__outer_line_target *target);

/* The cost of all lines of a kind together; the depth is that of the deepest. */
struct summand__cost summand__outer_lines_cost(const struct summand__call *call,
                                               enum summand__outer_line_kind kind, int l,
                                               bool depth);

/* True if the ends of nodes cut some of these lines of consecutive ranks, at different places. */
bool summand__outer_line_straddles(int ranks, enum summand__outer_line_kind kind,
                                   const struct summand__outer_line *line, double node);
/* The machine as a line of a kind sees it. Consecutive ranks have the communicator's ranks per
 * node; if they straddle nodes, about half of the line's, and its card has the next line, too. A
 * line across has fewer, and shares the card with the lines beside it. */
struct summand__model summand__outer_line_model(const struct summand__call *call,
                                                enum summand__outer_line_kind kind,
                                                const struct summand__model *model);

/* Estimated seconds of the longest line of a kind, which gathers `bytes` in all. */
double summand__outer_line_time(const struct summand__call *call,
                                enum summand__outer_line_kind kind, double bytes,
                                const struct summand__model *model);

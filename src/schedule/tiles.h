/* The local part of a move of a matrix: what two arrays have in common, as computations that pack,
 * unpack or transpose rectangles. */
#ifndef SUMMAND_SCHEDULE_TILES_H
#define SUMMAND_SCHEDULE_TILES_H

#include "schedule/combs.h"
#include "schedule/compute.h"

/* An array of columns, `lead` elements from one to the next, in a place of a schedule. */
struct summand__columns {
    uint32_t place;
    size_t first, lead;
};

/* Appends what copies all rows and columns that the combs name. Rows are contiguous in columns, so
 * rectangles have columns as their rows. Two ways are there: rectangles as wide as a run of rows,
 * over many columns; or of all runs of rows of one column. The one with fewer steps is taken: a
 * step costs some 300 bytes of the plan, and about 50 ns besides its elements. */
void summand__tiles_copy(struct summand__schedule *schedule, const struct summand__combs *rows,
                         const struct summand__combs *columns, struct summand__columns from,
                         struct summand__columns to);

/* The same, transposed: rows and columns are those of `from`, and `to` has them as its columns and
 * rows. */
void summand__tiles_transpose(struct summand__schedule *schedule, const struct summand__combs *rows,
                              const struct summand__combs *columns, struct summand__columns from,
                              struct summand__columns to);

/* Whether the rows and columns lie in one piece of an array with that lead (`sends`: of where they
 * come from, else of where they go), in the order of a message; then `first` is where it begins. */
bool summand__tiles_contiguous(const struct summand__combs *rows,
                               const struct summand__combs *columns, bool sends, size_t lead,
                               size_t *first);

#endif

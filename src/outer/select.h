/* SPDX-License-Identifier: BSD-3-Clause */
/* Which algorithm makes a sum of outer products, and which collectives run inside. */
#ifndef SUMMAND_OUTER_SELECT_H
#define SUMMAND_OUTER_SELECT_H

#include "outer/algorithm/shape.h"
#include "select/select.h"

/* Chooses the collectives inside of a shape that is prepared, as summand__select does for each, and
 * with it the share of the hybrid, for which the shape is laid out again; then `choice`, as there.
 * `query`: all but the collective, bytes, element and shape. `inside`: what is named for the
 * collectives inside that it does, or NULL and parameters. `call` is rank 0's, whose shape this is.
 */
enum summand__selection
summand__select_outer(const struct summand__query *query, const struct summand__tuning *tuning,
                      struct summand__outer_shape *shape, const struct summand__outer_part *inside,
                      const struct summand__call *call, struct summand__choice *choice);

/* The same for what nobody asked for, on a model: the parts of a square (outer/shape.h). */
bool summand__select_square(struct summand__outer_square *square, int ranks,
                            const struct summand__model *model);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The choice of the algorithm for a sum of outer products, and of the collectives inside. */
#pragma once

#include "outer/algorithm/shape.h"
#include "select/select.h"

/* Chooses the collectives inside of a prepared shape, as summand__select does for each. It also
 * chooses the hybrid's share, and lays out the shape again for it. Then it chooses `choice`, as
 * there. `query`: all but the collective, bytes, element and shape. `inside`: named algorithm for
 * the collectives inside that it does, or NULL; and parameters. `call` is rank 0's, with this
 * shape.
 */
enum summand__selection
summand__select_outer(const struct summand__query *query, const struct summand__tuning *tuning,
                      struct summand__outer_shape *shape, const struct summand__outer_part *inside,
                      const struct summand__call *call, struct summand__choice *choice);

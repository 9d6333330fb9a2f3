/* SPDX-License-Identifier: BSD-3-Clause */
/* Passes over the whole result of a sum of outer products, one for each rank's pairs. */
#pragma once

#include "outer/algorithm/build.h"

/* Estimated seconds of the passes over all layers; each rank has so many pairs. All passes but the
 * first also read the result. */
static inline double summand__outer_passes_seconds(const struct summand__outer_shape *shape,
                                                   double ranks, double pairs,
                                                   const struct summand__model *model)
{
    double time = 0;
    for (int l = 0; l < shape->layers; l++)
        time +=
            (2 * ranks - 1) * summand__outer_seconds(shape, (double)shape->layer[l].rows,
                                                     (double)shape->layer[l].columns, pairs, model);
    return time;
}

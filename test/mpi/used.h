/* SPDX-License-Identifier: BSD-3-Clause */
/* Options for any algorithm. */
#pragma once

#include <summand/options.h>

#include "algorithm/algorithm.h"

/* The options without the parameters that the named algorithm does not use: those are errors. */
static inline summand_options only_used(summand_options o)
{
    const struct summand__algorithm *a = o.algorithm ? summand__algorithm_named(o.algorithm) : NULL;
    if (!a)
        return o;
    o.segment = a->limits[SUMMAND__SEGMENT].most ? o.segment : 0;
    o.radix = a->limits[SUMMAND__RADIX].most ? o.radix : 0;
    o.node_size = a->limits[SUMMAND__NODE_SIZE].most ? o.node_size : 0;
    o.leaders = a->limits[SUMMAND__LEADERS].most ? o.leaders : 0;
    o.radix_between = a->limits[SUMMAND__INTER_NODE_RADIX].most ? o.radix_between : 0;
    return o;
}

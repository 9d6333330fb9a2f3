/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages around the ring of ranks: to whom, from whom, and which data. */
#pragma once

#include <stddef.h>

#include "mpi/harness.h"

static inline double value(int rank, int message, size_t i)
{
    return rank * 1000.0 + message * 100000.0 + (double)(i % 997);
}

static inline int next(void)
{
    return (harness_rank + 1) % harness_ranks;
}

static inline int last(void)
{
    return (harness_rank + harness_ranks - 1) % harness_ranks;
}

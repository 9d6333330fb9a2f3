/* SPDX-License-Identifier: BSD-3-Clause */
/* Sets of elements in memory, such as rows or columns of an array, and a test if two sets share
 * bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* `count` runs of `bytes` bytes. Each begins `apart` bytes after the previous one, at least `bytes`
 * if there are several. NULL: no runs. */
struct summand__runs {
    const void *begin;
    size_t count, bytes, apart;
};

/* True if two sets share bytes. Exact: runs of one array may interleave. Cost: O(1) if the ranges
 * are disjoint or the runs contiguous, else O(runs of b). */
bool summand__runs_meet(const struct summand__runs *a, const struct summand__runs *b);

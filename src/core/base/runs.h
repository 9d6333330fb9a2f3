/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements in memory as rows or columns of an array have them, and whether two such sets have bytes
 * in common. */
#ifndef SUMMAND_BASE_RUNS_H
#define SUMMAND_BASE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

/* `count` runs of `bytes` bytes. Each begins `apart` bytes after the one before: at least `bytes`,
 * if there are several. NULL: none. */
struct summand__runs {
    const void *begin;
    size_t count, bytes, apart;
};

/* Exact: runs of one array may lie side by side. Cost: O(1) where the ranges are disjoint or the
 * runs are contiguous, else O(runs of b). */
bool summand__runs_meet(const struct summand__runs *a, const struct summand__runs *b);

#endif

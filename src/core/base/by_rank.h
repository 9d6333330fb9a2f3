/* SPDX-License-Identifier: BSD-3-Clause */
/* Values that differ between ranks, in words. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A table with an entry of `bytes` bytes for each rank. */
struct summand__by_rank {
    const void *entries;
    size_t bytes;
    int ranks;
    bool (*alike)(const void *a, const void *b);
    const char *(*say)(const void *entry);
};

/* Writes "count: 1000 on rank 0, 500 on ranks 1-3". Many values, or ranks, end in "others". */
void summand__by_rank_say(const struct summand__by_rank *table, const char *name, char *text,
                          size_t room);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Measures how a core best reads and writes memory, in a block larger than its caches. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/stream.h"

/* The block should be twice as long as two cores' share of a last cache. In a shorter one, ordinary
 * stores never reach memory, and look too fast for long results. */
enum {
    SUMMAND__BLOCK_BYTES = 32 << 20,
    SUMMAND__BLOCK_LEAST = 8 << 20 /* larger than second-level caches */
};

/* Allocates memory and writes its pages, `*bytes` of SUMMAND__BLOCK_BYTES: those written by `until`
 * (of summand__clock()), but at least SUMMAND__BLOCK_LEAST. NULL when out of memory. Free it. */
void *summand__block_make(uint64_t until, size_t *bytes);

/* Nanoseconds per byte for writing in that use: a product's result, or copies from a cache, in
 * pieces like those of a message. `from`: 128 KiB of numbers. Changes the process's setting for a
 * moment. */
double summand__store_time(enum summand__stream_use use, bool bypassing, void *to, size_t bytes,
                           const void *from);

/* The prefetch distance in bytes (kernel/prefetch.h) with which a sum of SUMMAND__BLOCK_LEAST bytes
 * from memory takes the least time; of those tried by `until`. */
int64_t summand__best_prefetch(double *block, uint64_t until);

/* SPDX-License-Identifier: BSD-3-Clause */
/* How one core's memory is best read and written: measured in a block that its caches do not hold.
 */
#ifndef SUMMAND_CALIBRATE_MEMORY_H
#define SUMMAND_CALIBRATE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/stream.h"

/* The block should be twice what two cores together find in a last cache: in a shorter one ordinary
 * stores never reach memory, and look better than they are for a long result. */
enum {
    SUMMAND__BLOCK_BYTES = 32 << 20,
    SUMMAND__BLOCK_LEAST = 8 << 20 /* more than second-level caches hold */
};

/* Memory whose pages are there, `*bytes` of SUMMAND__BLOCK_BYTES: as many as were written by
 * `until` (of summand__clock()), but no less than SUMMAND__BLOCK_LEAST. NULL if there is none.
 * To be freed. */
void *summand__block_make(uint64_t until, size_t *bytes);

/* Nanoseconds that writing a byte takes in that use: of a product's result, or copied from a cache
 * in pieces, as pieces of a message are. `from`: 128 KiB of numbers. Changes for a moment what the
 * process goes by. */
double summand__store_time(enum summand__stream_use use, bool bypassing, void *to, size_t bytes,
                           const void *from);

/* Bytes ahead (kernel/prefetch.h), by which way a sum of SUMMAND__BLOCK_LEAST bytes from memory
 * takes the least time; of what was tried by `until`. */
int64_t summand__best_prefetch(double *block, uint64_t until);

#endif

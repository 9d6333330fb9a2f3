/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies that bypass the caches. A store to a line that is not in the cache reads it first, to
 * overwrite it; and what is not read again soon only drives out what is. */
#ifndef SUMMAND_KERNEL_STREAM_H
#define SUMMAND_KERNEL_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this processor has such stores; else the copy below is an ordinary one. */
bool summand__streams(void);

/* What is long and not read again soon: results of products, and what was received and is only
 * copied. */
enum summand__stream_use { SUMMAND__STREAM_RESULTS, SUMMAND__STREAM_COPIES, SUMMAND__STREAM_USES };

/* Of the time of ordinary stores, what such stores take in that use, in percent. Processors differ:
 * some keep whole lines that are overwritten from being read first. As was measured (calibrate/);
 * 0 at first. For the whole process; it changes no bits. */
void summand__stream_set(enum summand__stream_use use, int64_t percent);
int64_t summand__stream_percent(enum summand__stream_use use);

/* Whether the caches are bypassed in that use. */
static inline bool summand__stream_pays(enum summand__stream_use use)
{
    return summand__streams() && summand__stream_percent(use) < 100;
}

/* memcpy, for a target that nobody reads soon. Other threads and processes may see it later than
 * stores that follow, but for those after the fence below. Where source and target begin at the
 * same address nothing is done. Cost: one read of the source, one write of the target; of less than
 * a few hundred bytes more than memcpy.
 */
void summand__stream_copy(void *to, const void *from, size_t bytes);

/* Stores from here on come after the copies before. Cost: the time that these still take, so one
 * for many. */
void summand__stream_fence(void);

#endif

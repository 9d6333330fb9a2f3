/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of long data: through the caches, and past them. An ordinary store to a line that is not
 * in the cache first reads the line, only to overwrite it. And data that are not read again soon
 * displace data that are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* True if this processor has such stores; else the copy below is an ordinary one. */
bool summand__streams(void);

/* Long data that are not read again soon: results of products, and received data that are only
 * copied. */
enum summand__stream_use { SUMMAND__STREAM_RESULTS, SUMMAND__STREAM_COPIES, SUMMAND__STREAM_USES };

/* Sets the time of such stores in that use, in percent of ordinary stores, as measured
 * (calibrate/). Processors differ: some do not read lines first that are overwritten whole. 0 at
 * first. For the whole process; it changes no bits. */
void summand__stream_set(enum summand__stream_use use, int64_t percent);
int64_t summand__stream_percent(enum summand__stream_use use);

/* True if it pays to bypass the caches in that use. */
static inline bool summand__stream_pays(enum summand__stream_use use)
{
    return summand__streams() && summand__stream_percent(use) < 100;
}

/* memcpy, for a target that nobody reads soon. Other threads and processes may see it later than
 * stores that follow; stores after the fence below come later. If source and target begin at the
 * same address nothing is done. Cost: one read of the source, one write of the target; more than
 * memcpy for less than a few hundred bytes. */
void summand__stream_copy(void *to, const void *from, size_t bytes);

/* Orders stores from here on after the copies before. Cost: the remaining time of these copies, so
 * use one fence for many. */
void summand__stream_fence(void);

enum { SUMMAND__COPY_BYTES_LONG = 2048 };
void summand__copy_bytes_long(void *to, const void *from, size_t bytes);

/* memcpy, at one price for all places. glibc's copies 2 KiB and more by `rep movsb` on processors
 * that are said to be quick at that. On a Zen 3 this takes 10 to 25 times as long where the target
 * begins a few bytes further in its page than the source in its own: as memory from malloc does,
 * which begins 16 bytes behind a page's edge, and a queue's slot at the edge. */
static inline void summand__copy_bytes(void *to, const void *from, size_t bytes)
{
    if (bytes < SUMMAND__COPY_BYTES_LONG)
        memcpy(to, from, bytes);
    else
        summand__copy_bytes_long(to, from, bytes);
}

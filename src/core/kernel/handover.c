/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/handover.h"

#include "base/backoff.h"
#include "base/page.h"
#include "kernel/stream.h"

/* An ordinary store of a line took the writer 7 ns if the two cores share a cache, and 27 if they
 * do not (EPYC, Zen 4). One that bypasses the caches took 2, and 6 with the reader's part.
 *
 * One slow measurement may come from a process that lost its processor, so the kind of copy changes
 * only after some in a row. To measure ordinary copies costs little while they are in use, and is
 * rare while they are not. */
enum { LINE = 64, SLOW_LINE = 13, ALIKE = 3, LOOK_EVERY = 16, LOOK_RARELY = 256 };

void summand__handover_saw(struct summand__handover *handover, size_t bytes, uint64_t nanoseconds)
{
    bool slow = nanoseconds * LINE > (uint64_t)bytes * SLOW_LINE;
    if (slow == handover->bypasses) {
        handover->alike = 0;
        handover->left = (handover->bypasses ? LOOK_RARELY : LOOK_EVERY) - 1;
    } else if (++handover->alike == ALIKE) {
        handover->bypasses = slow;
        handover->alike = 0;
        handover->left = (slow ? LOOK_RARELY : LOOK_EVERY) - 1;
    }
}

/* A copy to pages of the slots that none has reached: until all slots have them, nothing is
 * measured. */
static void reach(struct summand__handover *handover, size_t bytes)
{
    const size_t pages = (bytes + SUMMAND__PAGE - 1) / SUMMAND__PAGE;
    if (pages <= handover->pages)
        return;
    handover->pages = (uint16_t)(pages < UINT16_MAX ? pages : UINT16_MAX);
    handover->alike = 0;
    if (handover->left < handover->slots)
        handover->left = handover->slots;
}

void summand__handover_long(struct summand__handover *handover, void *to, const void *from,
                            size_t bytes)
{
    reach(handover, bytes);
    if (handover->left || !summand__streams()) {
        handover->left -= handover->left > 0;
        if (handover->bypasses) {
            summand__stream_copy(to, from, bytes);
            summand__stream_fence();
        } else {
            summand__copy_bytes(to, from, bytes);
        }
        return;
    }
    uint64_t begin = summand__clock();
    summand__copy_bytes(to, from, bytes);
    summand__handover_saw(handover, bytes, summand__clock() - begin);
}

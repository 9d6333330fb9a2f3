/* SPDX-License-Identifier: BSD-3-Clause */
/* What a recorded run of a schedule shows: when each rank computed, sent and waited, when data were
 * in flight, and how much of that was hidden behind computations. Of all ranks' records, on one
 * clock. */
#ifndef SUMMAND_LAB_TIMELINE_TIMELINE_H
#define SUMMAND_LAB_TIMELINE_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "exec/record.h"

enum summand__timeline_kind {
    SUMMAND__TIMELINE_COMPUTING, /* computations, copies, reductions */
    SUMMAND__TIMELINE_SENDING,   /* puts, notifications, sends */
    SUMMAND__TIMELINE_WAITING,   /* for a counter, for messages, for buffers */
    SUMMAND__TIMELINE_KINDS
};

/* Data of one notification, or of one message, from where it begins to be sent until it is
 * there. */
struct summand__transfer_time {
    int from, to;
    double begin, end; /* s */
    uint64_t bytes;
};

struct summand__timeline {
    int ranks;
    struct summand__recorded **of; /* [in] of each rank, in the order of time */
    size_t *count;
    /* [in] Puts are at the target when they return (SUMMAND__NOTIFY_COMPLETES); else when the
     * target has waited for their counter, at the latest. */
    bool immediate;

    double begin, end; /* of all */
    struct summand__transfer_time *transfer;
    size_t transfers;
    bool failed; /* out of memory */
};

/* Times of one rank, s. Data are in flight while at least one transfer to the rank is; of that time
 * so much is hidden as the rank computes meanwhile. */
struct summand__timeline_rank {
    double of_kind[SUMMAND__TIMELINE_KINDS], in_flight, hidden;
};

/* Finds the transfers. */
void summand__timeline_make(struct summand__timeline *timeline);
void summand__timeline_free(struct summand__timeline *timeline);

enum summand__timeline_kind summand__timeline_kind_of(const struct summand__recorded *recorded);
struct summand__timeline_rank summand__timeline_rank_of(struct summand__timeline *timeline,
                                                        int rank);

/* Of all ranks: hidden communication by all communication; NaN without any. Operations, and bytes
 * that were transferred. And measured rates: operations of computations by the time that they took
 * on a rank, bytes of the fastest transfer by its time, as others may have waited for a rank that
 * had better things to do. */
struct summand__timeline_sum {
    double overlap, operations, bytes, flop_rate, bandwidth;
};
struct summand__timeline_sum summand__timeline_sum_of(struct summand__timeline *timeline);

/* The dimension from which on the transfer of a block of b x b elements takes no longer than the
 * product of two such blocks, 2 b^3 - b^2 operations: b >= 1/2 + bits / (2 bandwidth flop). Source:
 * Schmidtobreick (2017), section 5.2.3, equations 5.10 to 5.12, where 16 ranks share 40 Gbit/s of
 * 1024^3 and b is 382; its network carries 32e9 bit/s, with which b is 512.
 * @param bits of an element
 * @param bandwidth bit/s of one rank
 * @param flop s of an operation */
double summand__hidden_from(double bits, double bandwidth, double flop);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Analyses recorded runs of a schedule: when each rank computed, sent and waited, when data were in
 * flight, and how much of that computations hid. Reads the records of all ranks, on one clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "exec/record.h"

enum summand__timeline_kind {
    SUMMAND__TIMELINE_COMPUTING, /* computations, copies, reductions */
    SUMMAND__TIMELINE_SENDING,   /* puts, notifications, sends */
    SUMMAND__TIMELINE_WAITING,   /* for a counter, for messages, for buffers */
    SUMMAND__TIMELINE_KINDS
};

/* Data of one notification or one message, from the begin of its send until it has arrived. */
struct summand__transfer_time {
    int from, to;
    double begin, end; /* s */
    uint64_t bytes;
};

struct summand__timeline {
    int ranks;
    struct summand__recorded **of; /* [in] of each rank, in order of time */
    size_t *count;
    /* [in] Puts have landed when they return (SUMMAND__NOTIFY_COMPLETES); else at the latest when
     * the target has waited for their counter. */
    bool immediate;

    double begin, end; /* of all */
    struct summand__transfer_time *transfer;
    size_t transfers;
    bool failed; /* out of memory */
};

/* Times of one rank, s. Data are in flight while at least one transfer to the rank is; they are
 * hidden while the rank computes. */
struct summand__timeline_rank {
    double of_kind[SUMMAND__TIMELINE_KINDS], in_flight, hidden;
};

/* Finds the transfers. */
void summand__timeline_make(struct summand__timeline *timeline);
void summand__timeline_free(struct summand__timeline *timeline);

enum summand__timeline_kind summand__timeline_kind_of(const struct summand__recorded *recorded);
struct summand__timeline_rank summand__timeline_rank_of(struct summand__timeline *timeline,
                                                        int rank);

/* Sums over all ranks: the hidden share of communication (NaN without any), operations and
 * transferred bytes. Measured rates: operations by the time of computations on a rank; bytes by
 * time of the fastest transfer, as others may have waited for a busy rank. */
struct summand__timeline_sum {
    double overlap, operations, bytes, flop_rate, bandwidth;
};
struct summand__timeline_sum summand__timeline_sum_of(struct summand__timeline *timeline);

/* The dimension b from which on the transfer of a block of b x b elements takes no longer than the
 * product of two such blocks, 2 b^3 - b^2 operations: b >= 1/2 + bits / (2 bandwidth flop). Source:
 * Schmidtobreick (2017), section 5.2.3, equations 5.10 to 5.12: 16 ranks share 40 Gbit/s of 1024^3,
 * and b is 382. Its network carries 32e9 bit/s, which gives b = 512.
 * @param bits of an element
 * @param bandwidth bit/s of one rank
 * @param flop s of an operation */
double summand__hidden_from(double bits, double bandwidth, double flop);

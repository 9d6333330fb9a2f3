/* SPDX-License-Identifier: BSD-3-Clause */
/* What a pipeline sends to the next rank.
 *
 * Late messages (schedule.h) wait for their receiver, the short ones too. Without it a rank that
 * only sends completes its whole vector at once: where a network shares its bandwidth among
 * the messages in flight, none of them arrives before nearly all do, and pipelines stand still; and
 * the receiver has to buffer them. */
#ifndef SUMMAND_BASE_PACE_H
#define SUMMAND_BASE_PACE_H

enum {
    SUMMAND__PACED_BYTES = 65536 /* longer ones wait anyway, in every MPI that we know */
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The pace of a pipeline.
 *
 * Its messages (those with a lag: schedule.h) wait for their receiver, even short ones. Otherwise a
 * rank that only sends would complete its whole vector at once. If a network shares its bandwidth
 * among all messages in flight, none arrives before nearly all do, so pipelines stall. The receiver
 * would also have to buffer them. */
#pragma once

enum {
    SUMMAND__PACED_BYTES = 65536 /* in every MPI that we know, longer ones wait anyway */
};

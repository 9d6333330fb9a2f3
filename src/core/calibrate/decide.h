/* SPDX-License-Identifier: BSD-3-Clause */
/* Which messages of a node are read in their sender's memory, decided from times of both ways.
 * Pure: the same samples, the same answer. */
#ifndef SUMMAND_CALIBRATE_DECIDE_H
#define SUMMAND_CALIBRATE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMMAND__PAIR_SIZES = 6,   /* of messages that are tried: 4 KiB, 8 KiB, ... 128 KiB */
    SUMMAND__READ_BATCH = 16,  /* rounds that give an answer */
    SUMMAND__READ_ROUNDS = 128 /* at most */
};

enum summand__pattern { SUMMAND__ONE_WAY, SUMMAND__BOTH_WAYS, SUMMAND__PATTERNS };

extern const size_t summand__pair_sizes[SUMMAND__PAIR_SIZES]; /* bytes */

/* How many times as fast a read was as the queue, in each round, where both took turns. */
struct summand__read_samples {
    int rounds; /* 0 at first */
    double ratio[SUMMAND__READ_ROUNDS][SUMMAND__PAIR_SIZES][SUMMAND__PATTERNS];
};

/* One round more; beyond SUMMAND__READ_ROUNDS none. */
void summand__read_add(struct summand__read_samples *samples,
                       const double ratio[SUMMAND__PAIR_SIZES][SUMMAND__PATTERNS]);

/* The messages to be read, [*least, *end) bytes; 0 and 0 if there are none. It is the run of
 * sizes that loses least where it is wrong: a size that is read loses where the queue is the faster
 * one, one way or both ways, and the other sizes where a read is; how much is taken from the end of
 * the median's interval (95 %) that is worse for it. Of runs that lose alike at their worst size,
 * to 3 %, the one that loses least over all sizes; where that is alike too, the one that reads
 * less. Longer messages are not tried: as pieces they overlap with combining, which a read does
 * not. */
void summand__read_range(const struct summand__read_samples *samples, int64_t *least, int64_t *end);

/* Whether the last two batches of rounds, and all rounds together, give the same answer. */
bool summand__read_settled(const struct summand__read_samples *samples);

#endif

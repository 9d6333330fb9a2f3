/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides which messages of a node are read in their sender's memory, from times of reads and
 * queues. Pure: equal samples give equal results. */
#ifndef SUMMAND_CALIBRATE_DECIDE_H
#define SUMMAND_CALIBRATE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SUMMAND__PAIR_SIZES = 6,   /* message lengths to try: 4 KiB, 8 KiB, ... 128 KiB */
    SUMMAND__READ_BATCH = 16,  /* rounds for one result */
    SUMMAND__READ_ROUNDS = 128 /* most rounds */
};

enum summand__pattern { SUMMAND__ONE_WAY, SUMMAND__BOTH_WAYS, SUMMAND__PATTERNS };

extern const size_t summand__pair_sizes[SUMMAND__PAIR_SIZES]; /* bytes */

/* Speed of a read relative to the queue, in each round of both. */
struct summand__read_samples {
    int rounds; /* 0 at first */
    double ratio[SUMMAND__READ_ROUNDS][SUMMAND__PAIR_SIZES][SUMMAND__PATTERNS];
};

/* Adds a round; at most SUMMAND__READ_ROUNDS are kept. */
void summand__read_add(struct summand__read_samples *samples,
                       const double ratio[SUMMAND__PAIR_SIZES][SUMMAND__PATTERNS]);

/* The messages to be read, [*least, *end) bytes; 0 and 0 if none. It is the run of sizes with the
 * least loss at its worst size. A size that is read loses if the queue is faster, one way or both
 * ways; another size loses if a read is faster. The loss is taken at the worse end of the median's
 * interval (95 %). Of runs whose worst sizes lose the same, within 3 %, it takes the one with the
 * least loss over all sizes, then the one that reads less. Longer messages are not tried: pieces in
 * a queue overlap with combining, a read does not. */
void summand__read_range(const struct summand__read_samples *samples, int64_t *least, int64_t *end);

/* True if the last two batches of rounds, and all rounds together, give the same result. */
bool summand__read_settled(const struct summand__read_samples *samples);

#endif

/* Streams: what a pipeline sends to the next rank.
 *
 * Of a stream of short messages each SUMMAND__PACE-th waits for its receiver. Without it a rank
 * that only sends is through with its whole vector at once: where a network shares its bandwidth
 * among the messages in flight, none of them arrives before nearly all do, and pipelines stand
 * still; and the receiver has to buffer them. On 576 simulated ranks (bench/scale.sh) a reduce of
 * 100 000 ints by a chain in segments of 4 KiB takes 3061 us without, 1399 us so, and 1243 us where
 * each message waits. */
#ifndef SUMMAND_BASE_PACE_H
#define SUMMAND_BASE_PACE_H

enum {
    SUMMAND__PACE = 2,
    SUMMAND__PACED_BYTES = 65536 /* longer ones wait anyway, in every MPI that we know */
};

#endif

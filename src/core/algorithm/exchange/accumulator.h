/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's running value while operands arrive from lower or higher ranks, without needless copies.
 *
 * A reduce step leaves its result in its right operand. So a value from higher ranks takes the
 * running value over (the buffers swap roles), while one from lower ranks is folded into it. The
 * sendbuf is never written: a value from lower ranks that meets it copies it first, while the
 * message is on its way. */
#ifndef SUMMAND_ALGORITHM_EXCHANGE_ACCUMULATOR_H
#define SUMMAND_ALGORITHM_EXCHANGE_ACCUMULATOR_H

#include "algorithm/algorithm.h"

struct summand__accumulator {
    struct summand__region value; /* where the running value lies */
    struct summand__region spare; /* where the next operand arrives */
    struct summand__region other; /* the spare after that, if `value` is still the sendbuf */
};

/* With `keep` the rank has a recvbuf to end in. `moves` is the number of operands from higher ranks
 * plus one if the first is from lower ranks: its parity decides where to start so as to end in
 * recvbuf. */
struct summand__accumulator summand__accumulator_start(const struct summand__call *call, bool keep,
                                                       int moves);

/* The operand of `peer` arrives; `higher` if its ranks are above those of the running value. Sends
 * that belong to the same round may be appended before summand__accumulator_fold. */
void summand__accumulator_recv(struct summand__accumulator *accumulator,
                               struct summand__schedule *schedule, int peer, bool higher);
void summand__accumulator_fold(struct summand__accumulator *accumulator,
                               struct summand__schedule *schedule, bool higher);

/* The same for elements [first, first + count) of the vector, all that the rank will need of it
 * from now on: where the vector of an operand would lie, of which the caller receives that part. */
struct summand__region summand__accumulator_into(const struct summand__accumulator *accumulator,
                                                 struct summand__schedule *schedule, bool higher,
                                                 size_t first, size_t count);
void summand__accumulator_fold_part(struct summand__accumulator *accumulator,
                                    struct summand__schedule *schedule, bool higher, size_t first,
                                    size_t count);

/* Elements [first, first + count) of a region. */
struct summand__region summand__part(struct summand__region region, size_t first, size_t count);

/* Ends the round and copies the value to recvbuf unless it is there. */
void summand__accumulator_finish(struct summand__accumulator *accumulator,
                                 struct summand__schedule *schedule);

#endif

/* A rank's running value while operands arrive from lower or higher ranks, without needless copies.
 *
 * A reduce step leaves its result in its right operand. So a value from higher ranks takes the running
 * value over (the buffers swap roles), while one from lower ranks is folded into it. The sendbuf is
 * never written: a value from lower ranks that meets it copies it first, while the message is on its
 * way. */
#ifndef SUMMAND_REDUCE_RUNNING_H
#define SUMMAND_REDUCE_RUNNING_H

#include "reduce/algorithm.h"

struct summand__running {
    struct summand__region value; /* where the running value lies */
    struct summand__region spare; /* where the next operand arrives */
    struct summand__region other; /* the spare after that, if `value` is still the sendbuf */
};

/* With `keep` the rank has a recvbuf to end in. `moves` is the number of operands from higher ranks
 * plus one if the first is from lower ranks: its parity decides where to start so as to end in
 * recvbuf. */
struct summand__running summand__running_start(const struct summand__call *call, bool keep,
                                               int moves);

/* The operand of `peer` arrives; `higher` if its ranks are above those of the running value. Sends
 * that belong to the same round may be appended before summand__running_fold. */
void summand__running_recv(struct summand__running *running, struct summand__schedule *schedule,
                           int peer, bool higher);
void summand__running_fold(struct summand__running *running, struct summand__schedule *schedule,
                           bool higher);

/* Ends the round and copies the value to recvbuf unless it is there. */
void summand__running_finish(struct summand__running *running, struct summand__schedule *schedule);

#endif

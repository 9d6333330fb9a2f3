/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank's accumulator while operands arrive from lower or higher ranks, without needless copies.
 *
 * A reduce step leaves its result in its right operand. So a value from higher ranks becomes the
 * accumulator (the buffers swap roles), while one from lower ranks is folded into it. The sendbuf
 * is never written: if the value still lies there, it is copied first, while the message from lower
 * ranks is in flight. */
#pragma once

#include "algorithm/algorithm.h"

struct summand__accumulator {
    struct summand__region value; /* the accumulator's value */
    struct summand__region spare; /* buffer of the next operand */
    struct summand__region other; /* the spare after that, if `value` is still the sendbuf */
};

/* With `keep` the rank has a recvbuf to end in. `moves` is the number of operands from higher ranks
 * plus one if the first is from lower ranks: its parity decides the first buffer, so that the last
 * one is recvbuf. */
struct summand__accumulator summand__accumulator_start(const struct summand__call *call, bool keep,
                                                       int moves);

/* Receives the operand of `peer`; `higher` if its ranks are above those of the accumulator. Sends
 * that belong to the same round may be appended before summand__accumulator_fold. */
void summand__accumulator_recv(struct summand__accumulator *accumulator,
                               struct summand__schedule *schedule, int peer, bool higher);
void summand__accumulator_fold(struct summand__accumulator *accumulator,
                               struct summand__schedule *schedule, bool higher);

/* The same for elements [first, first + count) of the vector, the only ones that the rank needs
 * from now on. Returns the region of an operand's whole vector; the caller receives that part of
 * it. */
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

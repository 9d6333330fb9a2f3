/* SPDX-License-Identifier: BSD-3-Clause */
/* Check words of what a call reads and makes. Of sums of integers, the words of the results follow
 * from those of the inputs, modulo 2^bits like the sums themselves, whatever overflows: so they
 * cover additions, memory and messages, by any algorithm. Modulo 2^61 - 1 that would not hold, as a
 * carry that wraps is no multiple of the modulus. */
#pragma once

#include "collective/work.h"
#include "kernel/seal.h"

/* Bits of the numbers of a sum of integers; 0: another call. It looks through tables. */
unsigned summand__witness_bits(const struct summand__collective_work *work);

/* Bytes of the check words that such a call's ranks compare. */
size_t summand__witness_bytes(const struct summand__collective_work *work);

/* into += sums of numbers of so many bits. */
void summand__witness_add(unsigned bits, uint64_t *into, const uint64_t *more, size_t bytes);

/* The words that this rank's input gives to all results, and a hash of it. */
uint64_t summand__witness_input(const struct summand__collective_work *work, unsigned bits,
                                const void *input, struct summand__seal_sums *share);

/* Takes those of this rank's result away, if it is one that is compared: so the sums over the
 * ranks are zeros. Returns a hash of the result. */
uint64_t summand__witness_result(const struct summand__collective_work *work, unsigned bits,
                                 struct summand__seal_sums *share);

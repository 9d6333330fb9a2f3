/* SPDX-License-Identifier: BSD-3-Clause */
/* The root's error, without the other nodes. After t rounds of HPS its value is the mean of 2^t
 * leaves, the ends of its tree of ancestors, found with the inverse permutations. Works for any N
 * up to 2^63. Cost: 2^t leaves for t rounds and almost no memory, as long as 2^t is below N. From
 * then on all N nodes are stored, 16 bytes each, and a round costs N. */
#pragma once

#include "lab/gossip/data.h"

#include <stdint.h>

enum { SUMMAND__ANCESTORS_MOST = 40 }; /* rounds */

/* Relative errors of rank 0 after rounds 0, 1, ... until the error is at most eps or `most` rounds
 * are done. Returns the number of rounds; errors[0 .. rounds]. */
int summand__ancestors_root(int64_t n, uint64_t seed, enum summand__data_kind kind,
                            uint64_t data_seed, double truth, double eps, int most, double *errors);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts the messages of the index tree if each PE-intersecting node costs one: a node whose right
 * child lies on another rank than its left child (Stelz 2022, section 2.1). */
#pragma once

#include <stdint.h>

/* Seconds per message and per addition that Stelz (2022), section 3.1.2, measured on a
 * shared-memory machine. */
#define SUMMAND__T_SEND 281e-9
#define SUMMAND__T_ADD 4.15e-9

/* Right children of PE-intersecting nodes on the rank that holds [start, end). Cost: a few
 * instructions for any size. */
unsigned summand__messages_of_range(uint64_t start, uint64_t end);

/* The number of PE-intersecting nodes, for starts[0 .. ranks] of summand__distribution. Cost:
 * O(ranks). */
uint64_t summand__messages(const uint64_t *starts, int ranks);

/* (2.5): (p - 1) (log2((N - 1) / p) + 1) bounds the messages of even-lower; N = 2^i p + 1 attains
 * it. It was derived for N > p. Below that, each element but the first is a message: N - 1. */
double summand__messages_bound(uint64_t n, int ranks);

/* The largest and the smallest number of elements of a rank. */
uint64_t summand__most_elements(const uint64_t *starts, int ranks);
uint64_t summand__fewest_elements(const uint64_t *starts, int ranks);

/* (3.7): t_send times the messages plus t_add times the most elements of a rank, in the unit of
 * t_send and t_add. */
double summand__score(const uint64_t *starts, int ranks, double t_send, double t_add);

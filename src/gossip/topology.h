/* SPDX-License-Identifier: BSD-3-Clause */
/* The pairs of ranks that may exchange messages in asynchronous gossip. */
#pragma once

#include "base/random.h"

#include <stdbool.h>
#include <stdint.h>

struct summand__topology {
    int64_t n;
    bool full;      /* all pairs: no lists */
    int64_t *start; /* n + 1: neighbours of i are list[start[i] .. start[i + 1] - 1] */
    int64_t *list;
};

/* name: full, hypercube, torus2, torus3, ring, regular:D (random, degree D), or file:PATH (lines of
 * two node numbers). Returns NULL, or the error as a sentence without full stop. */
const char *summand__topology_make(struct summand__topology *t, const char *name, int64_t n,
                                   uint64_t seed);
/* The number of nodes that a file names, 0..largest; `otherwise` for any other name, or if the file
 * has none. */
int64_t summand__topology_nodes(const char *name, int64_t otherwise);
/* One of the errors. */
extern const char summand__topology_no_memory[];
void summand__topology_free(struct summand__topology *t);

int64_t summand__topology_degree(const struct summand__topology *t, int64_t i);
int64_t summand__topology_neighbour(const struct summand__topology *t, int64_t i, int64_t k);

/* degree neighbours of each of n nodes, contiguous, in a random regular graph; NULL when out of
 * memory. The caller frees it. */
int64_t *summand__regular_lists(int64_t n, int64_t degree, uint64_t seed);

/* The longest shortest path; -1 if not connected. Cost: n breadth-first searches. */
int64_t summand__topology_diameter(const struct summand__topology *t);
/* 1 - lambda2 of the matrix of push-sum, which keeps one half and sends the other to a uniformly
 * drawn neighbour. By power iteration, to about 1e-6 of its value. */
double summand__topology_gap(const struct summand__topology *t);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Phases over the interleaved halving (shape/interleave.h): scatter-reduce, gather on all, gather
 * on one, scatter from one. A vector is cut into units: its elements, or one block per rank in the
 * order of positions. */
#pragma once

#include "algorithm/call.h"
#include "algorithm/exchange/accumulator.h"
#include "shape/interleave.h"

struct summand__merging {
    int rank, ranks;
    size_t units;
    const size_t *displs; /* element with which each unit begins, and the total; NULL: the unit's
                             number */
};

/* Elements of pieces [first, last) of `parts`. */
struct summand__block summand__merging_pieces(const struct summand__merging *merging, int first,
                                              int last, int parts);

/* Every rank ends with its position's piece of `parts` = ranks in accumulator->value. */
void summand__merge_reduce(const struct summand__merging *merging,
                           struct summand__accumulator *accumulator,
                           struct summand__schedule *schedule);

/* Every rank has its position's piece of the vector `at` and ends with all. With a root (not -1),
 * ranks already have the elements from summand__merge_hand_out, which are not sent again. */
void summand__merge_gather(const struct summand__merging *merging, int root,
                           struct summand__region at, struct summand__schedule *schedule);

/* The root collects all pieces of the vector `at`, or hands them out. */
void summand__merge_collect(const struct summand__merging *merging, int root,
                            struct summand__region at, struct summand__schedule *schedule);
void summand__merge_hand_out(const struct summand__merging *merging, int root,
                             struct summand__region at, struct summand__schedule *schedule);

/* Messages and elements of these phases, all ranks together. */
size_t summand__merge_messages(const struct summand__merging *merging);
struct summand__cost summand__gather_cost(const struct summand__merging *merging, int root);
struct summand__cost summand__collect_cost(const struct summand__merging *merging, int root,
                                           bool depth);

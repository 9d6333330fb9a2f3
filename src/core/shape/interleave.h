/* SPDX-License-Identifier: BSD-3-Clause */
/* The slices of a vector that ranks hold while ranges of ranks are merged by halving
 * (shape/halving.h).
 *
 * In a range of n ranks, each rank holds the slice of one position 0..n-1, of n nearly equal
 * slices. When a left and a right half are merged, left position i becomes 2i and right position j
 * becomes 2j + 1. Then a rank keeps a part of its old slice, even if the left half has one rank
 * more. So any rank count merges in ceil(log2 p) rounds without folding, and every rank exchanges
 * with two ranks at most. For powers of two the positions are the bit-reversed ranks. */
#pragma once

#include <stdbool.h>

#include "shape/halving.h"

/* The position of `rank` in the range [low, high), and the inverse. */
int summand__interleave_position(int low, int high, int rank);
int summand__interleave_rank(int low, int high, int position);

/* One end of a merge: it has slice `own` of `own_parts` and keeps slice `kept` of the range's. */
struct summand__merger {
    int rank;
    int own, own_parts, kept;
};

/* A merge from the view of one rank: itself and one or two partners in the other half. */
struct summand__merge {
    struct summand__merger self, partner[2];
    int partners, parts;
    bool left; /* the rank is in the left half */
};
struct summand__merge summand__merge_of(struct summand__split split, int rank);

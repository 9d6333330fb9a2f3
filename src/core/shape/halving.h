/* SPDX-License-Identifier: BSD-3-Clause */
/* Balanced halving of a range of ranks: the tree under binomial trees and recursive doubling.
 *
 * The range [0, p) is split into a left half of ceil(n/2) and a right half of floor(n/2) ranks, and
 * so on down to single ranks. Halves differ by one rank at most, so the height is ceil(log2 p) for
 * every p, and combining left with right half gives rank order. All algorithms built on it share
 * one bracketing, for any root: the canonical one. For p a power of two it is the binomial tree. */
#pragma once

enum { SUMMAND__HALVING_MOST = 32 }; /* height for any int number of ranks */

/* Where a range of two ranks or more is split. */
static inline int summand__halving_middle(int low, int high)
{
    return high - (high - low) / 2;
}

/* One split on the path from the whole range to a rank: [low, middle) and [middle, high). */
struct summand__split {
    int low, middle, high;
};

/* The splits that contain `rank`, from the whole range down; returns their number. */
int summand__halving_path(int ranks, int rank, struct summand__split path[SUMMAND__HALVING_MOST]);

/* ceil(log2 ranks) */
int summand__halving_height(int ranks);

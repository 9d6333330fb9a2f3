/* SPDX-License-Identifier: BSD-3-Clause */
/* Skips of the circulant graph on p ranks: p is halved, rounding up, down to 1: ceil(log2 p) skips.
 *
 * In the round of skips[i] every rank sends skips[i] ... wider[i] - 1 of p blocks, counted from its
 * own, to the rank that many further; what it keeps and what it sends add up to the round before,
 * so p - 1 blocks are sent in all, for any p. Source: Traeff, Optimal, non-pipelined reduce-scatter
 * and allreduce algorithms (2023). */
#ifndef SUMMAND_SHAPE_CIRCULANT_H
#define SUMMAND_SHAPE_CIRCULANT_H

enum { SUMMAND__CIRCULANT_MOST = 32 };

struct summand__skips {
    int rounds;
    int skip[SUMMAND__CIRCULANT_MOST];  /* descending, ends with 1 */
    int wider[SUMMAND__CIRCULANT_MOST]; /* the skip before; p for the first */
};
struct summand__skips summand__circulant(int ranks);

#endif

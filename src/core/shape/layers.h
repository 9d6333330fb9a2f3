/* SPDX-License-Identifier: BSD-3-Clause */
/* A range that is cut into `radix` nearly equal parts, each cut again, down to single ranks: the
 * number of ranges of each size after a number of cuts. Nearly equal parts of nearly equal ranges
 * are nearly equal too: a layer has two sizes at most, one apart. So anything that depends on a
 * range's size alone is counted in O(log n), whichever part gets the odd rank. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct summand__layer {
    int size;            /* ranks of a smaller range */
    size_t small, large; /* ranges of `size` ranks, and of one more */
};

/* The whole range. */
struct summand__layer summand__layer_first(int ranks);

/* The layer below; false if it has only single ranks. A range of fewer than `radix` ranks is cut
 * into single ranks. */
bool summand__layer_next(struct summand__layer *layer, int radix);

/* The sum over all ranks of the other parts in each of their ranges. This is the number of messages
 * of an exchange in which every rank receives from every other part of each of its ranges. */
size_t summand__layers_meetings(int ranks, int radix);

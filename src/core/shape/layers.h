/* SPDX-License-Identifier: BSD-3-Clause */
/* What is cut into `radix` nearly equal parts, those again, down to single ranks: how many ranges
 * of which size there are so many cuts below the whole. Nearly equal parts of nearly equal ranges
 * are nearly equal too: a layer has two sizes at most, one apart. So what depends on a range's size
 * alone is counted in O(log n), whoever of the two gets the odd rank. */
#ifndef SUMMAND_SHAPE_LAYERS_H
#define SUMMAND_SHAPE_LAYERS_H

#include <stdbool.h>
#include <stddef.h>

struct summand__layer {
    int size;            /* ranks of a smaller range */
    size_t small, large; /* ranges of `size` ranks, and of one more */
};

/* The whole range. */
struct summand__layer summand__layer_first(int ranks);

/* The layer below; false if there are none but single ranks. A range of fewer than `radix` ranks
 * is cut into these. */
bool summand__layer_next(struct summand__layer *layer, int radix);

/* Other parts that a rank meets on its way, all ranks together: the messages of an exchange in
 * which every rank receives from every other part of each of its ranges. */
size_t summand__layers_meetings(int ranks, int radix);

#endif

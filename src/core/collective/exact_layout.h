/* SPDX-License-Identifier: BSD-3-Clause */
/* Which numbers of a vector share a format, and where their lanes lie.
 *
 * The vector is cut into parts: one per rank if each rank decodes its own, else one. Blocks begin
 * anew in each part. The lanes of a part follow each other. */
#ifndef SUMMAND_COLLECTIVE_EXACT_LAYOUT_H
#define SUMMAND_COLLECTIVE_EXACT_LAYOUT_H

#include "kernel/lanes.h"

struct summand__exact_layout {
    enum summand__lanes_type type;
    unsigned bits; /* of a digit */
    int parts;
    size_t *first; /* number at which each part begins; the last entry is the total */
    size_t *block; /* likewise its first block */
    size_t *word;  /* likewise its first lane, once there are formats */
    struct summand__lanes_format *format; /* of each block */
    uint64_t hash;                        /* of all formats; 0: none are known */
};

/* Makes the layout of parts of so many numbers each. False when out of memory. */
bool summand__exact_layout_make(struct summand__exact_layout *layout, enum summand__lanes_type type,
                                int ranks, int parts, const size_t *counts);
void summand__exact_layout_free(struct summand__exact_layout *layout);

static inline size_t summand__exact_blocks(const struct summand__exact_layout *layout)
{
    return layout->block[layout->parts];
}
static inline size_t summand__exact_words(const struct summand__exact_layout *layout)
{
    return layout->word[layout->parts];
}

/* The numbers of a block of a part. */
struct summand__exact_span {
    size_t first, count;
};
struct summand__exact_span summand__exact_span(const struct summand__exact_layout *layout, int part,
                                               size_t block);

/* Sets the formats to those that take all terms of these ranges, one per block, with some room. */
void summand__exact_layout_set(struct summand__exact_layout *layout,
                               const struct summand__lanes_range *ranges);

/* Writes the range of each block of x. */
void summand__exact_range(const void *x, const struct summand__exact_layout *layout,
                          struct summand__lanes_range *ranges);

/* Widens ranges so that they include all terms that the formats take. */
void summand__exact_widen(const struct summand__exact_layout *layout,
                          struct summand__lanes_range *ranges);

/* Writes the lanes of all parts of x. False if a term does not fit. */
bool summand__exact_encode(const void *x, const struct summand__exact_layout *layout,
                           int64_t *lanes);

/* Rounds the sums of a part to y; both begin at the part. */
void summand__exact_decode(const struct summand__exact_layout *layout, int ranks, int part,
                           const int64_t *lanes, void *y);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Which numbers of a segment of a vector share a format, and where their lanes lie.
 *
 * A segment is cut into parts: one per rank if each rank rounds its own, else one. Blocks begin
 * anew in each part. The lanes of a part follow each other. */
#pragma once

#include "comm/state.h"
#include "kernel/lanes.h"

/* Consecutive numbers, which begin at these places in the terms and in the result. */
struct summand__exact_part {
    size_t from, to, count;
};

struct summand__exact_layout {
    enum summand__lanes_type type;
    unsigned bits; /* of a digit */
    int parts;
    int checked; /* enum summand__checked_choice; check words lie before the lanes of each part
                    (exact_check.h) */
    struct summand__exact_part *part;
    size_t *block; /* the first block of each part; the last entry is the total */
    size_t *word;  /* likewise its first lane or check word, once there are formats */
    struct summand__lanes_format *format; /* of each block */
    /* Likewise: two numbers share a lane for their top digits, which are short. */
    bool *paired;
    uint64_t hash;  /* of all formats; 0: none are known */
    unsigned calls; /* with these formats */
};

/* Makes the layout of these parts. False when out of memory. */
bool summand__exact_layout_make(struct summand__exact_layout *layout, enum summand__lanes_type type,
                                int ranks, int parts, const struct summand__exact_part *part);
void summand__exact_layout_free(struct summand__exact_layout *layout);

static inline size_t summand__exact_blocks(const struct summand__exact_layout *layout)
{
    return layout->block[layout->parts];
}
static inline size_t summand__exact_words(const struct summand__exact_layout *layout)
{
    return layout->word[layout->parts];
}

/* A block of numbers. */
struct summand__exact_span {
    size_t block; /* of the segment */
    size_t first; /* its first number in the terms */
    size_t count; /* its numbers */
    size_t left;  /* numbers of its part from there on */
};

/* The lanes of a block's kernel may reach so far into those of the next block. */
enum { SUMMAND__EXACT_SPARE = SUMMAND__LANES_BLOCK / 2 };

/* Sets the formats to those that take all terms of these ranges, one per block, with some room. */
void summand__exact_layout_set(struct summand__exact_layout *layout,
                               const struct summand__lanes_range *ranges);

/* What exact sums add up (collective/operation.h); that of an array, such as sendbuf. */
struct summand__exact_source;
extern const struct summand__exact_source summand__exact_array;

/* Writes the range of each block of the source's numbers. */
void summand__exact_range(const struct summand__exact_layout *layout,
                          const struct summand__exact_source *source, const void *of,
                          struct summand__lanes_range *ranges);

/* Widens ranges so that they include all terms that the formats take. */
void summand__exact_widen(const struct summand__exact_layout *layout,
                          struct summand__lanes_range *ranges);

/* Writes the lanes of all parts. False if a number does not fit. */
bool summand__exact_encode(const struct summand__exact_layout *layout,
                           const struct summand__exact_source *source, const void *of,
                           int64_t *lanes);

/* What sums of lanes are the sums of. */
struct summand__exact_sums {
    const struct summand__state *state;
    int ranks;   /* that contribute */
    bool filled; /* one of them has terms */
    size_t each; /* numbers per element */
};

/* Rounds the sums of a part, whose lanes these are, to its place in y. SUMMAND_ERR_DAMAGED if check
 * words differ; but with SUMMAND__CORRECT one wrong lane of a block is put right. */
int summand__exact_decode(const struct summand__exact_layout *layout,
                          const struct summand__exact_sums *sums, int part, int64_t *lanes,
                          void *y);

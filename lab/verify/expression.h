/* SPDX-License-Identifier: BSD-3-Clause */
/* Bracketings: what a cell of memory holds when schedules are played symbolically.
 *
 * An expression is one rank's contribution or the combination of two expressions. Equal expressions
 * have equal numbers (hash-consing), so two results have the same bracketing if and only if their
 * numbers are equal. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define SUMMAND__UNDEFINED 0u /* no expression: memory that was never written */

struct summand__expression {
    uint32_t left, right; /* 0, 0: a contribution */
    int low, high;        /* ranks in [low, high), all of them if `ordered` */
    bool ordered;         /* contributions are in rank order without a gap */
    size_t set;           /* if not ordered: start of its bit set */
};

struct summand__expressions {
    int ranks;
    size_t words; /* of a bit set over the ranks */
    struct summand__expression *nodes;
    uint32_t count, capacity;
    struct summand__expression_slot *table; /* open addressing */
    size_t slots;
    uint64_t *sets;
    size_t set_words, set_capacity;
};

bool summand__expressions_init(struct summand__expressions *pool, int ranks);
void summand__expressions_free(struct summand__expressions *pool);

/* The contribution of a rank. */
uint32_t summand__contribution(const struct summand__expressions *pool, int rank);

/* left op right; SUMMAND__UNDEFINED when a contribution would be counted twice (*twice is its rank)
 * or memory ran out (*twice is -1). */
uint32_t summand__combine(struct summand__expressions *pool, uint32_t left, uint32_t right,
                          int *twice);

/* An expression of two others that is no reduction but the result of a computation. It counts no
 * contributions: the caller compares it with the expected one. UNDEFINED when out of memory. */
uint32_t summand__pair_up(struct summand__expressions *pool, uint32_t left, uint32_t right);
/* A number below 2^31 as an operand of the above. */
uint32_t summand__symbol(uint32_t number);

/* One of the first `ranks` ranks whose contribution is missing from the expression, or -1. */
int summand__missing(const struct summand__expressions *pool, uint32_t expression, int ranks);

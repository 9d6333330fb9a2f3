/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbers that gossip works on. A mass is a vector of `width` words: the values, their weight,
 * and a checksum, the sum of all words before it. The algorithms are written once over this table.
 * The forms are double, single and fixed: 64-bit integers modulo 2^64, in which flows cancel
 * exactly.
 *
 * Values are scaled by a power of two so that the largest magnitude over all ranks is at most 1. So
 * a threshold tau is relative to the data. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

union summand__word {
    double real;
    float single;
    int64_t fixed;
    uint64_t bits;
};

enum {
    SUMMAND__GOSSIP_MOST = 70,                        /* values in one mass */
    SUMMAND__GOSSIP_WIDTH = SUMMAND__GOSSIP_MOST + 2, /* words of the widest mass */
};

struct summand__arith {
    const char *name;
    int bits;          /* in a word that a flip can hit */
    bool digits;       /* words are digits, whose sums are exact */
    bool keeps;        /* a word has all bits of a double */
    double resolution; /* relative to the scale: smaller differences have no meaning */
    /* the mass of (values, weight), magnitudes at most 1 */
    void (*load)(union summand__word *mass, const double *values, double weight, int width);
    /* total = own + sum of n contiguous flows */
    void (*total)(union summand__word *total, const union summand__word *own,
                  const union summand__word *flows, int n, int width);
    /* The half to be pushed. The checksum is halved too, never recomputed from the values, so a
     * wrong mass stays recognisable. */
    void (*half)(union summand__word *half, const union summand__word *mass, int width);
    void (*add)(union summand__word *mass, const union summand__word *other, int width);
    void (*subtract)(union summand__word *mass, const union summand__word *other, int width);
    void (*negate)(union summand__word *mass, const union summand__word *other, int width);
    /* True if values + weight - checksum exceeds tau, or is NaN. */
    bool (*bad)(const union summand__word *mass, double tau, int width);
    double (*value)(union summand__word word); /* in units of the scale */
};

extern const struct summand__arith summand__arith_double, summand__arith_single,
    summand__arith_fixed;

/* All forms, ended by NULL. */
extern const struct summand__arith *const summand__ariths[];
const struct summand__arith *summand__arith_named(const char *name);

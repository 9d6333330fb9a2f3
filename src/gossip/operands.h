/* SPDX-License-Identifier: BSD-3-Clause */
/* The operands of gossip for a sum or a mean: from inputs to words of a mass, and from bounds on
 * the words' means back to bounds on results.
 *
 * Gossip computes the mean of each word over the ranks, all with weight 1. In fixed point an
 * operand is its digits (gossip/digits.h), one word each; in floating point it is one word. A
 * weighted mean is the quotient of two such sums, of the products and of the weights. */
#pragma once

#include "gossip/arith.h"
#include "gossip/digits.h"

enum summand__gossip_result { SUMMAND__GOSSIP_SUM, SUMMAND__GOSSIP_MEAN, SUMMAND__GOSSIP_EXTREMUM };

/* The words of one operand. 1 in its top word is 2^exponent. */
struct summand__span {
    int32_t word, words;
    int32_t place; /* of the lowest digit */
    int32_t exponent;
    bool cut;  /* digits below `place` are left out */
    bool zero; /* every rank's operand is 0: so is the result, whatever the estimates round to */
};

struct summand__operands {
    const struct summand__arith *arith;
    enum summand__gossip_result result;
    bool digits;   /* operands are digits */
    bool weighted; /* the ranks' weights are not all 1 */
    bool squares;  /* one more word per element: its square, whose mean is also needed */
    bool single;   /* results are floats */
    int ranks;
    int unit; /* all weights are below 2^unit */
    double weight;
    int count, words;                                    /* elements; words in use */
    struct summand__span span[SUMMAND__GOSSIP_MOST + 1]; /* last, after the elements: the weights */
    int32_t square[SUMMAND__GOSSIP_MOST]; /* even: 1 in the word of the square is 2^square */
};

/* The range of the ranks' values of one element; the ranks agree on the largest of each. */
enum { SUMMAND__EXTENT_LOW, SUMMAND__EXTENT_TOP, SUMMAND__EXTENT_EXPONENT, SUMMAND__EXTENT_SQUARE };
enum { SUMMAND__EXTENTS = 4 };
/* element below 0: of the weight. */
void summand__operand_extent(const struct summand__operands *o, const double *element,
                             int64_t *extent);

/* Lays out as many of n elements as fit; `extents` has those of the weight and of the elements.
 * Returns their number. */
int summand__operands_lay_out(struct summand__operands *o, int n, const int64_t *extents);

/* The words' values, of magnitude at most 1. */
void summand__operands_load(const struct summand__operands *o, const double *x, double *values);

/* A result, `value` in units of 2^exponent, rounded to the caller's type. */
double summand__operands_rounded(const struct summand__operands *o, long double value,
                                 int exponent);

/* Result k, rounded to the caller's type, by a rank's estimates of the words' means. */
double summand__operands_estimate(const struct summand__operands *o, const double *y, int k);

/* A word's least and largest estimate over the ranks: an integer in units of 2^-54 in fixed point,
 * else a double. The true mean lies between. */
struct summand__range {
    union summand__word low, high;
};

/* The range of a result, in units of 2^exponent. */
struct summand__bounds {
    long double low, high;
    int exponent;
    bool exact;      /* known to the last bit */
    double distance; /* widest of its words' ranges that still hold several integers, in integers */
    double y;        /* if exact: the result, correctly rounded to the caller's type except for a
                        quotient's last bit */
    double error;    /* of y */
};

/* slack: the largest distance of a word's mean from its range, in floating point. */
void summand__operands_bounds(const struct summand__operands *o, const struct summand__range *range,
                              int k, double slack, struct summand__bounds *bounds);

/* The largest change of a finite result within the bounds by rounding to the caller's type, in
 * their units. */
long double summand__operands_rounding(const struct summand__operands *o,
                                       const struct summand__bounds *bounds);

/* A lower bound of the root mean square of element k times the number of ranks for a sum, in units
 * of 2^exponent. */
long double summand__operands_rms(const struct summand__operands *o,
                                  const struct summand__range *range, int k, double slack,
                                  int exponent);

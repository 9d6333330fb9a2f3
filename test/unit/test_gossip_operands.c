/* SPDX-License-Identifier: BSD-3-Clause */
/* Bounds of results from the least and largest estimates of the ranks: all results that the words
 * allow lie within, although the bounds are computed in long double. */
#include "base/random.h"
#include "gossip/operands.h"
#include "unit/unit.h"

#include <math.h>

enum { CASES = 4000, RANKS = 7, UNIT = 54 /* 2^-54: 1 of an estimate */, WORDS = 2 };
enum { UNITS = UNIT + SUMMAND__DIGIT_BITS };

/* In units of 2^-UNITS of the higher digit: exact in 128 bits. */
static summand__i128 exact_of(const int64_t *words)
{
    summand__i128 sum = (summand__i128)words[0] * RANKS;
    return sum + (summand__i128)words[1] * RANKS * ((summand__i128)1 << SUMMAND__DIGIT_BITS);
}

static int64_t any_estimate(struct summand__random *random)
{
    return (int64_t)(summand__random_below(random, UINT64_C(1) << UNIT)) -
           (INT64_C(1) << (UNIT - 1));
}

/* Ranges that hold more than one integer, so no digit is known. The sums of their ends have about
 * 90 bits; a long double has 64. */
TEST(bounds_of_digits_hold_all)
{
    struct summand__random random = {3};
    struct summand__operands o = {.result = SUMMAND__GOSSIP_SUM, .digits = true, .ranks = RANKS};
    o.span[0] = (struct summand__span){.word = 0, .words = WORDS};
    o.count = 1;
    o.words = WORDS;
    for (int c = 0; c < CASES; c++) {
        struct summand__range range[WORDS];
        struct summand__bounds b;
        int64_t low[WORDS], high[WORDS];
        for (int w = 0; w < WORDS; w++) {
            int64_t wide = (INT64_C(1) << (UNIT - SUMMAND__DIGIT_BITS)) *
                           (1 + (int64_t)summand__random_below(&random, 9));
            low[w] = any_estimate(&random);
            high[w] = low[w] + wide;
            range[w].low.fixed = low[w];
            range[w].high.fixed = high[w];
        }
        summand__operands_bounds(&o, range, 0, 0, &b);
        assert_false(b.exact);
        long double least = scalbnl(b.low, UNITS), most = scalbnl(b.high, UNITS);
        assert_true((summand__i128)floorl(least) <= exact_of(low));
        assert_true((summand__i128)ceill(most) >= exact_of(high));
        assert_true(most - least < 2 * (long double)(exact_of(high) - exact_of(low)));
    }
}

/* In floating point a word's mean may lie outside its range by the slack. */
TEST(bounds_of_words_have_slack)
{
    const double low = 0.5, high = 0.75, slack = 0.125;
    struct summand__range range[2] = {0};
    struct summand__bounds b;
    struct summand__operands o = {.result = SUMMAND__GOSSIP_SUM, .ranks = RANKS, .count = 1};
    o.span[0] = (struct summand__span){.word = 0, .words = 1};
    o.span[1] = (struct summand__span){.word = 1, .words = 1};
    for (int w = 0; w < 2; w++) {
        range[w].low.real = low;
        range[w].high.real = high;
    }
    summand__operands_bounds(&o, range, 0, slack, &b);
    assert_true(b.low == RANKS * (low - slack) && b.high == RANKS * (high + slack));
    o.result = SUMMAND__GOSSIP_MEAN;
    summand__operands_bounds(&o, range, 0, slack, &b);
    assert_true(b.low == low - slack && b.high == high + slack);
    o.weighted = true; /* both the products and the weights have the slack */
    summand__operands_bounds(&o, range, 0, slack, &b);
    assert_true(b.low == (long double)(low - slack) / (high + slack));
    assert_true(b.high == (long double)(high + slack) / (low - slack));
    range[1].low.real = slack; /* the sum of the weights may be 0 */
    summand__operands_bounds(&o, range, 0, slack, &b);
    assert_true(b.low == -INFINITY && b.high == INFINITY);
}

/* The omitted digits of each rank are below 1 unit of the lowest kept digit. */
TEST(bounds_of_cut_digits_are_wider)
{
    struct summand__operands o = {.result = SUMMAND__GOSSIP_SUM, .digits = true, .ranks = RANKS};
    struct summand__range range = {{.fixed = 0}, {.fixed = 0}}; /* 0 on all ranks */
    struct summand__bounds b;
    o.count = o.words = 1;
    o.span[0] = (struct summand__span){.words = 1, .cut = true};
    summand__operands_bounds(&o, &range, 0, 0, &b);
    assert_true(!b.exact && b.low == -scalbnl(RANKS, -SUMMAND__DIGIT_BITS));
    assert_true(b.high == scalbnl(RANKS, -SUMMAND__DIGIT_BITS));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The exact value of an operand as digits to base 2^32, which gossip averages beside each other.
 *
 * If numbers cancel, their sum is as small as their last bits, so numbers rounded relative to the
 * largest one cannot give it. Digits can: the ranks' digits at one place are integers below 2^32,
 * and their sum over the ranks is an integer too. Estimates of it that lie within one unit of each
 * other give it exactly. All places are averaged at once. So the number of rounds does not depend
 * on the range of the operands: about 2 (33 + log2 N) for N ranks. */
#pragma once

#include "exact/limbs.h"

enum {
    SUMMAND__DIGIT_BITS = 32,
    SUMMAND__DIGITS_OF_SUM = 66 /* places that finite doubles can reach */
};

/* Adds x, or x times weight / 2^unit, exactly: weight below 2^unit. Products' bits below
 * 2^-SUMMAND__ORIGIN are left out. */
void summand__digits_add(summand_exact *acc, double x);
void summand__digits_add_product(summand_exact *acc, double x, double weight, int unit);

/* The places of the lowest and the highest nonzero digit; false: the value is 0. Place j counts
 * 2^(32 j - SUMMAND__ORIGIN). */
bool summand__digits_range(const summand_exact *acc, int *low, int *top);

/* The digits at places first .. first + count - 1, all with the value's sign. */
void summand__digits_get(const summand_exact *acc, int first, int count, int64_t *digit);

/* The value of sums of digits. */
void summand__digits_put(summand_exact *acc, int first, int count, const int64_t *digit);

/* 2^exponent of the unit of place j. */
static inline int summand__digit_exponent(int j)
{
    return SUMMAND__DIGIT_BITS * j - SUMMAND__ORIGIN;
}

/* value / divisor, or value if the divisor is NULL, rounded to double (the last bit of a quotient
 * may be off by one), times 2^exponent. single: rounded to float instead. */
double summand__digits_quotient(const summand_exact *value, const summand_exact *divisor,
                                int exponent, bool single);

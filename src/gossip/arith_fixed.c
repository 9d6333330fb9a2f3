/* SPDX-License-Identifier: BSD-3-Clause */
/* Fixed point: 64-bit integers modulo 2^64. Every flow cancels exactly, so a healed state has
 * exactly the mass it started with, and the checksum has no rounding: tau is 0.
 *
 * Magnitude 1 is 2^54, so inputs are rounded to 2^-54 of the scale. The checksum of a mass of n
 * values stays below 2^63 while the node holds at most 2^9 / (n + 1) times the largest input. On
 * the N-cycle schedule it holds at most once that (its weight stays 1). Asynchronous gossip
 * accumulates mass, so it needs short vectors. */
#define WORD uint64_t
#define FIELD bits
#include "gossip/arith_linear.h"

#include <math.h>

enum { UNIT_BITS = 54 };

static uint64_t checksum(const union summand__word *mass, int width)
{
    uint64_t sum = 0;
    for (int k = 0; k < width - 1; k++)
        sum += mass[k].bits;
    return sum;
}

static void load(union summand__word *mass, const double *values, double weight, int width)
{
    for (int k = 0; k < width - 2; k++)
        mass[k].fixed = llrint(ldexp(values[k], UNIT_BITS));
    mass[width - 2].fixed = llrint(ldexp(weight, UNIT_BITS));
    mass[width - 1].bits = checksum(mass, width);
}

/* floor(mass / 2). The checksum first loses the odd bits that the values lost. Arithmetic shifts of
 * negative numbers: gcc and clang define them so. */
static void half(union summand__word *part, const union summand__word *mass, int width)
{
    uint64_t odd = 0;
    for (int k = 0; k < width - 1; k++) {
        odd += mass[k].bits & 1;
        part[k].fixed = mass[k].fixed >> 1;
    }
    union summand__word even = {.bits = mass[width - 1].bits - odd};
    part[width - 1].fixed = even.fixed >> 1;
}

static bool bad(const union summand__word *mass, double tau, int width)
{
    (void)tau;
    return checksum(mass, width) != mass[width - 1].bits;
}

static double value(union summand__word word)
{
    return ldexp((double)word.fixed, -UNIT_BITS);
}

const struct summand__arith summand__arith_fixed = {.name = "fixed",
                                                    .bits = 64,
                                                    .digits = true,
                                                    .resolution = 0x1p-48,
                                                    .load = load,
                                                    .total = total,
                                                    .half = half,
                                                    .add = add,
                                                    .subtract = subtract,
                                                    .negate = negate,
                                                    .bad = bad,
                                                    .value = value};

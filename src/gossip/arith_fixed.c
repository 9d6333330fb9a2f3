/* Fixed point: 64-bit integers modulo 2^64. Every flow cancels exactly, so a healed state has
 * exactly the mass it started with, and the checksum has no rounding: tau is 0.
 *
 * Magnitude 1 is 2^54, so inputs are rounded to 2^-54 of the scale. The checksum of a mass of n
 * values stays below 2^63 while the node holds at most 2^9 / (n + 1) times the largest input. On
 * the N-cycle schedule it holds at most once that (its weight stays 1); asynchronous gossip piles
 * up mass and wants short vectors. */
#include "gossip/arith.h"

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

static void total(union summand__word *sum, const union summand__word *own,
                  const union summand__word *flows, int n, int width)
{
    if (width == 3) { /* one scalar: kept in registers */
        uint64_t value = own[0].bits, weight = own[1].bits, check = own[2].bits;
        for (const union summand__word *f = flows; f < flows + 3 * (long)n; f += 3) {
            value += f[0].bits;
            weight += f[1].bits;
            check += f[2].bits;
        }
        sum[0].bits = value;
        sum[1].bits = weight;
        sum[2].bits = check;
        return;
    }
    for (int k = 0; k < width; k++)
        sum[k] = own[k];
    for (int j = 0; j < n; j++)
        for (int k = 0; k < width; k++)
            sum[k].bits += flows[(long)j * width + k].bits;
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

static void add(union summand__word *mass, const union summand__word *other, int width)
{
    for (int k = 0; k < width; k++)
        mass[k].bits += other[k].bits;
}

static void subtract(union summand__word *mass, const union summand__word *other, int width)
{
    for (int k = 0; k < width; k++)
        mass[k].bits -= other[k].bits;
}

static void negate(union summand__word *mass, const union summand__word *other, int width)
{
    for (int k = 0; k < width; k++)
        mass[k].bits = 0 - other[k].bits;
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
                                                    .resolution = 0x1p-48,
                                                    .load = load,
                                                    .total = total,
                                                    .half = half,
                                                    .add = add,
                                                    .subtract = subtract,
                                                    .negate = negate,
                                                    .bad = bad,
                                                    .value = value};

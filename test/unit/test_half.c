/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of 16 bits against MPFR with as many digits and the same exponents: every number plus and
 * times some, on every instruction set, and conversions at and beside every tie. */
#include <mpfr.h>

#include "kernel/half.h"
#include "unit/combine_data.h"
#include "unit/combine_oracle.h"
#include "unit/unit.h"

enum { ALL = 1 << 16, OTHERS = 24 };

/* The exponents of mpfr.h: a number is at least 1/2, times a power of 2. */
static const struct kind {
    enum summand__combine_type type;
    mpfr_exp_t least, greatest;
    float (*from)(uint16_t x);
    uint16_t (*to)(float x);
} kinds[] = {{SUMMAND__COMBINE_F16, -23, 16, half_from_f16, half_to_f16},
             {SUMMAND__COMBINE_BF16, -132, 128, half_from_bf16, half_to_bf16}};

static double value_of(const struct kind *kind, uint16_t x)
{
    return (double)oracle_half(&oracle_types[kind->type], x);
}

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

struct oracle {
    const struct kind *kind;
    mpfr_t a, b, result;
};

static void oracle_begin(struct oracle *o, const struct kind *kind)
{
    o->kind = kind;
    mpfr_inits2(53, o->a, o->b, (mpfr_ptr)0);
    mpfr_init2(o->result, oracle_digits(&oracle_types[kind->type]));
}

static void oracle_end(struct oracle *o)
{
    mpfr_clears(o->a, o->b, o->result, (mpfr_ptr)0);
}

/* a + b or a x b, rounded once. */
static double rounded(struct oracle *o, double a, double b, bool product)
{
    const mpfr_exp_t least = mpfr_get_emin(), greatest = mpfr_get_emax();
    mpfr_set_d(o->a, a, MPFR_RNDN);
    mpfr_set_d(o->b, b, MPFR_RNDN);
    int inexact = product ? mpfr_mul(o->result, o->a, o->b, MPFR_RNDN)
                          : mpfr_add(o->result, o->a, o->b, MPFR_RNDN);
    mpfr_set_emin(o->kind->least);
    mpfr_set_emax(o->kind->greatest);
    inexact = mpfr_check_range(o->result, inexact, MPFR_RNDN);
    mpfr_subnormalize(o->result, inexact, MPFR_RNDN);
    mpfr_set_emin(least);
    mpfr_set_emax(greatest);
    return mpfr_get_d(o->result, MPFR_RNDN);
}

/* The same value and the same sign, or the canonical NaN. */
static bool agrees(const struct kind *kind, uint16_t got, double want)
{
    const uint16_t nan = kind->type == SUMMAND__COMBINE_F16 ? 0x7e00 : 0x7fc0;
    return isnan(want) ? got == nan : bits_of(value_of(kind, got)) == bits_of(want);
}

/* Ends of the range, specials, ties of sums and products, and any. */
static uint16_t other(const struct kind *kind, int i)
{
    static const double values[] = {0.0, -0.0, 1, -1.5, INFINITY, -INFINITY, NAN, 3, 1.0 / 3};
    enum { VALUES = sizeof values / sizeof *values };
    const int stored = oracle_digits(&oracle_types[kind->type]) - 1;
    const uint16_t greatest = (uint16_t)(((2 * (kind->greatest - 1) + 1) << stored) - 1);
    const uint16_t ends[] = {1,
                             0x8001,
                             3,
                             (uint16_t)(1 << stored),
                             (uint16_t)((1 << stored) - 1),
                             greatest,
                             (uint16_t)(greatest | 0x8000),
                             (uint16_t)(greatest + 2)};
    enum { ENDS = sizeof ends / sizeof *ends };
    return i < VALUES          ? oracle_to_half(&oracle_types[kind->type], (long double)values[i])
           : i < VALUES + ENDS ? ends[i - VALUES]
                               : (uint16_t)combine_random();
}

TEST(test_sums_and_products)
{
    uint16_t *x = malloc(3 * ALL * sizeof *x), *y = x + ALL, *z = y + ALL;
    double *want = malloc(ALL * sizeof *want);
    struct oracle o;
    assert_true(x && want);
    for (int i = 0; i < ALL; i++)
        x[i] = (uint16_t)i;
    for (int c = 0; c < 2 * 2 * OTHERS; c++) {
        const struct kind *kind = &kinds[c % 2];
        const int op = c / 2 % 2 ? SUMMAND__COMBINE_PROD : SUMMAND__COMBINE_SUM;
        const uint16_t b = other(kind, c / 4);
        oracle_begin(&o, kind);
        for (int i = 0; i < ALL; i++) {
            y[i] = b;
            want[i] =
                rounded(&o, value_of(kind, x[i]), value_of(kind, b), op == SUMMAND__COMBINE_PROD);
        }
        oracle_end(&o);
        for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            summand__combine_kernel((enum summand__combine_operator)op, kind->type)(x, y, z, ALL);
            for (int i = 0; i < ALL; i++)
                if (!agrees(kind, z[i], want[i]))
                    fail_msg("%s: %s of %s %04x and %04x is %04x, not %a",
                             summand__arch_name((enum summand__arch)arch),
                             summand__combine_operator_name((enum summand__combine_operator)op),
                             summand__combine_type_name(kind->type), x[i], b, z[i], want[i]);
        }
    }
    free(x);
    free(want);
}

static void check_narrowed(struct oracle *o, float x)
{
    const uint16_t got = o->kind->to(x);
    const double want = rounded(o, (double)x, 1, true);
    if (!agrees(o->kind, got, want))
        fail_msg("%s: %a becomes %04x, not %a", summand__combine_type_name(o->kind->type),
                 (double)x, got, want);
}

/* Each number, the tie above it, and the floats beside these. */
TEST(test_conversions)
{
    struct oracle o;
    for (int k = 0; k < 2; k++) {
        oracle_begin(&o, &kinds[k]);
        for (int i = 0; i < ALL; i++) {
            const uint16_t h = (uint16_t)i;
            const double exact = value_of(&kinds[k], h);
            const float x = kinds[k].from(h), next = kinds[k].from((uint16_t)(h + 1));
            const float tie = (float)((double)x + ((double)next - (double)x) / 2);
            assert_true(isnan(exact) ? isnan(x) : bits_of((double)x) == bits_of(exact));
            const float tried[] = {x, tie, (float)((double)x * 1.0000001)};
            for (int t = 0; t < 3; t++) {
                check_narrowed(&o, tried[t]);
                check_narrowed(&o, nextafterf(tried[t], INFINITY));
                check_narrowed(&o, nextafterf(tried[t], -INFINITY));
                check_narrowed(&o, half_float((uint32_t)combine_random()));
            }
        }
        check_narrowed(&o, 65519.996f); /* the last float that does not become infinite */
        check_narrowed(&o, 65520);
        oracle_end(&o);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The accumulator, term by term, against MPFR. */
#include "unit/exact_oracle.h"
#include "unit/unit.h"
#include <float.h>

static void check(const summand_exact *acc, struct oracle *o)
{
    double root;
    float root_f32;
    oracle_root(o, &root, &root_f32);
    assert_int_equal(bits_of(summand_exact_round(acc)), bits_of(oracle_round(o)));
    const float single = oracle_round_f32(o);
    if (isnan(single))
        assert_int_equal(bits_of_f32(summand_exact_round_f32(acc)), 0x7fc00000);
    else
        assert_int_equal(bits_of_f32(summand_exact_round_f32(acc)), bits_of_f32(single));
    if (isnan(root)) {
        assert_int_equal(bits_of(summand_exact_sqrt(acc)), UINT64_C(0x7ff8000000000000));
        assert_int_equal(bits_of_f32(summand_exact_sqrt_f32(acc)), 0x7fc00000);
    } else {
        assert_int_equal(bits_of(summand_exact_sqrt(acc)), bits_of(root));
        assert_int_equal(bits_of_f32(summand_exact_sqrt_f32(acc)), bits_of_f32(root_f32));
    }
}

static void check_round2(const summand_exact *acc, struct oracle *o)
{
    double hi, lo;
    summand_exact_round2(acc, &hi, &lo);
    assert_int_equal(bits_of(hi), bits_of(oracle_round(o)));
    double expected = 0;
    if (isfinite(hi)) {
        mpfr_set_d(o->term, hi, MPFR_RNDN);
        mpfr_sub(o->term, o->sum, o->term, MPFR_RNDN);
        expected = mpfr_zero_p(o->term) ? 0 : mpfr_get_d(o->term, MPFR_RNDN);
    }
    assert_int_equal(bits_of(lo), bits_of(expected));
}

static void check_sum(unsigned n, const double *x)
{
    struct oracle o;
    summand_exact acc;
    oracle_init(&o);
    memset(&acc, 0x5a, sizeof acc);
    summand_exact_init(&acc);
    for (unsigned i = 0; i < n; i++) {
        oracle_add(&o, x[i]);
        summand_exact_add(&acc, 1, x + i);
        check(&acc, &o);
        check_round2(&acc, &o);
    }
    oracle_clear(&o);
}

#define CHECK_SUM(...)                                                                             \
    check_sum(sizeof((double[]){__VA_ARGS__}) / sizeof(double), (const double[]){__VA_ARGS__})

TEST(test_chosen_sums)
{
    const double tiny = 0x1p-1074, ulp = DBL_EPSILON;
    CHECK_SUM(0.0, -0.0);
    CHECK_SUM(-0.0, -0.0, 0.0);
    CHECK_SUM(1, -1, -0.0);
    CHECK_SUM(1, ulp / 2, tiny, -tiny, -tiny); /* tie, above, tie, below */
    CHECK_SUM(1 + ulp, ulp / 2, -tiny);        /* tie to even goes up */
    CHECK_SUM(-1, -ulp / 2, -tiny);
    CHECK_SUM(1, -ulp / 4, tiny, -tiny, -tiny);      /* ties just below a power of two */
    CHECK_SUM(DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX); /* partial sums overflow */
    CHECK_SUM(DBL_MAX, 0x1p969, 0x1p968, 0x1p969 - 0x1p916, tiny, -tiny, -tiny);
    CHECK_SUM(DBL_MAX, 0x1p970, -tiny, -DBL_MAX); /* the overflow threshold is a tie */
    CHECK_SUM(DBL_MIN, -tiny, tiny / 1, DBL_MIN, -3 * tiny);
    CHECK_SUM(FLT_MAX, 0x1p103, -tiny, tiny);           /* overflow threshold of float */
    CHECK_SUM(1, 0x1p-24, tiny, -tiny, -tiny, 0x1p-24); /* float ties; no double rounding */
    CHECK_SUM(0x1p-150, tiny, -tiny, -tiny, 0x1p-149);  /* half the smallest float */
    CHECK_SUM(INFINITY, 1, -INFINITY);
    CHECK_SUM(-INFINITY, DBL_MAX, NAN);
    CHECK_SUM(-1, 0x1p-64, -0x1p-128, 0x1p64, -0x1p128, 0x1p128, 1);
}

TEST(test_random_sums)
{
    for (int round = 0; round < 300; round++) {
        struct oracle o;
        summand_exact acc;
        oracle_init(&o);
        summand_exact_init(&acc);
        const unsigned low = random_below(2046), span = 1 + random_below(2047 - low);
        for (unsigned i = 0; i < 30; i++) {
            const double x = round % 2 ? random_finite() : random_field(low, low + span);
            oracle_add(&o, x);
            summand_exact_add(&acc, 1, &x);
            check(&acc, &o);
            if (random_below(4) == 0) { /* cancel the sum so far, down to its remainder */
                const double minus = -summand_exact_round(&acc);
                if (isfinite(minus)) {
                    oracle_add(&o, minus);
                    summand_exact_add(&acc, 1, &minus);
                }
            }
            check_round2(&acc, &o);
        }
        oracle_clear(&o);
    }
}

static void check_product(summand_exact *acc, struct oracle *o, double x, double y)
{
    oracle_product(o, x, y);
    summand_exact_add_products(acc, 1, &x, &y);
    check(acc, o);
}

TEST(test_products)
{
    static const double special[] = {0.0,      -0.0,     0x1p-1074, -0x1p-1074, DBL_MIN, DBL_MAX,
                                     -DBL_MAX, INFINITY, -INFINITY, NAN,        1,       -3};
    enum { SPECIALS = sizeof special / sizeof *special };
    for (int round = 0; round < 300; round++) {
        struct oracle o;
        summand_exact acc;
        oracle_init(&o);
        summand_exact_init(&acc);
        if (round < SPECIALS)
            for (int i = 0; i < SPECIALS; i++) {
                struct oracle one;
                summand_exact single;
                oracle_init(&one);
                summand_exact_init(&single);
                check_product(&single, &one, special[round], special[i]);
                check_product(&single, &one, special[i], -0.0);
                oracle_clear(&one);
            }
        for (int i = 0; i < 20; i++)
            check_product(&acc, &o, random_finite(), random_finite());
        oracle_clear(&o);
    }
}

TEST(test_squares_and_root)
{
    for (int round = 0; round < 2000; round++) {
        struct oracle o;
        summand_exact acc;
        oracle_init(&o);
        summand_exact_init(&acc);
        for (int i = 0; i < 2; i++) {
            const double x = round % 3 ? random_finite() : (double)random_below(100);
            oracle_product(&o, x, x);
            summand_exact_add_squares(&acc, 1, &x);
            check(&acc, &o);
        }
        oracle_clear(&o);
    }
}

TEST(test_largest_sums)
{
    const double max = DBL_MAX, minus = -DBL_MAX;
    for (int sign = 0; sign < 2; sign++) {
        summand_exact acc;
        struct oracle o;
        oracle_init(&o);
        summand_exact_init(&acc);
        summand_exact_add_products(&acc, 1, &max, sign ? &minus : &max);
        oracle_product(&o, max, sign ? minus : max);
        for (int i = 0; i < 62; i++) { /* 2^62 of the largest products, by doubling */
            const summand_exact same = acc;
            summand_exact_merge(&acc, &same);
            mpfr_mul_2ui(o.sum, o.sum, 1, MPFR_RNDN);
            check(&acc, &o);
        }
        for (int i = 0; i < 62; i++) { /* back into range: subtract half of it each time */
            mpfr_div_2ui(o.sum, o.sum, 1, MPFR_RNDN);
            summand_exact half;
            summand_exact_init(&half);
            summand_exact_add_products(&half, 1, &max, sign ? &max : &minus);
            for (int j = i + 1; j < 62; j++)
                summand_exact_merge(&half, &half);
            summand_exact_merge(&acc, &half);
            check(&acc, &o);
        }
        oracle_clear(&o);
    }
}

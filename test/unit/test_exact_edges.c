/* SPDX-License-Identifier: BSD-3-Clause */
/* Data made for one weak point each: omitting the check in question gives a wrong result. */
#include "unit/exact_oracle.h"

#include "kernel/arch.h"
#include "unit/unit.h"

enum { MOST = 40000 };

static double x[MOST], y[MOST];

static void check_dot(size_t n)
{
    struct oracle o;
    oracle_init(&o);
    for (size_t i = 0; i < n; i++)
        oracle_product(&o, x[i], y[i]);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        if (summand__arch_force((enum summand__arch)arch))
            assert_int_equal(bits_of(summand_exact_dot(n, x, y)), bits_of(oracle_round(&o)));
    oracle_clear(&o);
}

static void check_sum(size_t n)
{
    struct oracle o;
    oracle_init(&o);
    for (size_t i = 0; i < n; i++)
        oracle_add(&o, x[i]);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        if (summand__arch_force((enum summand__arch)arch))
            assert_int_equal(bits_of(summand_exact_sum(n, x)), bits_of(oracle_round(&o)));
    oracle_clear(&o);
}

/* The brief pass guesses from five terms: here they are the small ones. */
TEST(test_misleading_sample)
{
    for (int scale = 0; scale < 18; scale++)
        for (size_t n = 200; n <= 2048; n += 168) {
            for (size_t i = 0; i < n; i++)
                x[i] = ldexp(1.5 + random_unit() / 2, scale);
            x[0] = x[n / 4] = x[n / 2] = x[n - 1 - n / 4] = x[n - 1] = 1;
            check_sum(n);
        }
}

/* Rests of nearly half a unit, all of one sign: the second level fills as fast as it can. */
TEST(test_largest_rests)
{
    for (int digits = 30; digits < 48; digits++) {
        for (size_t i = 0; i < MOST; i++) {
            x[i] = 1 + ldexp(0.498046875, -digits);
            y[i] = 1;
        }
        check_sum(MOST);
        check_dot(9000);
    }
}

/* Splitting without FMA overflows although the products are ordinary. */
TEST(test_large_by_small)
{
    for (size_t n = 5; n <= 3000; n = n * 3 + 1) {
        for (size_t i = 0; i < n; i++) {
            x[i] = ldexp(1 + random_unit() / 2, i % 7 ? 3 : 1010);
            y[i] = ldexp(1 + random_unit() / 2, i % 7 ? 3 : -1005);
        }
        check_dot(n);
    }
}

/* Sums near a tie, decided by a far smaller term. */
TEST(test_ties_of_dots)
{
    for (int round = 0; round < 20000; round++) {
        const size_t n = 8;
        for (size_t i = 0; i < n; i++)
            x[i] = y[i] = 0;
        x[0] = 1 + (double)random_below(8) * 0x1p-52;
        x[2] = random_below(2) ? 0x1p-53 : -0x1p-54;
        x[4] = ldexp(random_below(2) ? 1 : -1, -50 - (int)random_below(60));
        x[7] = ldexp(random_below(2) ? 1 : -1, -53 - (int)random_below(70));
        x[5] = ldexp(random_below(2) ? 1 : -1, -100 - (int)random_below(30));
        for (size_t i = 0; i < n; i++)
            y[i] = 1;
        check_dot(n);
    }
}

/* A product whose error term is half a last bit, and a far smaller error term that decides. */
TEST(test_ties_of_errors)
{
    for (int round = 0; round < 20000; round++) {
        memset(x, 0, 8 * sizeof *x);
        for (size_t i = 0; i < 8; i++)
            y[i] = 1;
        x[0] = random_below(2) ? 1 + 0x1p-27 : 1 - 0x1p-27;
        y[0] = 1 + 0x1p-26;
        x[2] = 1 + ((double)random_below(16) - 8) * 0x1p-52;
        y[2] = ldexp(1 + ((double)random_below(16) - 8) * 0x1p-52, -(int)random_below(12));
        x[5] = -x[2] * y[2];
        x[6] = random_below(2) ? 0 : 0x1p-52;
        check_dot(8);
    }
}

/* The large products cancel, wholly or but for some digits. */
TEST(test_cancelling_dots)
{
    for (int round = 0; round < 20000; round++) {
        for (size_t i = 0; i < 6; i++) {
            x[i] = 1 + random_unit() / 2;
            y[i] = 1 + random_unit() / 2;
        }
        x[3] = -x[0];
        y[3] = y[0] + (random_below(2) ? 0 : ldexp(1, -(int)random_below(53)));
        for (size_t i = 1; i < 6; i += i == 2 ? 2 : 1)
            x[i] = ldexp(x[i], -(int)random_below(70));
        check_dot(6);
    }
}

/* A full window grows: an accumulator that was packed to its fewest limbs is doubled. */
TEST(test_windows_grow)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        unsigned char bytes[SUMMAND_EXACT_PACKED_MAX];
        summand_exact acc, same;
        const double start = sign * 0x1p-1000;
        summand_exact_init(&acc);
        summand_exact_add(&acc, 1, &start);
        for (int i = 1; i < 1900; i++) {
            const size_t size = summand_exact_pack(&acc, bytes);
            assert_int_equal(summand_exact_unpack(&acc, bytes, size), size);
            same = acc;
            summand_exact_merge(&acc, &same);
            assert_true(summand_exact_round(&acc) == ldexp(start, i));
            summand_exact_pack(&acc, bytes);
            summand_exact_unpack(&same, bytes, sizeof bytes);
            summand_exact_negate(&same);
            assert_true(summand_exact_round(&same) == -ldexp(start, i));
        }
    }
}

/* Ties of both types, and a far smaller term that alone decides, wherever the digits are cut. */
TEST(test_ties_of_sums)
{
    for (int scale = -64; scale < 64; scale++)
        for (int digit = 54; digit < 300; digit++)
            for (int kind = 0; kind < 4; kind++) {
                const double terms[] = {ldexp(1, scale), ldexp(1, scale - (kind & 1 ? 24 : 53)),
                                        ldexp(kind & 2 ? -1 : 1, scale - digit)};
                struct oracle o;
                summand_exact acc;
                oracle_init(&o);
                summand_exact_init(&acc);
                for (int i = 0; i < 3; i++)
                    oracle_add(&o, terms[i]);
                summand_exact_add(&acc, 3, terms);
                assert_int_equal(bits_of(summand_exact_round(&acc)), bits_of(oracle_round(&o)));
                assert_int_equal(bits_of_f32(summand_exact_round_f32(&acc)),
                                 bits_of_f32(oracle_round_f32(&o)));
                oracle_clear(&o);
            }
}

/* The square of a tie, scaled to odd and even exponents, and far smaller terms that alone decide:
 * one of them is the bit that an odd exponent shifts out of the leading digits. */
TEST(test_ties_of_roots)
{
    for (int scale = -300; scale <= 300; scale++)
        for (int digit = 107; digit < 190; digit++)
            for (int below = 0; below < 2; below++) {
                const double terms[] = {ldexp(1, scale), ldexp(1, scale - 52),
                                        ldexp(1, scale - 106),
                                        ldexp(below ? -1 : 1, scale - digit)};
                struct oracle o;
                summand_exact acc;
                double root;
                float root_f32;
                oracle_init(&o);
                summand_exact_init(&acc);
                for (int i = 0; i < 4; i++)
                    oracle_add(&o, terms[i]);
                summand_exact_add(&acc, 4, terms);
                oracle_root(&o, &root, &root_f32);
                assert_int_equal(bits_of(summand_exact_sqrt(&acc)), bits_of(root));
                assert_int_equal(bits_of_f32(summand_exact_sqrt_f32(&acc)), bits_of_f32(root_f32));
                oracle_clear(&o);
            }
}

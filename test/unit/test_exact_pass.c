/* SPDX-License-Identifier: BSD-3-Clause */
/* The fast passes: every kind, both types, every instruction set, sizes around every block, against
 * MPFR. */
#include "unit/exact_data.h"

#include "kernel/arch.h"
#include "kernel/pass.h"
#include "unit/unit.h"

enum { MOST = 70000, KINDS = SUMMAND__PASS_KINDS };

static double x[MOST + 8], y[MOST + 8];
static float xs[MOST + 8], ys[MOST + 8];

static void fill(unsigned family, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = family_value(family, i);
    for (size_t i = 0; i < n; i++)
        y[i] = family_value(random_below(3) ? family : 1, i);
    for (size_t i = 0; i < n; i++) {
        xs[i] = (float)(family == 3 || family == 9 ? ldexp(x[i], (int)random_below(3)) : x[i]);
        ys[i] = (float)y[i];
    }
}

/* Floats of any exponent: the families mostly overflow or vanish as floats. */
static void fill_any_floats(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        xs[i] = (float)random_field(1023 - 149, 1023 + 128);
        ys[i] = (float)random_field(1023 - 149, 1023 + 128);
    }
}

static void add_kind(summand_exact *acc, int kind, bool f32, size_t n, size_t from)
{
    const double *a = x + from, *b = y + from;
    const float *c = xs + from, *d = ys + from;
    if (kind == SUMMAND__PASS_SUM)
        f32 ? summand_exact_add_f32(acc, n, c) : summand_exact_add(acc, n, a);
    else if (kind == SUMMAND__PASS_ASUM)
        f32 ? summand_exact_add_abs_f32(acc, n, c) : summand_exact_add_abs(acc, n, a);
    else if (kind == SUMMAND__PASS_SQUARES)
        f32 ? summand_exact_add_squares_f32(acc, n, c) : summand_exact_add_squares(acc, n, a);
    else
        f32 ? summand_exact_add_products_f32(acc, n, c, d)
            : summand_exact_add_products(acc, n, a, b);
}

static double expected_sum(int kind, bool f32, size_t n, size_t from, float *single)
{
    struct oracle o;
    oracle_init(&o);
    for (size_t i = from; i < from + n; i++) {
        const double a = f32 ? (double)xs[i] : x[i], b = f32 ? (double)ys[i] : y[i];
        if (kind <= SUMMAND__PASS_ASUM)
            oracle_add(&o, kind ? fabs(a) : a);
        else
            oracle_product(&o, a, kind == SUMMAND__PASS_DOT ? b : a);
    }
    const double result = oracle_round(&o);
    *single = oracle_round_f32(&o);
    oracle_clear(&o);
    return result;
}

static void check_kind(int kind, bool f32, size_t n, size_t from)
{
    unsigned char first[SUMMAND_EXACT_PACKED_MAX], bytes[SUMMAND_EXACT_PACKED_MAX];
    size_t first_size = 0;
    float single;
    const double expected = expected_sum(kind, f32, n, from, &single);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        summand_exact acc;
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        summand_exact_init(&acc);
        add_kind(&acc, kind, f32, n, from);
        if (bits_of(summand_exact_round(&acc)) != bits_of(expected))
            fail_msg("%s kind %d f32 %d n %zu from %zu: %a, not %a",
                     summand__arch_name((enum summand__arch)arch), kind, f32, n, from,
                     summand_exact_round(&acc), expected);
        if (!isnan(single))
            assert_int_equal(bits_of_f32(summand_exact_round_f32(&acc)), bits_of_f32(single));
        const size_t size = summand_exact_pack(&acc, bytes);
        if (!first_size)
            memcpy(first, bytes, first_size = size);
        assert_int_equal(size, first_size);
        assert_memory_equal(bytes, first, size);
        if (!f32 && kind == SUMMAND__PASS_SUM)
            assert_int_equal(bits_of(summand_exact_sum(n, x + from)), bits_of(expected));
        if (!f32 && kind == SUMMAND__PASS_DOT)
            assert_int_equal(bits_of(summand_exact_dot(n, x + from, y + from)), bits_of(expected));
    }
}

static void check_all_kinds(size_t n, size_t from)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int f32 = 0; f32 < 2; f32++)
            check_kind(kind, f32, n, from);
}

TEST(test_small_sizes)
{
    for (unsigned f = 0; f < FAMILIES; f++)
        for (size_t n = 0; n < 80; n += 1 + (f + n) % 3) {
            fill(f, n + 3);
            check_all_kinds(n, n % 4 ? 0 : 3);
        }
}

TEST(test_block_sizes)
{
    static const size_t sizes[] = {127, 256, 259, 1000, 2047, 2048, 2049, 2080, 4096, 4097};
    for (unsigned f = 0; f < FAMILIES; f++)
        for (unsigned i = f % 2; i < sizeof sizes / sizeof *sizes; i += 2) {
            fill(f, sizes[i] + 1);
            check_all_kinds(sizes[i], 1);
        }
}

TEST(test_many_blocks)
{
    static const int families[] = {0, 1, 3, 5, 7, 11, 14, 18, 19, 20, 21, 22};
    for (unsigned i = 0; i < sizeof families / sizeof *families; i++) {
        fill((unsigned)families[i], MOST);
        check_kind(SUMMAND__PASS_SUM, false, i % 2 ? MOST : 32768 + 2049, i % 2 ? 0 : 5);
        check_kind((int)i % KINDS, i % 3 == 0, 33000, 7);
        check_kind(SUMMAND__PASS_DOT, false, 17000, 1);
    }
}

/* All exponents mixed, so that chunks are sorted; and one exponent that fills its bin, at each
 * place of four. */
TEST(test_full_bins)
{
    enum { N = 65536, FULL = 2000 - 1023 };
    for (size_t place = 0; place < 4; place++) {
        for (size_t i = 0; i < N; i++)
            x[i] = i % 4 == place ? ldexp(2 - ldexp(1 + random_below(8), -52), FULL)
                                  : random_field(1, 1990);
        check_kind(SUMMAND__PASS_SUM, false, N, 0);
    }
}

TEST(test_any_floats)
{
    static const size_t sizes[] = {7, 64, 2048, 5000};
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fill_any_floats(sizes[i]);
        for (int kind = 0; kind < KINDS; kind++)
            check_kind(kind, true, sizes[i], 0);
    }
}

/* Deposits in parts, into one accumulator or merged: the packed bytes are the same. */
TEST(test_parts)
{
    for (unsigned round = 0; round < 200; round++) {
        const size_t n = 1 + random_below(6000);
        const int kind = (int)random_below(KINDS);
        const bool f32 = random_below(2);
        unsigned char whole_bytes[SUMMAND_EXACT_PACKED_MAX], bytes[SUMMAND_EXACT_PACKED_MAX];
        summand_exact whole, parts, merged;
        fill(round % FAMILIES, n);
        summand_exact_init(&whole);
        summand_exact_init(&parts);
        summand_exact_init(&merged);
        do
            summand__arch_force((enum summand__arch)random_below(SUMMAND__ARCHS));
        while (random_below(2));
        add_kind(&whole, kind, f32, n, 0);
        for (size_t from = 0; from < n;) {
            summand_exact one;
            const size_t most = random_below(2) ? 10 : 3000;
            const size_t left = n - from,
                         count = 1 + random_below((unsigned)(left < most ? left : most));
            summand_exact_init(&one);
            add_kind(&one, kind, f32, count, from);
            add_kind(&parts, kind, f32, count, from);
            summand_exact_merge(&one, &merged);
            merged = one;
            from += count;
        }
        const size_t size = summand_exact_pack(&whole, whole_bytes);
        assert_int_equal(summand_exact_pack(&parts, bytes), size);
        assert_memory_equal(bytes, whole_bytes, size);
        assert_int_equal(summand_exact_pack(&merged, bytes), size);
        assert_memory_equal(bytes, whole_bytes, size);
    }
}

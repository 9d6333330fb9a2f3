/* SPDX-License-Identifier: BSD-3-Clause */
/* Merging, negating and packing: the value and its bytes depend on the terms alone. */
#include "unit/exact_oracle.h"
#include "unit/unit.h"
#include <float.h>

enum { TERMS = 6 };

static size_t packed(const summand_exact *acc, unsigned char *bytes)
{
    memset(bytes, 0, SUMMAND_EXACT_PACKED_MAX);
    return summand_exact_pack(acc, bytes);
}

static void assert_same(const summand_exact *a, const summand_exact *b)
{
    unsigned char p[SUMMAND_EXACT_PACKED_MAX], q[SUMMAND_EXACT_PACKED_MAX];
    const size_t size = packed(a, p);
    assert_int_equal(size, packed(b, q));
    assert_memory_equal(p, q, size);
}

static double any_term(unsigned how)
{
    static const double chosen[] = {0.0,        -0.0,    1,        -1,       0x1p-1074,
                                    -0x1p-1074, DBL_MAX, -DBL_MAX, INFINITY, -INFINITY,
                                    NAN,        0x1p64,  -0x1p64};
    if (how % 4 == 0)
        return chosen[random_below(sizeof chosen / sizeof *chosen)];
    if (how % 4 == 1)
        return chosen[random_below(8)];
    return how % 4 == 2 ? random_finite() : (double)((int)random_below(5) - 2);
}

/* Every order of the terms, and every split of that order into two halves, which are then merged.
 * */
static void permute(double *x, unsigned at, const summand_exact *expected)
{
    if (at + 1 == TERMS) {
        for (unsigned split = 0; split <= TERMS; split++) {
            summand_exact a, b, c;
            summand_exact_init(&a);
            summand_exact_init(&b);
            summand_exact_add(&a, split, x);
            summand_exact_add(&b, TERMS - split, x + split);
            c = b;
            summand_exact_merge(&c, &a);
            summand_exact_merge(&a, &b);
            assert_same(&a, expected);
            assert_same(&c, expected);
        }
        return;
    }
    for (unsigned i = at; i < TERMS; i++) {
        const double a = x[at], b = x[i];
        x[at] = b;
        x[i] = a;
        permute(x, at + 1, expected);
        x[at] = a;
        x[i] = b;
    }
}

TEST(test_orders_and_splits)
{
    for (unsigned round = 0; round < 24; round++) {
        double x[TERMS];
        summand_exact all;
        summand_exact_init(&all);
        for (unsigned i = 0; i < TERMS; i++) {
            x[i] = any_term(round);
            summand_exact_add(&all, 1, x + i);
        }
        permute(x, 0, &all);
    }
}

/* All ways to merge four accumulators of random products into one. */
TEST(test_merge_is_associative)
{
    for (int round = 0; round < 2000; round++) {
        summand_exact part[4], left, right, pair;
        for (int i = 0; i < 4; i++) {
            summand_exact_init(part + i);
            for (unsigned j = random_below(4); j-- > 0;) {
                const double x = any_term(round % 8 ? 2 + j : 0), y = any_term(2 + random_below(2));
                summand_exact_add_products(part + i, 1, &x, &y);
            }
        }
        left = part[0];
        for (int i = 1; i < 4; i++)
            summand_exact_merge(&left, part + i);
        right = part[3];
        for (int i = 2; i >= 0; i--)
            summand_exact_merge(&right, part + i);
        assert_same(&left, &right);
        pair = part[2];
        summand_exact_merge(&pair, part + 3);
        right = part[1];
        summand_exact_merge(&right, part);
        summand_exact_merge(&pair, &right);
        assert_same(&left, &pair);
    }
}

TEST(test_negate)
{
    for (unsigned round = 0; round < 2000; round++) {
        summand_exact acc, minus, zero;
        summand_exact_init(&acc);
        summand_exact_init(&minus);
        for (unsigned j = 0; j < 1 + round % 5; j++) {
            const double x = any_term(round % 8 ? 2 : 0), y = any_term(2 + round % 2);
            const double z = -x;
            summand_exact_add_products(&acc, 1, &x, &y);
            summand_exact_add_products(&minus, 1, &z, &y);
        }
        zero = acc;
        const double before = summand_exact_round(&acc);
        summand_exact_negate(&acc);
        if (before != 0)
            assert_same(&acc, &minus);
        summand_exact_merge(&zero, &acc);
        const double rest = summand_exact_round(&zero); /* a sum of finite terms may round to inf */
        assert_true(bits_of(rest) == 0 ||
                    (!isfinite(before) && bits_of(rest) == UINT64_C(0x7ff8000000000000)));
    }
}

TEST(test_pack_round_trip)
{
    for (unsigned round = 0; round < 4000; round++) {
        unsigned char bytes[SUMMAND_EXACT_PACKED_MAX];
        summand_exact acc, back;
        summand_exact_init(&acc);
        for (unsigned j = 0; j < round % 5; j++) {
            const double x = any_term(round % 16 ? 2 : 0);
            summand_exact_add(&acc, 1, &x);
            if (j == 0)
                assert_true(packed(&acc, bytes) <= 24);
        }
        const size_t size = packed(&acc, bytes);
        memset(&back, 0x5a, sizeof back);
        assert_int_equal(summand_exact_unpack(&back, bytes, sizeof bytes), size);
        assert_int_equal(summand_exact_unpack(&back, bytes, size), size);
        assert_same(&acc, &back);
        assert_int_equal(bits_of(summand_exact_round(&acc)), bits_of(summand_exact_round(&back)));
        for (size_t shorter = 0; shorter < size; shorter++)
            assert_int_equal(summand_exact_unpack(&back, bytes, shorter), 0);
        assert_int_equal(bits_of(summand_exact_round(&back)), 0);
    }
}

/* Damaged bytes are refused, or are the one packed form of some other value. */
TEST(test_damaged_bytes)
{
    unsigned refused = 0;
    for (unsigned round = 0; round < 100000; round++) {
        unsigned char bytes[SUMMAND_EXACT_PACKED_MAX], again[SUMMAND_EXACT_PACKED_MAX];
        summand_exact acc, back;
        summand_exact_init(&acc);
        const double x = random_finite();
        summand_exact_add(&acc, 1, &x);
        size_t size = packed(&acc, bytes);
        const unsigned changes = 1 + random_below(3);
        for (unsigned i = 0; i < changes; i++)
            bytes[random_below(round % 2 ? 4 : (unsigned)size)] ^=
                (unsigned char)(1u << random_below(8));
        const size_t read = summand_exact_unpack(&back, bytes, size);
        if (!read) {
            refused++;
            assert_int_equal(bits_of(summand_exact_round(&back)), 0);
            continue;
        }
        assert_true(read <= size);
        size = summand_exact_pack(&back, again);
        assert_int_equal(size, read);
        assert_memory_equal(bytes, again, size);
    }
    assert_true(refused > 40000);
}

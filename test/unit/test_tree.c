/* SPDX-License-Identifier: BSD-3-Clause */
/* Every tree kernel against the definition, bit for bit. */
#include "tree_oracle.h"
#include "unit/unit.h"

enum { LEVELS = 21, NUMBERS = (1 << (LEVELS - 1)) + 16 };

struct numbers {
    double *x64, *y64;
    float *x32, *y32;
};

static struct numbers make_numbers(size_t n, uint64_t seed, bool special)
{
    struct numbers d = {malloc(n * sizeof(double)), malloc(n * sizeof(double)),
                        malloc(n * sizeof(float)), malloc(n * sizeof(float))};
    assert_true(d.x64 && d.y64 && d.x32 && d.y32);
    for (size_t i = 0; i < n; i++) {
        d.x64[i] = oracle_number(&seed, special);
        d.y64[i] = oracle_number(&seed, special);
        d.x32[i] = (float)oracle_number(&seed, special);
        d.y32[i] = (float)oracle_number(&seed, special);
    }
    return d;
}

static void free_numbers(struct numbers d)
{
    free(d.x64);
    free(d.y64);
    free(d.x32);
    free(d.y32);
}

/* The tree of `level` that starts `shift` elements into the data, on all instruction sets. */
static void check(const struct numbers *d, enum summand__tree_kind kind, unsigned level,
                  size_t shift)
{
    uint64_t n = (uint64_t)1 << level;
    const double *x64 = d->x64 + shift, *y64 = d->y64 + shift;
    const float *x32 = d->x32 + shift, *y32 = d->y32 + shift;
    double want64 = oracle_f64(kind, x64, y64, n, 0, level);
    float want32 = oracle_f32(kind, x32, y32, n, 0, level);
    bool two = kind == SUMMAND__TREE_DOT;
    const enum summand__arch best = summand__arch();
    for (int a = 0; a < SUMMAND__ARCHS; a++) {
        enum summand__arch arch = (enum summand__arch)a;
        if (!summand__arch_force(arch))
            continue;
        const struct summand__tree_kernels *kernels = summand__tree_kernels();
        double is64 = kernels->f64[kind](x64, two ? y64 : NULL, level);
        float is32 = kernels->f32[kind](x32, two ? y32 : NULL, level);
        if (!oracle_same_f64(is64, want64) || !oracle_same_f32(is32, want32))
            fail_msg("%s kind %d level %u shift %zu: %a and %a, not %a and %a",
                     summand__arch_name(arch), (int)kind, level, shift, is64, (double)is32, want64,
                     (double)want32);
    }
    summand__arch_force(best);
}

TEST(test_levels)
{
    struct numbers d = make_numbers(NUMBERS, 1, false);
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++)
        for (unsigned level = 0; level < LEVELS; level++)
            check(&d, (enum summand__tree_kind)k, level, 0);
    free_numbers(d);
}

TEST(test_unaligned)
{
    struct numbers d = make_numbers((1 << 12) + 16, 2, false);
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++)
        for (unsigned level = 0; level <= 12; level++)
            for (size_t shift = 1; shift < 16; shift++)
                check(&d, (enum summand__tree_kind)k, level, shift);
    free_numbers(d);
}

TEST(test_special_values)
{
    struct numbers d = make_numbers(1 << 14, 3, true);
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++)
        for (unsigned level = 0; level <= 7; level++)
            for (size_t shift = 0; shift + (1u << level) <= 1 << 14; shift += 1 + (1u << level))
                check(&d, (enum summand__tree_kind)k, level, shift);
    free_numbers(d);
}

/* MIN and MAX return the right operand of equal zeros, and so show whether operands were swapped.
 * */
TEST(test_zeros_of_both_signs)
{
    struct numbers d = make_numbers(1 << 12, 4, false);
    uint64_t seed = 5;
    for (int i = 0; i < 1 << 12; i++) {
        d.x64[i] = oracle_random(&seed) & 1 ? -0.0 : 0.0;
        d.x32[i] = oracle_random(&seed) & 1 ? -0.0f : 0.0f;
    }
    for (int k = 0; k < SUMMAND__TREE_KINDS; k++)
        for (unsigned level = 0; level <= 6; level++)
            for (size_t shift = 0; shift + (1u << level) <= 1 << 12; shift += 1u << level)
                check(&d, (enum summand__tree_kind)k, level, shift);
    free_numbers(d);
}

TEST(test_tables_are_full)
{
    const enum summand__arch best = summand__arch();
    for (int a = 0; a < SUMMAND__ARCHS; a++) {
        if (!summand__arch_force((enum summand__arch)a))
            continue;
        assert_int_equal(summand__arch(), a);
        const struct summand__tree_kernels *kernels = summand__tree_kernels();
        assert_non_null(kernels);
        for (int k = 0; k < SUMMAND__TREE_KINDS; k++)
            assert_true(kernels->f64[k] && kernels->f32[k]);
    }
    summand__arch_force(best);
}

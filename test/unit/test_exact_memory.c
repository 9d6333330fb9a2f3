/* SPDX-License-Identifier: BSD-3-Clause */
/* A caller's memory and floating-point environment: arrays that end at a page end, read-only pages,
 * any alignment, directed rounding, flush-to-zero, unmasked exceptions. */
#include "unit/exact_data.h"

#include <fenv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/arch.h"
#include "unit/unit.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef double sum_of_bytes(const char *x, const char *y, size_t n);

#define OF(name, type, arguments)                                                                  \
    static double name(const char *x, const char *y, size_t n)                                     \
    {                                                                                              \
        summand_exact acc;                                                                         \
        (void)y;                                                                                   \
        summand_exact_init(&acc);                                                                  \
        summand_exact_##name arguments;                                                            \
        return summand_exact_round(&acc);                                                          \
    }
#define X(type) (const type *)(const void *)x
#define Y(type) (const type *)(const void *)y
OF(add, double, (&acc, n, X(double)))
OF(add_abs, double, (&acc, n, X(double)))
OF(add_squares, double, (&acc, n, X(double)))
OF(add_products, double, (&acc, n, X(double), Y(double)))
OF(add_f32, float, (&acc, n, X(float)))
OF(add_abs_f32, float, (&acc, n, X(float)))
OF(add_squares_f32, float, (&acc, n, X(float)))
OF(add_products_f32, float, (&acc, n, X(float), Y(float)))

static double sum(const char *x, const char *y, size_t n)
{
    (void)y;
    return summand_exact_sum(n, X(double));
}

static double dot(const char *x, const char *y, size_t n)
{
    return summand_exact_dot(n, X(double), Y(double));
}

static double root(const char *x, const char *y, size_t n)
{
    summand_exact acc;
    (void)y;
    summand_exact_init(&acc);
    summand_exact_add_squares(&acc, n, X(double));
    return summand_exact_sqrt(&acc);
}

/* The bits of both floats, as a double that no code computes with. */
static double round_f32(const char *x, const char *y, size_t n)
{
    summand_exact acc;
    summand_exact_init(&acc);
    summand_exact_add_products(&acc, n, X(double), Y(double));
    const float both[2] = {summand_exact_round_f32(&acc), summand_exact_sqrt_f32(&acc)};
    double bits;
    memcpy(&bits, both, sizeof bits);
    return bits;
}

static const struct {
    sum_of_bytes *of;
    size_t size;
} sums[] = {
    {add, 8},         {add_abs, 8},         {add_squares, 8},      {add_products, 8}, {add_f32, 4},
    {add_abs_f32, 4}, {add_squares_f32, 4}, {add_products_f32, 4}, {sum, 8},          {dot, 8},
    {root, 8},        {round_f32, 8}};
enum { SUMS = sizeof sums / sizeof *sums, BYTES = 1 << 16 };

/* BYTES readable bytes between two inaccessible pages. */
static char *guarded(const void *data)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *all =
        mmap(NULL, BYTES + 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(all != MAP_FAILED);
    memcpy(all + page, data, BYTES);
    assert_int_equal(mprotect(all, page, PROT_NONE), 0);
    assert_int_equal(mprotect(all + page, BYTES, PROT_READ), 0);
    assert_int_equal(mprotect(all + page + BYTES, page, PROT_NONE), 0);
    return all + page;
}

static double values[BYTES / 8];
static float singles[BYTES / 4];

static void fill(unsigned family)
{
    for (size_t i = 0; i < BYTES / 8; i++)
        values[i] = family_value(family, i);
    for (size_t i = 0; i < BYTES / 4; i++)
        singles[i] = (float)random_unit();
}

TEST(test_page_ends)
{
    fill(1);
    char *f64[2] = {guarded(values), guarded(values)};
    char *f32[2] = {guarded(singles), guarded(singles)};
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        for (int s = 0; s < SUMS; s++)
            for (size_t n = 0; n < 2200; n += n < 70 ? 1 : 401) {
                char *const *at = sums[s].size == 4 ? f32 : f64;
                const char *data = sums[s].size == 4 ? (const char *)singles : (const char *)values;
                const size_t from = BYTES - n * sums[s].size;
                assert_int_equal(bits_of(sums[s].of(at[0] + from, at[1] + from, n)),
                                 bits_of(sums[s].of(data + from, data + from, n)));
                assert_int_equal(bits_of(sums[s].of(at[0], at[1], n)),
                                 bits_of(sums[s].of(data, data, n)));
            }
    }
}

TEST(test_any_alignment)
{
    static char shifted[BYTES + 64];
    fill(0);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        for (int s = 0; s < SUMS; s++)
            for (size_t shift = 1; shift < 64; shift += 7) {
                const size_t n = 1000 + shift;
                const char *data = sums[s].size == 4 ? (const char *)singles : (const char *)values;
                memcpy(shifted + shift, data, BYTES);
                assert_int_equal(bits_of(sums[s].of(shifted + shift, shifted + shift, n)),
                                 bits_of(sums[s].of(data, data, n)));
            }
    }
}

/* Every environment: the same result, and the environment as it was. */
TEST(test_environments)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    static const unsigned families[] = {0, 3, 7, 9, 10, 18};
    for (unsigned round = 0; round < 6 * 8 * SUMS; round++) {
        const size_t n = round % 5 ? 1 + random_below(300) : 3000;
        const int s = (int)(round % SUMS);
        if (s == 0)
            fill(families[round / SUMS % 6]);
        do
            summand__arch_force((enum summand__arch)random_below(SUMMAND__ARCHS));
        while (random_below(2));
        const char *data = sums[s].size == 4 ? (const char *)singles : (const char *)values;
        const double expected = sums[s].of(data, data, n);
        fenv_t before;
        fegetenv(&before);
        fesetround(modes[round / 2 % 4]);
        feclearexcept(FE_ALL_EXCEPT);
        if (round % 2)
            feenableexcept(FE_ALL_EXCEPT);
        const int enabled = fegetexcept(); /* some processors have no traps */
#if defined(__x86_64__)
        const unsigned flush = 0x8040; /* flush to zero, denormals are zero */
        if (round % 3)
            _mm_setcsr(_mm_getcsr() | flush);
        const unsigned control = _mm_getcsr() & ~0x3fu;
#endif
        const double found = sums[s].of(data, data, n);
#if defined(__x86_64__)
        const unsigned control_after = _mm_getcsr() & ~0x3fu;
#endif
        const int mode_after = fegetround(), enabled_after = fegetexcept();
        fesetenv(&before);
        assert_int_equal(mode_after, modes[round / 2 % 4]);
        assert_int_equal(enabled_after, enabled);
#if defined(__x86_64__)
        assert_int_equal(control_after, control);
#endif
        assert_int_equal(bits_of(found), bits_of(expected));
    }
}

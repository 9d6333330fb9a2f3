/* SPDX-License-Identifier: BSD-3-Clause */
/* The combine kernels: every operator and type on every instruction set against the definition.
 * Values are hostile, addresses and lengths are arbitrary, and the result takes all three places.
 * */
#include "unit/combine_data.h"
#include "unit/combine_oracle.h"
#include "unit/unit.h"

enum { LONGEST = 300, ROOM = (LONGEST + 1) * 48 };

static int has_infinity(const struct oracle_type *type, const char *x)
{
    return isinf(oracle_real(type, x)) || isinf(oracle_real(type, x + type->bytes));
}

static int has_nan(const struct oracle_type *type, const char *x)
{
    return isnan(oracle_real(type, x)) || isnan(oracle_real(type, x + type->bytes));
}

static int is_zero(const struct oracle_type *type, const char *x)
{
    return oracle_real(type, x) == 0 && oracle_real(type, x + type->bytes) == 0;
}

/* Annex G: an infinity times any number other than zero and NaN is an infinity. */
static int must_be_infinite(const struct oracle_type *type, const char *x, const char *y)
{
    int left = has_infinity(type, x), right = has_infinity(type, y);
    return (left && right) || (left && !has_nan(type, y) && !is_zero(type, y)) ||
           (right && !has_nan(type, x) && !is_zero(type, x));
}

/* If the textbook's product is NaN in both parts, C recovers infinities: `want` takes the value of
 * `got` if C allows it. */
static void settle_products(const struct oracle_type *type, const char *x, const char *y,
                            const char *got, char *want, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = i * type->extent;
        if (!isnan(oracle_real(type, want + at)) ||
            !isnan(oracle_real(type, want + at + type->bytes)))
            continue;
        if (must_be_infinite(type, x + at, y + at))
            assert_true(has_infinity(type, got + at));
        if (!has_infinity(type, got + at))
            continue; /* `want`: canonical NaNs */
        memcpy(want + at, got + at, type->data);
        memcpy(want + at + type->bytes, got + at + type->bytes, type->data);
    }
}

struct buffers {
    char x[ROOM], y[ROOM], before[ROOM], got[ROOM], want[ROOM], generic[ROOM];
};

/* One instruction set: the result in its own buffer, over the right operand, and over the left
 * operand. */
static void check_arch(enum summand__arch arch, enum summand__combine_operator op,
                       enum summand__combine_type t, struct buffers *b, size_t offset, size_t n)
{
    const struct oracle_type *type = &oracle_types[t];
    summand__combiner *kernel = summand__combine_kernel(op, t);
    char *x = b->x + offset, *y = b->y + offset, *got = b->got + offset, *want = b->want + offset;
    for (int place = 0; place < 3; place++) {
        const char *target = place == 0 ? b->before : place == 1 ? b->y : b->x;
        memcpy(b->got, target, ROOM);
        memcpy(b->want, target, ROOM);
        for (size_t i = 0; i < n; i++)
            oracle_combine(op, t, x + i * type->extent, y + i * type->extent,
                           want + i * type->extent);
        kernel(place == 2 ? got : x, place == 1 ? got : y, got, n);
        if (type->family == ORACLE_COMPLEX && op == SUMMAND__COMBINE_PROD)
            settle_products(type, x, y, got, want, n);
        if (memcmp(b->got, b->want, ROOM))
            fail_msg("%s: %s of %zu %s at offset %zu, place %d", summand__arch_name(arch),
                     summand__combine_operator_name(op), n, summand__combine_type_name(t), offset,
                     place);
        if (arch == SUMMAND__GENERIC && place == 0)
            memcpy(b->generic, b->got, ROOM);
        if (place == 0)
            assert_memory_equal(b->got, b->generic, ROOM);
    }
}

static void check_case(enum summand__combine_operator op, enum summand__combine_type t,
                       struct buffers *b, size_t offset, size_t n)
{
    combine_fill(&oracle_types[t], b->x + offset, n);
    combine_fill(&oracle_types[t], b->y + offset, n);
    for (size_t i = 0; i < ROOM; i++)
        b->before[i] = (char)combine_random();
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        if (summand__arch_force((enum summand__arch)arch))
            check_arch((enum summand__arch)arch, op, t, b, offset, n);
}

TEST(test_every_kernel)
{
    struct buffers *b = calloc(1, sizeof *b);
    assert_non_null(b);
    for (int op = 0; op < SUMMAND__COMBINE_OPERATORS; op++)
        for (int t = 0; t < SUMMAND__COMBINE_TYPES; t++) {
            if (!summand__combine_kernel((enum summand__combine_operator)op,
                                         (enum summand__combine_type)t))
                continue;
            for (size_t n = 0; n <= 70; n++)
                check_case((enum summand__combine_operator)op, (enum summand__combine_type)t, b,
                           n % 17, n);
            for (size_t offset = 0; offset < 10; offset++)
                check_case((enum summand__combine_operator)op, (enum summand__combine_type)t, b,
                           offset, LONGEST - offset * 7);
        }
    free(b);
}

/* MPI 4.0, 6.9.2 and 6.9.4, on the types of C. */
TEST(test_which_go_together)
{
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        for (int op = 0; op < SUMMAND__COMBINE_OPERATORS; op++)
            for (int t = 0; t < SUMMAND__COMBINE_TYPES; t++) {
                const struct oracle_type *type = &oracle_types[t];
                int integer = type->family <= ORACLE_UNSIGNED && !type->index;
                int real = type->family == ORACLE_REAL && !type->index;
                int want = op <= SUMMAND__COMBINE_PROD
                               ? integer || real || type->family == ORACLE_COMPLEX
                           : op <= SUMMAND__COMBINE_MAX  ? integer || real
                           : op <= SUMMAND__COMBINE_LXOR ? integer || type->family == ORACLE_BOOL
                           : op <= SUMMAND__COMBINE_BXOR ? integer
                                                         : type->index > 0;
                summand__combiner *kernel = summand__combine_kernel(
                    (enum summand__combine_operator)op, (enum summand__combine_type)t);
                assert_int_equal(kernel != NULL, want);
                assert_int_equal(summand__combine_type_extent((enum summand__combine_type)t),
                                 type->extent);
                assert_int_equal(summand__combine_type_environment((enum summand__combine_type)t),
                                 type->family != ORACLE_REAL && type->family != ORACLE_COMPLEX
                                     ? SUMMAND__COMBINE_NONE
                                 : strstr(summand__combine_type_name((enum summand__combine_type)t),
                                          "long-double")
                                     ? SUMMAND__COMBINE_EXTENDED
                                     : SUMMAND__COMBINE_PLAIN);
            }
    }
}

/* Swapping the operands changes no bit; sums may round differently. */
TEST(test_any_order)
{
    enum { N = 64 };
    static char x[N * 48], y[N * 48], z[N * 48], one[N * 48], other[N * 48];
    for (int op = 0; op < SUMMAND__COMBINE_OPERATORS; op++)
        for (int t = 0; t < SUMMAND__COMBINE_TYPES; t++) {
            const struct oracle_type *type = &oracle_types[t];
            summand__combiner *kernel = summand__combine_kernel((enum summand__combine_operator)op,
                                                                (enum summand__combine_type)t);
            int rounds = summand__combine_type_environment((enum summand__combine_type)t) &&
                         op <= SUMMAND__COMBINE_PROD;
            for (int round = 0; kernel && !rounds && round < 20; round++) {
                combine_fill(type, x, N);
                combine_fill(type, y, N);
                combine_fill(type, z, N);
                memset(one, 0, sizeof one);
                memset(other, 0, sizeof other);
                kernel(x, y, one, N);
                kernel(one, z, one, N);
                kernel(z, y, other, N);
                kernel(other, x, other, N);
                assert_memory_equal(one, other, sizeof one);
            }
        }
}

/* A saturating 8-bit sum would fail this. */
TEST(test_sums_wrap)
{
    enum { N = 100 };
    int8_t x[N], y[N];
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        memset(x, 100, sizeof x);
        memset(y, 100, sizeof y);
        summand__combine_kernel(SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_I8)(x, y, y, N);
        for (int i = 0; i < N; i++)
            assert_int_equal(y[i], -56);
    }
}

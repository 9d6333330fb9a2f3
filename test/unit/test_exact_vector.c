/* SPDX-License-Identifier: BSD-3-Clause */
/* The accumulator of a vector: each element against MPFR. */
#define UNIT_MAIN
#include "unit/exact_data.h"

#include "kernel/arch.h"
#include "unit/unit.h"
#include <summand/exact_vector.h>

enum { MOST = 600, ROWS_MOST = 300, TYPES = 4 };

/* A type of terms: how to make an element of a double, read it, add rows, round, and what the
 * oracle rounds to. Half types are read as exact doubles by their bits. */
static double half_value(uint16_t bits, int digits, int bias)
{
    const int width = 16 - digits, field = bits >> (digits - 1) & ((1 << width) - 1);
    const int fraction = bits & ((1 << (digits - 1)) - 1), most = (1 << width) - 1;
    double value = ldexp(field ? fraction + (1 << (digits - 1)) : fraction,
                         (field ? field : 1) - bias - (digits - 1));
    if (field == most)
        value = fraction ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -value : value;
}

static double value_of(int type, const void *x, size_t i)
{
    switch (type) {
    case 0:
        return ((const double *)x)[i];
    case 1:
        return (double)((const float *)x)[i];
    case 2:
        return half_value(((const uint16_t *)x)[i], 11, 15);
    default:
        return half_value(((const uint16_t *)x)[i], 8, 127);
    }
}

static void put(int type, void *x, size_t i, double value)
{
    if (type == 0)
        ((double *)x)[i] = value;
    else if (type == 1)
        ((float *)x)[i] = (float)value;
    else /* any bits are a term; signs and exponents as random as they are */
        ((uint16_t *)x)[i] = (uint16_t)(bits_of(value) >> 48 ^ random_below(4));
}

static int add(summand_exact_vector *v, int type, size_t rows, size_t lead, const void *x,
               size_t first)
{
    switch (type) {
    case 0:
        return summand_exact_vector_add(v, rows, lead, (const double *)x + first);
    case 1:
        return summand_exact_vector_add_f32(v, rows, lead, (const float *)x + first);
    case 2:
        return summand_exact_vector_add_f16(v, rows, lead, (const uint16_t *)x + first);
    default:
        return summand_exact_vector_add_bf16(v, rows, lead, (const uint16_t *)x + first);
    }
}

static int rounded(const summand_exact_vector *v, int type, void *y)
{
    switch (type) {
    case 0:
        return summand_exact_vector_round(v, y);
    case 1:
        return summand_exact_vector_round_f32(v, y);
    case 2:
        return summand_exact_vector_round_f16(v, y);
    default:
        return summand_exact_vector_round_bf16(v, y);
    }
}

/* The bits of the oracle's sum in a type: MPFR with the type's precision and exponents. */
static uint64_t expected(const struct oracle *o, int type)
{
    static const struct {
        int digits, emax;
    } rows[TYPES] = {{53, 1024}, {24, 128}, {11, 16}, {8, 128}};
    const int digits = rows[type].digits, emax = rows[type].emax;
    const int width = type == 0 ? 64 : type == 1 ? 32 : 16;
    const uint64_t inf = (uint64_t)(2 * emax - 1) << (digits - 1);
    const uint64_t sign = UINT64_C(1) << (width - 1);
    double x;
    if (oracle_special(o, &x))
        return isnan(x)   ? inf | UINT64_C(1) << (digits - 2)
               : isinf(x) ? inf | (x < 0 ? sign : 0)
                          : (signbit(x) ? sign : 0);
    mpfr_t y;
    mpfr_init2(y, digits);
    const mpfr_exp_t low = mpfr_get_emin(), high = mpfr_get_emax();
    mpfr_set_emin(3 - emax - digits + 1);
    mpfr_set_emax(emax);
    int inexact = mpfr_set(y, o->sum, MPFR_RNDN);
    inexact = mpfr_check_range(y, inexact, MPFR_RNDN);
    mpfr_subnormalize(y, inexact, MPFR_RNDN);
    x = mpfr_get_d(y, MPFR_RNDN); /* exact */
    mpfr_set_emin(low);
    mpfr_set_emax(high);
    mpfr_clear(y);
    uint64_t bits = x < 0 || (x == 0 && signbit(x)) ? sign : 0;
    x = fabs(x);
    if (isinf(x))
        return bits | inf;
    int e;
    frexp(x, &e);
    const int emin = 2 - emax; /* of a normal number, as 1.m 2^emin */
    const int unit = (e - 1 < emin ? emin : e - 1) - (digits - 1);
    const uint64_t m = x == 0 ? 0 : (uint64_t)ldexp(x, -unit);
    return bits |
           (m >> (digits - 1) ? (uint64_t)(unit + digits - 1 - emin + 1) << (digits - 1)
                              : UINT64_C(0)) |
           (m & ((UINT64_C(1) << (digits - 1)) - 1));
}

static uint64_t got(int type, const void *y, size_t j)
{
    uint64_t word = 0;
    uint32_t word32;
    const size_t bytes = type == 0 ? 8 : type == 1 ? 4 : 2;
    if (bytes == 2)
        return ((const uint16_t *)y)[j];
    if (bytes == 4) {
        memcpy(&word32, (const char *)y + 4 * j, 4);
        return word32;
    }
    memcpy(&word, (const char *)y + 8 * j, 8);
    return word;
}

/* The sums of columns, rounded to every type. */
static void check_columns(const summand_exact_vector *v, int type, const void *x, size_t rows,
                          size_t lead, size_t n)
{
    double y[TYPES][MOST + 1];
    for (int to = 0; to < TYPES; to++)
        assert_int_equal(rounded(v, to, y[to]), SUMMAND_EXACT_OK);
    for (size_t j = 0; j < n; j++) {
        struct oracle o;
        oracle_init(&o);
        for (size_t i = 0; i < rows; i++)
            oracle_add(&o, value_of(type, x, i * lead + j));
        for (int to = 0; to < TYPES; to++) {
            const uint64_t want = expected(&o, to), is = got(to, y[to], j);
            if (want != is)
                fail_msg("types %d and %d, %zu rows, column %zu of %zu: 0x%llx, not 0x%llx", type,
                         to, rows, j, n, (unsigned long long)is, (unsigned long long)want);
        }
        oracle_clear(&o);
    }
}

/* Rows in one call, one by one, and in halves that are merged: the same bits. */
static void check_ways(int type, const void *x, size_t rows, size_t lead, size_t n)
{
    summand_exact_vector *v = summand_exact_vector_new(n), *w = summand_exact_vector_new(n);
    assert_non_null(v);
    assert_non_null(w);
    assert_int_equal(add(v, type, rows, lead, x, 0), 0);
    check_columns(v, type, x, rows, lead, n);
    summand_exact_vector_clear(v);
    for (size_t i = rows; i-- > 0;)
        assert_int_equal(add(v, type, 1, 1, x, i * lead), 0);
    check_columns(v, type, x, rows, lead, n);
    summand_exact_vector_clear(v);
    assert_int_equal(add(v, type, rows / 3, lead, x, 0), 0);
    assert_int_equal(add(w, type, rows - rows / 3, lead, x, rows / 3 * lead), 0);
    assert_int_equal(summand_exact_vector_merge(v, w), 0);
    check_columns(v, type, x, rows, lead, n);
    summand_exact_vector_free(&v);
    summand_exact_vector_free(&w);
}

/* Data of every family down the columns, or along the rows. */
static void fill(int type, unsigned family, bool down, void *x, size_t rows, size_t lead)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < lead; j++)
            put(type, x, i * lead + j, family_value(family, down ? i : j));
}

TEST(test_families)
{
    static const size_t shapes[][2] = {{1, 1}, {2, 7}, {7, 257}, {130, 19}, {3, 600}, {290, 8}};
    void *x = malloc(sizeof(double) * ROWS_MOST * (MOST + 3));
    for (unsigned family = 0; family < FAMILIES; family++)
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
            for (int type = 0; type < TYPES; type++) {
                const size_t rows = shapes[s][0], n = shapes[s][1], lead = n + s % 3;
                fill(type, family, s % 2, x, rows, lead);
                check_ways(type, x, rows, lead, n);
            }
    free(x);
}

/* Terms that need digits below and above those there are, in each order: one by one, and in a row
 * beside others. */
TEST(test_widening)
{
    static const double terms[] = {1.5,      0x1p-1074, -0x1p1000, 0x1.8p500, -0x1p-500,
                                   -DBL_MAX, DBL_MAX,   0x1p1000,  -0x1p-1074};
    enum { TERMS = sizeof terms / sizeof *terms, N = 300 };
    for (size_t from = 0; from < TERMS; from++)
        for (int back = 0; back < 2; back++)
            for (int single = 0; single < 2; single++) {
                summand_exact_vector *v = summand_exact_vector_new(N);
                double x[TERMS][N], y[N];
                for (size_t i = 0; i < TERMS; i++) {
                    const size_t at = (from + (back ? TERMS - i : i)) % TERMS, index = 299;
                    for (size_t j = 0; j < N; j++)
                        x[i][j] = j == 299   ? terms[at]
                                  : j == 257 ? -terms[at]
                                  : j < 256  ? ldexp(1, -1040 - 34 * (int)(i % 2))
                                             : (double)(j % 5);
                    if (!single) {
                        assert_int_equal(summand_exact_vector_add(v, 1, N, x[i]), 0);
                        check_columns(v, 0, x, i + 1, N, N);
                        continue;
                    }
                    struct oracle o;
                    oracle_init(&o);
                    for (size_t k = 0; k <= i; k++)
                        oracle_add(&o, x[k][index]);
                    assert_int_equal(summand_exact_vector_add_at(v, 1, &index, &x[i][index]), 0);
                    assert_int_equal(summand_exact_vector_round(v, y), 0);
                    assert_true(bits_of(y[index]) == bits_of(oracle_round(&o)));
                    oracle_clear(&o);
                }
                summand_exact_vector_free(&v);
            }
}

/* So many terms that digits carry: rows in one call, rows one by one, single terms. */
TEST(test_many)
{
    enum { ROWS = 1 << 20, SINGLE = 5 << 20, N = 3 };
    static const double terms[N] = {DBL_MAX, -1 + 0x1p-53, 0x1.fffffffffffffp-1030};
    double *x = malloc((size_t)ROWS * N * sizeof *x), y[N], *same = malloc(SINGLE * sizeof *same);
    size_t *index = malloc(SINGLE * sizeof *index);
    summand_exact_vector *v = summand_exact_vector_new(N);
    for (size_t i = 0; i < (size_t)ROWS * N; i++)
        x[i] = terms[i % N];
    assert_int_equal(summand_exact_vector_add(v, ROWS, N, x), 0);
    for (size_t i = 0; i < 5000; i++)
        assert_int_equal(summand_exact_vector_add(v, 1, N, x), 0);
    for (size_t i = 0; i < SINGLE; i++) {
        index[i] = i % N;
        same[i] = terms[i % N];
    }
    assert_int_equal(summand_exact_vector_add_at(v, SINGLE, index, same), 0);
    assert_int_equal(summand_exact_vector_round(v, y), 0);
    for (size_t j = 0; j < N; j++) {
        struct oracle o;
        oracle_init(&o);
        oracle_product(&o, terms[j], (double)(ROWS + 5000 + (SINGLE + N - 1 - (int)j) / N));
        assert_true(bits_of(y[j]) == bits_of(oracle_round(&o)));
        oracle_clear(&o);
    }
    for (size_t j = 0; j < N; j++) /* to the last bit */
        x[j] = -terms[j];
    for (size_t i = 0; i < SINGLE; i++)
        same[i] = -same[i];
    assert_int_equal(summand_exact_vector_add_at(v, SINGLE, index, same), 0);
    assert_int_equal(summand_exact_vector_add(v, ROWS, 0, x), 0); /* one row, over and over */
    assert_int_equal(summand_exact_vector_add(v, 4999, 0, x), 0);
    assert_int_equal(summand_exact_vector_round(v, y), 0);
    for (size_t j = 0; j < N; j++)
        assert_true(bits_of(y[j]) == bits_of(terms[j]));
    summand_exact_vector_free(&v);
    free(x);
    free(same);
    free(index);
}

/* Any address; nothing behind the last element is read; other arguments. */
TEST(test_arguments)
{
    char memory[8 * 20 + 1];
    double y[10];
    size_t index[3] = {0, 9, 10};
    summand_exact_vector *v = summand_exact_vector_new(10), *w = summand_exact_vector_new(9),
                         *none = summand_exact_vector_new(0);
    for (size_t i = 0; i < 20; i++) {
        const double x = (double)i + 0.25;
        memcpy(memory + 1 + 8 * i, &x, sizeof x);
    }
    assert_int_equal(summand_exact_vector_add(v, 2, 10, (const double *)(const void *)(memory + 1)),
                     SUMMAND_EXACT_OK);
    assert_int_equal(summand_exact_vector_add_at(v, 3, index, y), SUMMAND_EXACT_INDEX);
    assert_int_equal(summand_exact_vector_merge(v, w), SUMMAND_EXACT_INDEX);
    assert_int_equal(summand_exact_vector_round(v, y), SUMMAND_EXACT_OK);
    for (size_t j = 0; j < 10; j++)
        assert_true(y[j] == 10.5 + 2 * (double)j);
    assert_int_equal(summand_exact_vector_count(v), 10);
    assert_int_equal(summand_exact_vector_add(none, 5, 0, NULL), SUMMAND_EXACT_OK);
    assert_int_equal(summand_exact_vector_round(none, NULL), SUMMAND_EXACT_OK);
    assert_null(summand_exact_vector_new(SIZE_MAX));
    summand_exact_vector_free(&v);
    summand_exact_vector_free(&w);
    summand_exact_vector_free(&none);
    assert_null(v);
    summand_exact_vector_free(&v);
}

/* Zeros and special values: rows, single terms, and both. */
TEST(test_zeros)
{
    const double minus[2] = {-0.0, -0.0}, mixed[2] = {-0.0, INFINITY}, one = -0.0;
    const size_t index = 1;
    double y[2];
    summand_exact_vector *v = summand_exact_vector_new(2), *w = summand_exact_vector_new(2);
    summand_exact_vector_round(v, y);
    assert_true(!signbit(y[0]) && !signbit(y[1]));
    summand_exact_vector_add(v, 1, 2, mixed);
    summand_exact_vector_round(v, y);
    assert_true(y[0] == 0 && signbit(y[0]) && y[1] == INFINITY);
    summand_exact_vector_merge(w, v);
    summand_exact_vector_round(w, y);
    assert_true(y[0] == 0 && signbit(y[0]) && y[1] == INFINITY);
    summand_exact_vector_clear(v);
    summand_exact_vector_add_at(v, 1, &index, &one); /* +0.0 to all */
    summand_exact_vector_add(v, 1, 2, minus);
    summand_exact_vector_round(v, y);
    assert_true(!signbit(y[0]) && !signbit(y[1]));
    summand_exact_vector_merge(w, v);
    summand_exact_vector_round(w, y);
    assert_true(y[0] == 0 && !signbit(y[0]) && y[1] == INFINITY);
    const double minus_infinity = -INFINITY;
    summand_exact_vector_add_at(w, 1, &index, &minus_infinity);
    summand_exact_vector_round(w, y);
    assert_true(bits_of(y[1]) == UINT64_C(0x7ff8000000000000));
    summand_exact_vector_free(&v);
    summand_exact_vector_free(&w);
}

/* 8 bytes for each 40 bits of the exponents, and little more. */
TEST(test_memory)
{
    enum { N = 2560, ROWS = 50 };
    double *x = malloc(N * ROWS * sizeof *x);
    summand_exact_vector *v = summand_exact_vector_new(N);
    for (size_t i = 0; i < N * ROWS; i++)
        x[i] = random_field(1013, 1023);
    summand_exact_vector_add(v, ROWS, N, x);
    assert_between(summand_exact_vector_bytes(v), 16 * N, 25 * N);
    summand_exact_vector_clear(v);
    for (size_t i = 0; i < N * ROWS; i++)
        x[i] = random_finite();
    summand_exact_vector_add(v, ROWS, N, x);
    assert_between(summand_exact_vector_bytes(v), 400 * N, 464 * N);
    summand_exact_vector_free(&v);
    free(x);
}

int main(void)
{
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        if (summand__arch_force((enum summand__arch)arch) &&
            cmocka_run_group_tests_name(summand__arch_name((enum summand__arch)arch), unit_tests,
                                        NULL, NULL))
            return 1;
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums of columns: every type and instruction set, against MPFR. */
#include "unit/lanes_oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernel/columns.h"
#include "unit/sanitized.h"

enum { TYPES = SUMMAND__LANES_TYPES, PARTS = 3 };

struct matrix {
    int type;
    size_t rows, n, ld;
    unsigned char *x;
    uint64_t *expected;
    struct oracle *sums; /* of the columns */
};

static struct matrix make(int type, size_t rows, size_t n)
{
    struct matrix m = {.type = type, .rows = rows, .n = n, .ld = n + random_below(3)};
    m.x = malloc(rows * m.ld * lanes_types[type].bytes + 1);
    m.expected = malloc(n * sizeof *m.expected);
    m.sums = malloc(n * sizeof *m.sums);
    assert_true(m.x && m.expected && m.sums);
    return m;
}

static void reckon(struct matrix *m)
{
    for (size_t j = 0; j < m->n; j++) {
        oracle_init(&m->sums[j]);
        for (size_t i = 0; i < m->rows; i++)
            lanes_oracle_add(&m->sums[j], lanes_value(m->type, m->x, i * m->ld + j), 1);
        m->expected[j] = lanes_expected(m->type, &m->sums[j]);
        oracle_clear(&m->sums[j]);
    }
}

static void drop(struct matrix *m)
{
    free(m->x);
    free(m->expected);
    free(m->sums);
}

static void compare(const struct matrix *m, const char *what, int arch, const void *y)
{
    for (size_t j = 0; j < m->n; j++)
        if (lanes_bits(m->type, y, j) != m->expected[j])
            fail_msg("%s: %s %s, %zu rows of %zu, column %zu: %llx, not %llx", what,
                     summand__arch_name((enum summand__arch)arch), lanes_types[m->type].name,
                     m->rows, m->n, j, (unsigned long long)lanes_bits(m->type, y, j),
                     (unsigned long long)m->expected[j]);
}

/* Rows from..end, whole or a term after the other. */
static void deposit(const struct matrix *m, struct summand__columns *columns, size_t from,
                    size_t end, bool scatter)
{
    const size_t bytes = lanes_types[m->type].bytes;
    if (!scatter) {
        assert_true(summand__columns_add(columns, m->x + from * m->ld * bytes, end - from, m->ld));
        return;
    }
    size_t *index = malloc(m->n * sizeof *index + 1);
    assert_non_null(index);
    for (size_t j = 0; j < m->n; j++)
        index[j] = j;
    for (size_t i = from; i < end; i++)
        assert_true(summand__columns_scatter(columns, m->n, index, m->x + i * m->ld * bytes));
    free(index);
}

/* The columns' shares of PARTS ranks, each with some of the rows, summed as lanes. */
static void check_shares(const struct matrix *m, int arch, const size_t cuts[PARTS + 1], void *y)
{
    struct summand__columns parts[PARTS];
    for (unsigned p = 0; p < PARTS; p++) {
        assert_true(summand__columns_init(&parts[p], (enum summand__lanes_type)m->type, m->n));
        deposit(m, &parts[p], cuts[p], cuts[p + 1], m->rows < 300 && p == 1);
    }
    for (size_t b = 0; b * SUMMAND__LANES_BLOCK < m->n; b++) {
        const size_t from = b * SUMMAND__LANES_BLOCK, left = m->n - from;
        const size_t n = left < SUMMAND__LANES_BLOCK ? left : SUMMAND__LANES_BLOCK;
        struct summand__lanes_range range = SUMMAND__LANES_RANGE_NONE;
        for (unsigned p = 0; p < PARTS; p++)
            summand__columns_range(&parts[p], b, &range);
        const struct summand__lanes_format f =
            summand__lanes_format(&range, 32 + random_below(29), 0);
        const size_t size = summand__lanes_size(&f, n);
        int64_t *all = calloc(size + 1, 8), *one = malloc(size * 8 + 8);
        assert_true(all && one);
        for (unsigned p = 0; p < PARTS; p++) {
            assert_true(summand__columns_encode(&parts[p], b, &f, one));
            for (size_t i = 0; i < size; i++) {
                assert_true(i >= f.digits * n || !(llabs(one[i]) >> f.bits));
                all[i] += one[i];
            }
        }
        if (f.digits) { /* one bit less at either end is too little for some rank */
            struct summand__lanes_format high = f, low = f;
            bool fits_high = true, fits_low = true;
            high.top--;
            low.lowest++;
            for (unsigned p = 0; p < PARTS; p++) {
                fits_high = fits_high && summand__columns_encode(&parts[p], b, &high, one);
                fits_low = fits_low && (low.lowest > low.top ||
                                        summand__columns_encode(&parts[p], b, &low, one));
            }
            assert_false(fits_high);
            assert_true(!fits_low || low.lowest > low.top);
        }
        summand__lanes_kernels()->decode[m->type](
            &f, PARTS, all, n, (unsigned char *)y + from * lanes_types[m->type].bytes);
        free(all);
        free(one);
    }
    for (unsigned p = 0; p < PARTS; p++)
        summand__columns_free(&parts[p]);
    compare(m, "shares", arch, y);
}

static void check(struct matrix *m)
{
    const size_t cut = m->rows ? random_below((unsigned)m->rows + 1) : 0;
    const size_t cuts[PARTS + 1] = {0, cut, cut + (m->rows - cut) / 3, m->rows};
    unsigned char *y = malloc(m->n * 8 + 1);
    assert_non_null(y);
    reckon(m);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        struct summand__columns columns;
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        assert_true(summand__columns_init(&columns, (enum summand__lanes_type)m->type, m->n));
        for (unsigned p = 0; p < PARTS; p++)
            deposit(m, &columns, cuts[p], cuts[p + 1], false);
        summand__columns_round(&columns, y + 1);
        compare(m, "round", arch, y + 1);
        summand__columns_free(&columns);
        check_shares(m, arch, cuts, y);
    }
    free(y);
}

static void test_families(void **state)
{
    static const size_t rows[] = {0, 1, 3, 8, 9, 13, 64, 255, 256, 257, 600};
    static const size_t columns[] = {1, 3, 8, 31, 255, 256, 257, 530};
    (void)state;
    for (unsigned f = 0; f < FAMILIES; f++)
        for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++) {
            const unsigned c = random_below(sizeof columns / sizeof *columns - (r > 6 ? 3 : 0));
            const int type = random_below(2) ? 0 : (int)random_below(TYPES);
            struct matrix m = make(type, rows[r], columns[c]);
            const double scale = type == SUMMAND__LANES_F16 && c % 2 ? 0x1p-14 : 1;
            for (size_t i = 0; i < m.rows * m.ld; i++)
                lanes_set(type, m.x, i, family_value(f, f < 12 ? i : i / m.ld) * scale);
            check(&m);
            drop(&m);
        }
}

/* Columns across tiles; rows whose range changes in the middle, widely or by a little; columns of
 * zeros of both signs. */
static void test_changes(void **state)
{
    (void)state;
    for (unsigned round = 0; round < (SANITIZED ? 8u : 24u); round++) {
        const int type = (int)(round % 2);
        struct matrix m =
            make(type, 300 + random_below(500), 1 + random_below(round < 8 ? 1300 : 60));
        for (size_t i = 0; i < m.rows; i++)
            for (size_t j = 0; j < m.ld; j++) {
                const int late = i > m.rows / 2;
                double value = ldexp(random_unit(), late * (int[]){0, 3, 9, 60, -60}[round % 5]);
                if (j % 11 == 3)
                    value = i % 7 && j % 2 ? 0.0 : -0.0;
                if (j % 11 == 4)
                    value = i + 1 == m.rows && j % 2 ? 0.0 : -0.0;
                if (round % 6 == 5 && i == m.rows - 1 && j % 50 == 0)
                    value = special_value();
                lanes_set(type, m.x, i * m.ld + j, value);
            }
        check(&m);
        drop(&m);
    }
}

/* Terms at the limits of the levels: all as large and of one sign, so that sums reach the ends of
 * their binades; rests of half a unit; the range of the levels and one bit more. */
static void test_limits(void **state)
{
    (void)state;
    for (int end = 0; end < 4; end++)
        for (int span = SUMMAND__LANES_SWEEP_SPAN - 3; span <= SUMMAND__LANES_SWEEP_SPAN + 3;
             span++) {
            const int top = (int[]){4, 1014, 1023, -1074 + span}[end];
            struct matrix m = make(SUMMAND__LANES_F64, 256, 40);
            for (size_t i = 0; i < m.rows; i++)
                for (size_t j = 0; j < m.ld; j++) {
                    double value = nextafter(ldexp(1, top), 0);
                    if (j % 5 == 1)
                        value = ldexp(1, top - 44);
                    if (j % 5 == 2)
                        value = ldexp(1, top - 1) + ldexp(1, top - 44);
                    if (j % 5 == 3 && i)
                        value = ldexp(1, top - span);
                    lanes_set(0, m.x, i * m.ld + j, j % 2 ? -value : value);
                }
            check(&m);
            drop(&m);
        }
}

/* So many deposits that digits carry several times, with sums that grow; T = 2^20 terms. */
static void test_many(void **state)
{
    enum { ROWS = SANITIZED ? 1 << 15 : 1 << 20 };
    static double x[3];
    static const size_t index[3] = {2, 0, 1};
    (void)state;
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        struct summand__columns columns;
        struct oracle sums[3];
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        assert_true(summand__columns_init(&columns, SUMMAND__LANES_F64, 3));
        for (int j = 0; j < 3; j++)
            oracle_init(&sums[j]);
        for (size_t i = 0; i < ROWS; i++) {
            x[0] = 2 - DBL_EPSILON;
            x[1] = -DBL_MAX;
            x[2] = random_unit();
            assert_true(summand__columns_scatter(&columns, 3, index, x));
            lanes_oracle_add(&sums[0], x[1], 1);
            lanes_oracle_add(&sums[1], x[2], 1);
            lanes_oracle_add(&sums[2], x[0], 1);
        }
        for (size_t i = 0; i < ROWS; i++) { /* what overflowed comes back */
            x[1] = DBL_MAX;
            assert_true(summand__columns_scatter(&columns, 1, index + 1, x + 1));
            lanes_oracle_add(&sums[0], x[1], 1);
        }
        double y[3];
        summand__columns_round(&columns, y);
        for (int j = 0; j < 3; j++) {
            assert_int_equal(bits_of(y[j]), lanes_expected(0, &sums[j]));
            oracle_clear(&sums[j]);
        }
        summand__columns_free(&columns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_families),
                                       cmocka_unit_test(test_changes),
                                       cmocka_unit_test(test_limits), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

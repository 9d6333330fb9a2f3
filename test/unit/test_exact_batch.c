/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums side by side, against MPFR: deposited, packed, merged and rounded together, with every
 * instruction set. */
#include "unit/exact_data.h"

#include "exact/batch.h"
#include "kernel/pairs.h"
#include "unit/unit.h"

enum { RANKS = 3, MOST_SUMS = 130, MOST_TERMS = 24 };

struct world {
    size_t k;
    enum summand__pass_kind kind;
    bool f32;
    struct oracle oracle[MOST_SUMS];
    void *memory[RANKS + 2];
    struct summand__batch batch[RANKS + 2]; /* two more: a copy and an unpacked one */
};

static void open_world(struct world *w, size_t k)
{
    w->k = k;
    for (size_t i = 0; i < k; i++)
        oracle_init(&w->oracle[i]);
    for (int r = 0; r < RANKS + 2; r++) {
        w->memory[r] = malloc(summand__batch_bytes(k) + 8);
        memset(w->memory[r], 0x5a, summand__batch_bytes(k) + 8);
        w->batch[r] = summand__batch_at(w->memory[r], k);
    }
}

static void close_world(struct world *w)
{
    for (size_t i = 0; i < w->k; i++)
        oracle_clear(&w->oracle[i]);
    for (int r = 0; r < RANKS + 2; r++) {
        for (int i = 0; i < 8; i++) /* nothing was written behind it */
            assert_int_equal(((char *)w->memory[r])[summand__batch_bytes(w->k) + (size_t)i], 0x5a);
        free(w->memory[r]);
    }
}

/* At an address that is no multiple of 8. */
static void deposit(struct world *w, int rank, size_t i, size_t n, const double *x, const double *y)
{
    static char bytes[2][MOST_TERMS * sizeof(double) + 4];
    for (size_t j = 0; j < n; j++) {
        const float single[2] = {(float)x[j], (float)y[j]};
        const double a = w->f32 ? (double)single[0] : x[j], b = w->f32 ? (double)single[1] : y[j];
        for (int c = 0; c < 2; c++)
            memcpy(bytes[c] + 4 + j * (w->f32 ? 4 : 8),
                   w->f32 ? (const void *)&single[c]
                   : c    ? (const void *)&b
                          : (const void *)&a,
                   w->f32 ? 4 : 8);
        if (w->kind == SUMMAND__PASS_SUM)
            oracle_add(&w->oracle[i], a);
        else if (w->kind == SUMMAND__PASS_ASUM)
            oracle_add(&w->oracle[i], fabs(a));
        else
            oracle_product(&w->oracle[i], a, w->kind == SUMMAND__PASS_DOT ? b : a);
    }
    summand__batch_add(&w->batch[rank], i, w->kind, w->f32, n, bytes[0] + 4, bytes[1] + 4);
}

/* Packs all ranks' sums, unpacks a copy and merges them; the result is the copy. */
static const struct summand__batch *reduce(struct world *w)
{
    const struct summand__batch *total = &w->batch[RANKS], *arrived = &w->batch[RANKS + 1];
    unsigned char *bytes = malloc(summand__batch_packed_most(w->k));
    summand__batch_copy(&w->batch[0], total);
    for (int r = 1; r < RANKS; r++) {
        const size_t size = summand__batch_pack(&w->batch[r], bytes);
        assert_true(size <= summand__batch_packed_most(w->k));
        assert_int_equal(summand__batch_unpack(arrived, bytes), size);
        summand__batch_merge(arrived, total);
    }
    free(bytes);
    return total;
}

static void check(struct world *w, const struct summand__batch *total)
{
    double wide[MOST_SUMS];
    float narrow[MOST_SUMS];
    summand__batch_round(total, false, wide);
    summand__batch_round(total, true, narrow);
    for (size_t i = 0; i < w->k; i++) {
        const float single = oracle_round_f32(&w->oracle[i]);
        summand_exact sum;
        summand__batch_sum(total, i, &sum);
        assert_int_equal(bits_of(wide[i]), bits_of(oracle_round(&w->oracle[i])));
        assert_int_equal(bits_of(summand_exact_round(&sum)), bits_of(wide[i]));
        assert_int_equal(bits_of_f32(narrow[i]), isnan(single) ? 0x7fc00000 : bits_of_f32(single));
    }
}

/* Data that change from sum to sum, or one family for all. */
static void run(size_t k, unsigned family, size_t most, enum summand__pass_kind kind, bool f32)
{
    struct world w = {.kind = kind, .f32 = f32};
    double x[MOST_TERMS], y[MOST_TERMS];
    open_world(&w, k);
    for (int r = 0; r < RANKS; r++) {
        summand__batch_clear(&w.batch[r]);
        for (size_t i = 0; i < k; i++) {
            const unsigned own = family < FAMILIES ? family : random_below(FAMILIES);
            const size_t n = most == 1 ? 1 : random_below((unsigned)most + 1);
            const int parts = n > 2 && random_below(4) == 0 ? 2 : 1; /* deposits */
            for (size_t j = 0; j < n; j++) {
                x[j] = family_value(own, random_below(2) ? j : 300 + j);
                y[j] = family_value(own, j);
            }
            const size_t half = parts == 2 ? n / 2 : n;
            deposit(&w, r, i, half, x, y);
            if (half < n)
                deposit(&w, r, i, n - half, x + half, y + half);
        }
    }
    check(&w, reduce(&w));
    close_world(&w);
}

static void with_all(void (*test)(void))
{
    const enum summand__arch best = summand__arch();
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        if (summand__arch_force((enum summand__arch)arch))
            test();
    summand__arch_force(best);
}

static void all_families(void)
{
    static const size_t sums[] = {1, 2, 5, 28, 29, 64, 65, MOST_SUMS};
    static const size_t terms[] = {1, 2, 4, MOST_TERMS};
    for (unsigned family = 0; family <= FAMILIES; family++)
        for (size_t s = 0; s < sizeof sums / sizeof *sums; s++)
            for (size_t t = 0; t < sizeof terms / sizeof *terms; t++)
                run(sums[s], family, terms[t], SUMMAND__PASS_SUM, (s + t) % 2);
}

static void all_kinds(void)
{
    for (unsigned family = 0; family <= FAMILIES; family++)
        for (int kind = 0; kind < SUMMAND__PASS_KINDS; kind++)
            for (int f32 = 0; f32 < 2; f32++)
                for (size_t most = 1; most <= MOST_TERMS; most *= 3)
                    run(9, family, most, (enum summand__pass_kind)kind, f32);
}

TEST(test_families)
{
    with_all(all_families);
}

TEST(test_kinds)
{
    with_all(all_kinds);
}

/* The kernels, bit by bit against the generic one, at every address and length. */
TEST(test_kernels)
{
    const enum summand__arch best = summand__arch();
    summand__arch_force(SUMMAND__GENERIC);
    const struct summand__pairs_kernels *plain = summand__pairs_kernels();
    enum { N = SUMMAND__PAIRS_MOST };
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
        if (!summand__arch_force((enum summand__arch)arch))
            continue;
        const struct summand__pairs_kernels *fast = summand__pairs_kernels();
        for (unsigned n = 0; n <= N; n++) {
            double a[2][N], b[2][2][N + 1];
            struct summand__pairs sum[2] = {0};
            for (unsigned i = 0; i < n; i++)
                for (int c = 0; c < 2; c++) {
                    a[c][i] = family_value(n % FAMILIES, i);
                    b[0][c][i] = b[1][c][i] = family_value(n % FAMILIES, i + 300);
                }
            const bool one = plain->add(a[0], a[1], b[0][0], b[0][1], &sum[0], n);
            assert_int_equal(one, fast->add(a[0], a[1], b[1][0], b[1][1], &sum[1], n));
            for (unsigned i = 0; i < n; i++) {
                if (isnan(sum[0].rest[0][i])) {
                    assert_true(isnan(sum[1].rest[0][i]));
                    continue;
                }
                for (int c = 0; c < 2; c++) {
                    assert_int_equal(bits_of(b[0][c][i]), bits_of(b[1][c][i]));
                    assert_int_equal(bits_of(sum[0].rest[c][i]), bits_of(sum[1].rest[c][i]));
                }
                assert_int_equal(bits_of(sum[0].hi[i]), bits_of(sum[1].hi[i]));
                assert_int_equal(bits_of(sum[0].lo[i]), bits_of(sum[1].lo[i]));
            }
        }
    }
    summand__arch_force(best);
}

/* Few ordinary numbers need no accumulator; this makes many sums fast. */
TEST(test_pairs_suffice)
{
    struct world w = {.kind = SUMMAND__PASS_SUM};
    double x[4];
    open_world(&w, 64);
    for (int r = 0; r < RANKS; r++) {
        summand__batch_clear(&w.batch[r]);
        for (size_t i = 0; i < 64; i++) {
            for (int j = 0; j < 4; j++)
                x[j] = family_value(0, 0);
            deposit(&w, r, i, 1 + i % 4, x, x);
        }
    }
    const struct summand__batch *total = reduce(&w);
    assert_int_equal(total->kept[0], 0);
    check(&w, total);
    close_world(&w);
}

/* Inputs that are not the wire form of this many sums. */
TEST(test_unsound)
{
    uint64_t few[16], many[200];
    void *memory = malloc(summand__batch_bytes(65));
    const struct summand__batch one = summand__batch_at(memory, 1),
                                more = summand__batch_at(memory, 65);
    memset(few, 0, sizeof few);
    memset(many, 0, sizeof many);
    assert_int_equal(summand__batch_unpack(&one, few), 8); /* nothing was added */
    assert_int_equal(summand__batch_unpack(&more, many), 0);
    few[0] = 8;
    assert_int_equal(summand__batch_unpack(&one, few), 0); /* a part that there is not */
    few[0] = UINT64_C(2) << 8;
    assert_int_equal(summand__batch_unpack(&one, few), 0); /* a second sum */
    few[0] = UINT64_C(1) << 36;
    assert_int_equal(summand__batch_unpack(&one, few), 0); /* no accumulator is there */
    many[0] = 4;
    assert_int_equal(summand__batch_unpack(&more, many), 40);
    many[2] = 2;
    assert_int_equal(summand__batch_unpack(&more, many), 0); /* a sum 65 */
    free(memory);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products of sparse factors have the bits of dense factors with zeros, in any tile
 * and any of its rows, on every instruction set, with indices up to the largest. */
#include "kernel/arch.h"
#include "unit/outer_oracle.h"
#include "unit/unit.h"

enum { PAIRS = 20, LENGTH = 90, ROOM = PAIRS * LENGTH };

struct factor {
    double dense[ROOM], value[ROOM]; /* of any type: the first bytes */
    uint64_t begin[PAIRS + 1];
    uint32_t index[ROOM];
};

/* Keeps about one element in `scarce`. Indices begin at `low`. */
static void fill(struct factor *f, enum summand__outer_type type, uint64_t *seed, unsigned scarce,
                 uint32_t low)
{
    const size_t size = summand__outer_factor_size(type);
    size_t n = 0;
    outer_fill(type, f->dense, ROOM, seed, 0);
    for (size_t k = 0; k < PAIRS; k++) {
        f->begin[k] = n;
        for (size_t i = 0; i < LENGTH; i++) {
            char *at = (char *)f->dense + (k * LENGTH + i) * size;
            if (outer_random(seed) % scarce || k == 7) {
                memset(at, 0, size);
                continue;
            }
            memcpy((char *)f->value + n * size, at, size);
            f->index[n++] = low + (uint32_t)i;
        }
    }
    f->begin[PAIRS] = n;
}

static struct summand__outer_list list(const struct factor *f)
{
    return (struct summand__outer_list){f->begin, f->index, f->value, 0};
}

TEST(test_against_dense)
{
    static struct factor a, b;
    static uint32_t every[LENGTH];
    static const uint32_t lows[] = {0, (1u << 31) - LENGTH / 2, UINT32_MAX - LENGTH + 1};
    static double want[LENGTH * LENGTH], got[LENGTH * LENGTH];
    const enum summand__arch usual = summand__arch();
    uint64_t seed = 31;
    for (int round = 0; round < 160; round++) {
        const enum summand__outer_type type =
            (enum summand__outer_type)(round % SUMMAND__OUTER_TYPES);
        const uint32_t low = lows[round % 3];
        const size_t size = summand__outer_factor_size(type);
        fill(&a, type, &seed, 1 + (unsigned)(outer_random(&seed) % 12), low);
        fill(&b, type, &seed, 1 + (unsigned)(outer_random(&seed) % 12), low);
        const size_t row = outer_random(&seed) % LENGTH, column = outer_random(&seed) % LENGTH;
        const size_t rows = outer_random(&seed) % (LENGTH - row + 1),
                     columns = outer_random(&seed) % (LENGTH - column + 1),
                     cut = outer_random(&seed) % (rows + 1);
        struct summand__outer dense = {.a = (char *)a.dense + row * size,
                                       .b = (char *)b.dense + column * size,
                                       .g = want,
                                       .pairs = PAIRS,
                                       .columns = columns,
                                       .lda = LENGTH,
                                       .ldb = LENGTH,
                                       .ldg = LENGTH,
                                       .alpha = 1};
        struct summand__outer_sparse sparse = {.a = list(&a),
                                               .b = list(&b),
                                               .g = got,
                                               .pairs = PAIRS,
                                               .columns = columns,
                                               .ldg = LENGTH,
                                               .row = low + row,
                                               .column = low + column};
        for (uint32_t i = 0; i < LENGTH; i++)
            every[i] = low + i;
        if (round % 5 == 3)
            sparse.a = (struct summand__outer_list){NULL, every, a.dense, LENGTH};
        if (round % 5 == 4)
            sparse.b = (struct summand__outer_list){NULL, every, b.dense, LENGTH};
        memset(want, 0, sizeof want);
        outer_oracle(type, &dense, 0, rows);
        for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            memset(got, 0, sizeof got);
            summand__outer_scatter(type, &sparse, cut, rows - cut);
            summand__outer_scatter(type, &sparse, 0, cut);
            assert_memory_equal(got, want, sizeof got);
        }
    }
    summand__arch_force(usual);
}

/* Missing zeros have no effect: they neither turn an infinity into NaN nor -0 into +0. */
TEST(test_what_differs)
{
    const double infinity = INFINITY, nan = -NAN, one = 1;
    const uint64_t begin[] = {0, 1};
    const uint32_t none[] = {0}, first[] = {1};
    double g[4] = {0, 0, 0, -0.0};
    struct summand__outer_sparse work = {.a = {begin, none, &infinity, 0},
                                         .b = {begin, first, &one, 0},
                                         .g = g,
                                         .pairs = 1,
                                         .columns = 2,
                                         .ldg = 2};
    summand__outer_scatter(SUMMAND__OUTER_F64, &work, 0, 2);
    assert_true(g[0] == 0 && isinf(g[1]) && g[2] == 0 && signbit(g[3]));
    work.b.value = &nan;
    summand__outer_scatter(SUMMAND__OUTER_F64, &work, 0, 2);
    uint64_t bits;
    memcpy(&bits, &g[1], sizeof bits);
    assert_true(bits == 0x7ff8000000000000u);
    assert_true(g[0] == 0);
}

/* A repeated index is one more link, in the lists' order. */
TEST(test_again)
{
    const double x[] = {1, 3}, y[] = {0x1p53, 1, -0x1p53};
    const uint64_t of_x[] = {0, 2}, of_y[] = {0, 3};
    const uint32_t at_x[] = {0, 0}, at_y[] = {0, 0, 0};
    double g = 0, want = 0;
    struct summand__outer_sparse work = {.a = {of_x, at_x, x, 0},
                                         .b = {of_y, at_y, y, 0},
                                         .g = &g,
                                         .pairs = 1,
                                         .columns = 1,
                                         .ldg = 1};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            want = fma(x[i], y[j], want);
    summand__outer_scatter(SUMMAND__OUTER_F64, &work, 0, 1);
    assert_true(g == want);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products: every type on every instruction set against the definition, bit for bit.
 * Covers shapes, leading dimensions, addresses, epilogues, continued chains, rows in parts and
 * hostile values; nothing outside the tile is touched. */
#include <fenv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/arch.h"
#include "kernel/stream.h"
#include "unit/outer_oracle.h"
#include "unit/sanitized.h"
#include "unit/unit.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* A case, with guard memory around G. */
struct scene {
    enum summand__outer_type type;
    struct summand__outer work;
    size_t rows, bytes, offset;
    char *a, *b, *before, *want, *got;
};

static void *memory(size_t bytes)
{
    void *block = malloc(bytes + !bytes);
    assert_non_null(block);
    return block;
}

/* `hostile`: see outer_fill; `offset`: of all arrays, in bytes. work->ld* are set by the caller. */
static void scene_begin(struct scene *s, uint64_t *seed, unsigned hostile)
{
    struct summand__outer *w = &s->work;
    const size_t factor = summand__outer_factor_size(s->type);
    const size_t of_g = s->type == SUMMAND__OUTER_F64 ? SUMMAND__OUTER_F64 : SUMMAND__OUTER_F32;
    s->bytes = (s->rows * w->ldg + w->columns) * summand__outer_result_size(s->type) + 192;
    s->a = memory(w->pairs * w->lda * factor + s->offset);
    s->b = memory(w->pairs * w->ldb * factor + s->offset);
    s->before = memory(s->bytes + 8);
    s->want = memory(s->bytes + 8);
    s->got = memory(s->bytes + 8);
    outer_fill(s->type, s->a + s->offset, w->pairs * w->lda, seed, hostile);
    outer_fill(s->type, s->b + s->offset, w->pairs * w->ldb, seed, hostile);
    outer_fill((enum summand__outer_type)of_g, s->before, s->bytes / sizeof(double), seed, hostile);
    outer_fill((enum summand__outer_type)of_g, s->before + s->bytes / 2,
               s->bytes / 2 / sizeof(double), seed, hostile);
    w->a = s->a + s->offset;
    w->b = s->b + s->offset;
}

static void scene_end(struct scene *s)
{
    free(s->a);
    free(s->b);
    free(s->before);
    free(s->want);
    free(s->got);
}

/* Fills the memory that must not be read with NaN: all of G. */
static void spoil(struct scene *s)
{
    memset(s->before, 0xff, s->bytes);
}

static void scene_want(struct scene *s)
{
    memcpy(s->want, s->before, s->bytes);
    s->work.g = s->want + 64 + s->offset;
    outer_oracle(s->type, &s->work, 0, s->rows);
}

static void say(const struct scene *s, const char *what)
{
    const struct summand__outer *w = &s->work;
    fail_msg("%s, %s, %s: %zu x %zu, %zu pairs, ldg %zu, offset %zu, alpha %g, beta %g%s%s%s", what,
             summand__arch_name(summand__arch()), summand__outer_type_name(s->type), s->rows,
             w->columns, w->pairs, w->ldg, s->offset, w->alpha, w->beta,
             w->continues ? ", continues" : "", w->stream ? ", stream" : "",
             w->upper ? ", upper" : "");
}

static void scene_start(struct scene *s)
{
    memcpy(s->got, s->before, s->bytes);
    s->work.g = s->got + 64 + s->offset;
}

static void compare(struct scene *s, const char *what)
{
    if (memcmp(s->got, s->want, s->bytes))
        say(s, what);
}

/* With stores of both kinds on all instruction sets; long results also if bypassing the
 * caches does not pay. */
static void check(struct scene *s)
{
    const enum summand__arch usual = summand__arch();
    scene_want(s);
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        for (int kind = 0; kind < 3; kind++) {
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            s->work.stream = kind > 0;
            summand__stream_set(SUMMAND__STREAM_RESULTS, kind == 2 ? 100 : 99);
            scene_start(s);
            summand__outer_run(s->type, &s->work, 0, s->rows);
            compare(s, "whole");
        }
    summand__arch_force(usual);
}

static const double alphas[] = {1, 1, 0.75, -3, 1.0000000001}, betas[] = {0, 0, 1, 0.3, 1e-60};

static void choose(struct scene *s, uint64_t *seed)
{
    struct summand__outer *w = &s->work;
    const uint64_t r = outer_random(seed);
    w->lda = s->rows + r % 3;
    w->ldb = w->columns + r / 3 % 4;
    w->ldg = r / 12 % 4 ? (w->columns + 15) / 16 * 16 : w->columns + r / 64 % 9;
    w->alpha = alphas[r / 1024 % 5];
    w->beta = betas[r / 8192 % 5];
    w->continues = r / 65536 % 4 == 0;
    s->offset = r / 262144 % 2 ? 0 : r / 524288 % 9;
}

TEST(test_shapes)
{
    uint64_t seed = 14;
    for (int t = 0; t < SUMMAND__OUTER_TYPES; t++)
        for (size_t columns = 1; columns <= 70; columns++)
            for (size_t rows = 1; rows <= 9; rows++) {
                struct scene s = {.type = (enum summand__outer_type)t, .rows = rows};
                s.work.columns = columns;
                s.work.pairs = outer_random(&seed) % 71 / (1 + outer_random(&seed) % 8);
                choose(&s, &seed);
                scene_begin(&s, &seed, columns % 2 ? 40 : 0);
                if (outer_round(s.type, s.work.beta) == 0 && !s.work.continues)
                    spoil(&s);
                check(&s);
                scene_end(&s);
            }
}

/* More columns than a strip, more rows than a tile, more pairs than are taken together. */
TEST(test_large)
{
    static const size_t shapes[][3] = {{3, 33000, 1},   {2, 2100, 16},   {40, 1100, 3},
                                       {140, 260, 129}, {600, 250, 130}, {9, 40, 1000},
                                       {130, 75, 128},  {12, 0, 4},      {17, 60, 256}};
    uint64_t seed = 15;
    for (int t = 0; t < SUMMAND__OUTER_TYPES; t++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
            for (int kind = 0; kind < 3; kind++) {
                struct scene s = {.type = (enum summand__outer_type)t, .rows = shapes[i][0]};
                s.work.columns = shapes[i][1];
                s.work.pairs = shapes[i][2];
                if (kind && shapes[i][0] == 600 && t)
                    continue;
                if (SANITIZED && (shapes[i][0] == 600 || (kind && shapes[i][0] == 140)))
                    continue; /* of more than 128 pairs there are others, below */
                choose(&s, &seed);
                s.offset = kind == 1 ? 4 : 0;
                s.work.ldg = (s.work.columns + 15) / 16 * 16 + (kind == 1);
                s.work.alpha = kind == 2 ? -0.5 : 1;
                s.work.beta = kind == 2 ? 0.5 : 0;
                scene_begin(&s, &seed, 1000);
                check(&s);
                scene_end(&s);
            }
}

/* Rows and pairs in parts, cut anywhere. */
TEST(test_parts)
{
    uint64_t seed = 16;
    for (int round = 0; round < 200; round++) {
        struct scene s = {.type = (enum summand__outer_type)(round % SUMMAND__OUTER_TYPES)};
        s.rows = 1 + outer_random(&seed) % 30;
        s.work.columns = 1 + outer_random(&seed) % 100;
        s.work.pairs = 1 + outer_random(&seed) % 60;
        choose(&s, &seed);
        s.work.alpha = 1;
        s.work.beta = 0;
        scene_begin(&s, &seed, 500);
        scene_want(&s);
        const struct summand__outer whole = s.work;
        const size_t factor = summand__outer_factor_size(s.type);
        const size_t cut = outer_random(&seed) % (whole.pairs + 1);
        const size_t top = outer_random(&seed) % (s.rows + 1);
        scene_start(&s);
        s.work.pairs = cut;
        summand__outer_run(s.type, &s.work, top, s.rows - top);
        summand__outer_run(s.type, &s.work, 0, top);
        s.work.continues = true;
        s.work.pairs = whole.pairs - cut;
        s.work.a = (const char *)whole.a + cut * whole.lda * factor;
        s.work.b = (const char *)whole.b + cut * whole.ldb * factor;
        summand__outer_run(s.type, &s.work, 0, top);
        summand__outer_run(s.type, &s.work, top, s.rows - top);
        compare(&s, "in parts");
        scene_end(&s);
    }
}

/* Sums that floats hold exactly, against integers; long chains too. */
TEST(test_integers)
{
    enum { ROWS = 11, COLUMNS = 53, PAIRS = 300 };
    static double a64[PAIRS * ROWS], b64[PAIRS * COLUMNS], g64[ROWS * COLUMNS];
    static float a32[PAIRS * ROWS], b32[PAIRS * COLUMNS], g32[ROWS * COLUMNS];
    static int64_t want[ROWS * COLUMNS];
    uint64_t seed = 17;
    for (size_t k = 0; k < PAIRS; k++) {
        int64_t x[ROWS], y[COLUMNS];
        for (size_t i = 0; i < ROWS; i++)
            a32[k * ROWS + i] =
                (float)(a64[k * ROWS + i] =
                            (double)(x[i] = (int64_t)(outer_random(&seed) % 201) - 100));
        for (size_t j = 0; j < COLUMNS; j++)
            b32[k * COLUMNS + j] =
                (float)(b64[k * COLUMNS + j] =
                            (double)(y[j] = (int64_t)(outer_random(&seed) % 201) - 100));
        for (size_t i = 0; i < ROWS; i++)
            for (size_t j = 0; j < COLUMNS; j++)
                want[i * COLUMNS + j] += x[i] * y[j];
    }
    struct summand__outer w = {.a = a64,
                               .b = b64,
                               .g = g64,
                               .pairs = PAIRS,
                               .columns = COLUMNS,
                               .lda = ROWS,
                               .ldb = COLUMNS,
                               .ldg = COLUMNS,
                               .alpha = 1};
    summand__outer_run(SUMMAND__OUTER_F64, &w, 0, ROWS);
    w.a = a32;
    w.b = b32;
    w.g = g32;
    summand__outer_run(SUMMAND__OUTER_F32, &w, 0, ROWS);
    for (size_t i = 0; i < ROWS * COLUMNS; i++) {
        assert_true((int64_t)g64[i] == want[i]);
        assert_true((int64_t)g32[i] == want[i]);
    }
}

/* All 16-bit numbers: each times 1, added to +0. */
TEST(test_halves)
{
    enum { ALL = 1 << 16 };
    static uint16_t x[ALL];
    static float g[ALL];
    const enum summand__arch usual = summand__arch();
    for (size_t i = 0; i < ALL; i++)
        x[i] = (uint16_t)i;
    for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
        for (int t = SUMMAND__OUTER_BF16; t <= SUMMAND__OUTER_F16; t++) {
            const uint16_t one = t == SUMMAND__OUTER_BF16 ? 0x3f80 : 0x3c00;
            struct summand__outer w = {.a = &one,
                                       .b = x,
                                       .g = g,
                                       .pairs = 1,
                                       .columns = ALL,
                                       .lda = 1,
                                       .ldb = ALL,
                                       .ldg = ALL,
                                       .alpha = 1};
            if (!summand__arch_force((enum summand__arch)arch))
                continue;
            summand__outer_run((enum summand__outer_type)t, &w, 0, 1);
            for (size_t i = 0; i < ALL; i++) {
                const double want = outer_factor((enum summand__outer_type)t, x, i);
                assert_true(isnan(want) ? isnan(g[i]) : (double)g[i] == want);
            }
        }
    summand__arch_force(usual);
}

/* Arrays that end at the end of mapped memory. */
static char *fenced(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    char *map =
        mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(map != MAP_FAILED);
    assert_int_equal(mprotect(map + whole, page, PROT_NONE), 0);
    return map + whole - bytes;
}

TEST(test_ends_of_memory)
{
    enum { ROWS = 9, PAIRS = 21, MOST = 100, TURNED = 4 };
    const enum summand__arch usual = summand__arch();
    for (int t = 0; t < SUMMAND__OUTER_TYPES; t++)
        for (size_t columns = 1; columns <= MOST; columns += 1 + columns / 7) {
            const enum summand__outer_type type = (enum summand__outer_type)t;
            const size_t factor = summand__outer_factor_size(type),
                         size = summand__outer_result_size(type);
            char *a = fenced(ROWS * PAIRS * factor), *b = fenced(columns * PAIRS * factor),
                 *g = fenced(columns * ROWS * size);
            struct summand__outer w = {.a = a,
                                       .b = b,
                                       .g = g,
                                       .pairs = PAIRS,
                                       .columns = columns,
                                       .ldg = columns,
                                       .alpha = 1};
            for (int arch = 0; arch < SUMMAND__ARCHS; arch++)
                for (int kind = 0; kind < 2 * TURNED; kind++) {
                    if (!summand__arch_force((enum summand__arch)arch))
                        continue;
                    w.stream = kind % TURNED == 1;
                    w.beta = kind % TURNED == 2;
                    w.continues = kind % TURNED == 3;
                    w.turned_a = w.turned_b = kind >= TURNED;
                    w.lda = w.turned_a ? PAIRS : ROWS;
                    w.ldb = w.turned_b ? PAIRS : columns;
                    summand__outer_run(type, &w, 0, ROWS);
                }
            for (size_t i = 0; i < columns * ROWS * size; i++)
                assert_int_equal(g[i], 0);
        }
    summand__arch_force(usual);
}

/* The caller's rounding and flush-to-zero change no bit, and are restored afterwards. */
TEST(test_environment)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    uint64_t seed = 18;
    for (int round = 0; round < 24; round++) {
        struct scene s = {.type = (enum summand__outer_type)(round % SUMMAND__OUTER_TYPES),
                          .rows = 7};
        s.work.columns = 40;
        s.work.pairs = 12;
        choose(&s, &seed);
        s.work.alpha = 1 / 3.0;
        scene_begin(&s, &seed, 4);
        scene_want(&s);
        scene_start(&s);
        fesetround(modes[round % 3]);
#if defined(__x86_64__)
        const unsigned control = _mm_getcsr() | 0x8040;
        _mm_setcsr(control);
#endif
        summand__outer_run(s.type, &s.work, 0, s.rows);
#if defined(__x86_64__)
        const unsigned after = _mm_getcsr();
        _mm_setcsr(_mm_getcsr() & ~0x8040u);
        assert_int_equal(after & ~0x3fu, control & ~0x3fu);
#endif
        const int mode = fegetround();
        fesetround(FE_TONEAREST);
        assert_int_equal(mode, modes[round % 3]);
        compare(&s, "rounding upwards");
        scene_end(&s);
    }
}

/* Elements on and above the diagonal, in rows cut anywhere. */
TEST(test_upper)
{
    static const size_t sizes[] = {1, 2, 7, 8, 9, 23, 24, 25, 33, 64, 100, 130, 300};
    uint64_t seed = 19;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int t = 0; t < SUMMAND__OUTER_TYPES; t++)
            for (int kind = 0; kind < 4; kind++) {
                struct scene s = {.type = (enum summand__outer_type)t, .rows = sizes[i]};
                if (SANITIZED && kind == 3 && sizes[i] > 200)
                    continue; /* 130 rows have as many pairs, 300 few */
                s.work.columns = s.rows;
                s.work.pairs = kind == 3 ? 140 : outer_random(&seed) % 9;
                choose(&s, &seed);
                s.work.lda = s.work.ldb = s.rows + 1;
                s.work.upper = true;
                scene_begin(&s, &seed, 300);
                s.work.b = s.work.a;
                check(&s);
                const size_t cut = outer_random(&seed) % (s.rows + 1);
                scene_start(&s);
                summand__outer_run(s.type, &s.work, 0, cut);
                summand__outer_run(s.type, &s.work, cut, s.rows - cut);
                compare(&s, "upper half in parts");
                scene_end(&s);
            }
}

/* Tiles of a symmetric G: a and b overlap fully or partly, or differ only between elements. Rows
 * are in ascending order, cut anywhere. */
TEST(test_overlap)
{
    enum { WIDTH = 310 };
    static const size_t tiles[][4] = {/* row, rows, column, columns */
                                      {0, 310, 0, 310},   {0, 65, 0, 65},     {0, 200, 0, 200},
                                      {130, 70, 0, 310},  {0, 310, 97, 80},   {10, 200, 90, 220},
                                      {90, 220, 10, 200}, {0, 100, 200, 100}, {3, 64, 3, 64},
                                      {0, 161, 0, 161}};
    const enum summand__arch usual = summand__arch();
    uint64_t seed = 20;
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (int round = 0; round < SUMMAND__OUTER_TYPES; round++) {
            struct scene s = {.type = (enum summand__outer_type)round, .rows = tiles[i][1]};
            if (SANITIZED && (i + i / 4) % SUMMAND__OUTER_TYPES != (size_t)round)
                continue; /* each type has other tiles */
            const size_t factor = summand__outer_factor_size(s.type);
            s.work.columns = tiles[i][3];
            s.work.pairs = (i + (size_t)round) % 2 ? 130 : 64;
            s.work.stream = i % 3 == 0;
            choose(&s, &seed);
            s.work.lda = WIDTH;
            s.work.ldb = WIDTH + (i == 9); /* nothing lies opposite */
            scene_begin(&s, &seed, 300);
            free(s.a);
            s.a = memory((s.work.pairs + 2) * (WIDTH + 1) * factor + s.offset);
            outer_fill(s.type, s.a + s.offset, (s.work.pairs + 2) * (WIDTH + 1), &seed, 300);
            s.work.a = s.a + s.offset + tiles[i][0] * factor;
            s.work.b = s.a + s.offset + tiles[i][2] * factor;
            scene_want(&s);
            for (int arch = 0; arch < SUMMAND__ARCHS; arch++) {
                if (!summand__arch_force((enum summand__arch)arch))
                    continue;
                scene_start(&s);
                for (size_t row = 0, more; row < s.rows; row += more) {
                    more = 1 + outer_random(&seed) % 150;
                    more = more < s.rows - row ? more : s.rows - row;
                    summand__outer_run_in_order(s.type, &s.work, s.rows, row, more);
                }
                compare(&s, "overlap");
            }
            summand__arch_force(usual);
            scene_end(&s);
        }
}

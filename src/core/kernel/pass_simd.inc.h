/* SPDX-License-Identifier: BSD-3-Clause */
/* The passes of pass.h over the vector operations that the including file defines. `bits` are
 * signed 64-bit lanes; vec and bits are compiler vectors, so + - & | ^ and comparisons work lane by
 * lane. */

#include "kernel/prefetch.h"

#define VECTORS 4 /* per level: enough to hide the latency of an addition */
#define ABSOLUTE INT64_MAX
#define BINADE (INT64_MIN | INT64_C(0x7ff0000000000000)) /* sign and exponent */
#define ONES ((vec){0} + 1.0)
#if defined(__SANITIZE_ADDRESS__) /* with its checks, each copy takes ten seconds to compile */
#define UNROLL _Pragma("GCC unroll 1")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

#if HAS_FLAG
enum { INEXACT = 0x20, DEFAULT_MXCSR = 0x1f80 };
#endif

/* Kind and type are constants in all inlined copies. */
INLINE vec load(const void *p, size_t i, bool f32)
{
    return f32 ? load_f32((const float *)p + i) : load_f64((const double *)p + i);
}

INLINE vec load_part(const void *p, size_t i, size_t count, bool f32)
{
    return f32 ? load_part_f32((const float *)p + i, count)
               : load_part_f64((const double *)p + i, count);
}

INLINE bool is_product(enum summand__pass_kind kind)
{
    return kind == SUMMAND__PASS_SQUARES || kind == SUMMAND__PASS_DOT;
}

/* The working state of a chunk, all in registers. */
struct chunk {
    vec acc[SUMMAND__PASS_LEVELS][VECTORS];
    vec one, start[2]; /* start of the terms' first level, and of the error terms' */
    /* Two of each: an OR has two cycles of latency on Zen 5. */
    bits left[2]; /* bits that differ from the first level's binade */
    bits rest[2]; /* bits of rests, unless by_flag */
    bits zeros;   /* lanes in which a product is zero, unless by_flag */
    bool by_flag; /* constant: the inexact flag shows rests */
};

/* Adds x to vector j of a level and returns the rest. */
INLINE vec take(struct chunk *c, int level, int j, vec x)
{
    const vec t = add_quiet(c->acc[level][j], x);
    const vec q = subtract_fma(t, c->acc[level][j], c->one);
    c->acc[level][j] = t;
    return x - q;
}

/* The same on a first level, on which the accumulator must stay in its binade. */
INLINE vec extract(struct chunk *c, int level, int j, vec x)
{
    const vec rest = take(c, level, j, x);
    c->left[j & HAS_FLAG] =
        or_difference(c->left[j & HAS_FLAG], (bits)c->acc[level][j], (bits)c->start[level / 2]);
    return rest;
}

/* The same on the last level, which must leave no rest. */
INLINE void finish(struct chunk *c, int level, int j, vec x)
{
    const vec t = c->acc[level][j] + x;
    if (!c->by_flag) {
        const vec q = subtract_fma(t, c->acc[level][j], c->one);
        c->rest[0] = or_difference(c->rest[0], (bits)q, (bits)x);
    }
    c->acc[level][j] = t;
}

INLINE void deposit(struct chunk *c, int j, vec x, vec y, enum summand__pass_kind kind, bool f32)
{
    if (kind == SUMMAND__PASS_ASUM)
        x = (vec)((bits)x & ABSOLUTE);
    if (!is_product(kind))
        finish(c, 1, j, extract(c, 0, j, x));
    else if (f32)
        finish(c, 1, j, extract(c, 0, j, x * y));
    else {
        const vec p = multiply_quiet(x, y), e = product_error(x, y, p);
        finish(c, 1, j, extract(c, 0, j, p));
        finish(c, 3, j, extract(c, 2, j, e));
        if (!c->by_flag)
            c->zeros |= (bits)(p == 0);
    }
}

/* Prefetches the data of a group some groups ahead. */
INLINE void fetch(const void *x, const void *y, size_t i, enum summand__pass_kind kind, bool f32,
                  bool far)
{
    const size_t size = f32 ? sizeof(float) : sizeof(double);
    UNROLL
    for (size_t line = 0; line < VECTORS * WIDTH * size; line += SUMMAND__PREFETCH_LINE) {
        summand__prefetch(x, i * size + line, far);
        if (kind == SUMMAND__PASS_DOT)
            summand__prefetch(y, i * size + line, far);
    }
}

INLINE void deposit_group(struct chunk *c, const void *x, const void *y, size_t i,
                          enum summand__pass_kind kind, bool f32, bool far)
{
    fetch(x, y, i, kind, f32, far);
#if !HAS_FLAG /* registers are few: one OR for the group, then one for all groups */
    c->left[0] = c->rest[0] = (bits){0};
#endif
    UNROLL
    for (int j = 0; j < VECTORS; j++) {
        const vec a = load(x, i + (size_t)j * WIDTH, f32);
        const vec b = kind == SUMMAND__PASS_DOT ? load(y, i + (size_t)j * WIDTH, f32) : a;
        deposit(c, j, a, b, kind, f32);
#if !HAS_FLAG /* one vector after the other: mixed by the compiler, they need too many registers   \
               */
        OPAQUE(c->left[0]);
        OPAQUE(c->rest[0]);
#endif
    }
#if !HAS_FLAG
    c->left[1] |= c->left[0];
    c->rest[1] |= c->rest[0];
#endif
}

/* The last elements, less than a group. */
INLINE void deposit_tail(struct chunk *c, const void *x, const void *y, size_t i, size_t n,
                         enum summand__pass_kind kind, bool f32)
{
    UNROLL
    for (int j = 0; j < VECTORS; j++) {
        if (i >= n)
            return;
        const size_t count = n - i;
        const vec a = count < WIDTH ? load_part(x, i, count, f32) : load(x, i, f32);
        const vec b = kind != SUMMAND__PASS_DOT ? a
                      : count < WIDTH           ? load_part(y, i, count, f32)
                                                : load(y, i, f32);
        deposit(c, j, a, b, kind, f32);
        i += WIDTH;
    }
}

/* True if a product of nonzero numbers underflowed to zero. */
static bool vanished(const void *x, const void *y, size_t n)
{
    bits any = {0};
    for (size_t i = 0; i < n; i += WIDTH) {
        const size_t count = n - i;
        const vec a = count < WIDTH ? load_part(x, i, count, false) : load(x, i, false);
        const vec b = count < WIDTH ? load_part(y, i, count, false) : load(y, i, false);
        any |= (bits)(a * b == 0) & (bits)(a != 0) & (bits)(b != 0);
    }
    return any_bits(any, INT64_MIN);
}

/* True if the chunk left no rest and no product vanished; the first level is tested separately. */
INLINE bool nothing_left(struct chunk *c, const void *x, const void *y, size_t n,
                         enum summand__pass_kind kind, int levels)
{
#if HAS_FLAG
    if (c->by_flag) {
        UNROLL
        for (int j = 0; j < VECTORS; j++)
            OPAQUE(c->acc[1][j]);
        if (levels == 4) {
            UNROLL
            for (int j = 0; j < VECTORS; j++)
                OPAQUE(c->acc[3][j]);
        }
        return !(_mm_getcsr() & INEXACT);
    }
#endif
    return !any_bits(c->rest[0] | c->rest[1], ABSOLUTE) &&
           !(levels == 4 && any_bits(c->zeros, INT64_MIN) &&
             vanished(x, kind == SUMMAND__PASS_DOT ? y : x, n));
}

INLINE bool in_binade(const struct chunk *c)
{
    return !any_bits(c->left[0] | c->left[1], BINADE);
}

INLINE void deposit_all(struct chunk *c, const void *x, const void *y, size_t n,
                        enum summand__pass_kind kind, bool f32, bool far)
{
    size_t i = 0;
    c->left[0] = c->left[1] = c->rest[0] = c->rest[1] = c->zeros = (bits){0};
    for (; i + VECTORS * WIDTH <= n; i += VECTORS * WIDTH)
        deposit_group(c, x, y, i, kind, f32, far);
    deposit_tail(c, x, y, i, n, kind, f32);
}

INLINE bool run_chunk(struct summand__pass *pass, const void *x, const void *y, size_t n, vec one,
                      enum summand__pass_kind kind, bool f32, bool far)
{
    const int levels = is_product(kind) && !f32 ? 4 : 2;
    struct chunk c;
    c.by_flag = HAS_FLAG;
    c.one = one;
    c.start[0] = c.start[1] = ONES * pass->start[0];
    if (levels == 4)
        c.start[1] = ONES * pass->start[2];
    UNROLL
    for (int level = 0; level < levels; level++) {
        UNROLL
        for (int j = 0; j < VECTORS; j++) {
            memcpy(&c.acc[level][j], pass->acc[level] + j * WIDTH, sizeof(vec));
            OPAQUE(c.acc[level][j]);
        }
    }
    deposit_all(&c, x, y, n, kind, f32, far);
    if (!nothing_left(&c, x, y, n, kind, levels) || !in_binade(&c))
        return false;
    UNROLL
    for (int level = 0; level < levels; level++) {
        UNROLL
        for (int j = 0; j < VECTORS; j++)
            memcpy(pass->acc[level] + j * WIDTH, &c.acc[level][j], sizeof(vec));
    }
    return true;
}

INLINE size_t run_at(struct summand__pass *pass, const void *x, const void *y, size_t n,
                     enum summand__pass_kind kind, bool f32, bool far)
{
    const size_t size = f32 ? sizeof(float) : sizeof(double);
    size_t done = 0;
    vec one = ONES;
    if (kind != SUMMAND__PASS_DOT)
        y = x;
    OPAQUE(one);
#if HAS_FLAG
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(DEFAULT_MXCSR);
#endif
    while (done < n) {
        const size_t count = n - done < SUMMAND__PASS_CHUNK ? n - done : SUMMAND__PASS_CHUNK;
        if (pass->room < count ||
            !run_chunk(pass, (const char *)x + done * size, (const char *)y + done * size, count,
                       one, kind, f32, far))
            break;
        pass->room -= count;
        done += count;
    }
#if HAS_FLAG
    _mm_setcsr(saved);
#endif
    return done;
}

INLINE size_t run(struct summand__pass *pass, const void *x, const void *y, size_t n,
                  enum summand__pass_kind kind, bool f32)
{
    const size_t size = f32 ? sizeof(float) : sizeof(double);
    return n > SUMMAND__PREFETCH_FAR / size ? run_at(pass, x, y, n, kind, f32, true)
                                            : run_at(pass, x, y, n, kind, f32, false);
}

INLINE double one_term(const void *x, const void *y, size_t i, enum summand__pass_kind kind,
                       bool f32)
{
    double a, b = 1;
    float c, d = 1;
    const void *second = kind == SUMMAND__PASS_DOT ? y : x;
    if (f32) {
        memcpy(&c, (const float *)x + i, sizeof c);
        if (is_product(kind))
            memcpy(&d, (const float *)second + i, sizeof d);
        return (double)c * (double)d;
    }
    memcpy(&a, (const double *)x + i, sizeof a);
    if (is_product(kind))
        memcpy(&b, (const double *)second + i, sizeof b);
    return a * b;
}

/* The sum that the vectors of a level took. */
INLINE vec level_sum(const vec *acc, vec first)
{
    return ((acc[0] - first) + (acc[1] - first)) + ((acc[2] - first) + (acc[3] - first));
}

enum {
    /* Exponent of the first level above the sample's, and its limits: no level underflows. */
    BRIEF_ABOVE = 16,
    BRIEF_ABOVE_PRODUCTS = 13,
    BRIEF_LOWEST = 250,
    BRIEF_HIGHEST = 1900
};

/* Exponent field of the largest of five terms. */
INLINE int64_t sample_field(const void *x, const void *y, size_t n, enum summand__pass_kind kind,
                            bool f32)
{
    const size_t at[5] = {0, n / 4, n / 2, n - 1 - n / 4, n - 1};
    int64_t most = 0;
    UNROLL
    for (int i = 0; i < 5; i++) {
        const double term = one_term(x, y, at[i], kind, f32);
        int64_t image;
        memcpy(&image, &term, sizeof image);
        image &= ABSOLUTE;
        most = image > most ? image : most;
    }
    return most >> 52;
}

/* All terms at once, with units guessed from five of them; each level's sum is a double. */
INLINE bool brief(const void *x, const void *y, size_t n, double *sums,
                  enum summand__pass_kind kind, bool f32)
{
    const int levels = is_product(kind) && !f32 ? 4 : 2;
    struct chunk c;
    vec first[SUMMAND__PASS_LEVELS], sum[SUMMAND__PASS_LEVELS];
    const int64_t field = sample_field(x, y, n, kind, f32);
    if (field < BRIEF_LOWEST || field > BRIEF_HIGHEST)
        return false;
    c.by_flag = false;
    c.one = ONES;
    OPAQUE(c.one);
    UNROLL
    for (int level = 0; level < levels; level++) {
        const int gap = levels == 4 ? SUMMAND__PASS_GAP_PRODUCTS : SUMMAND__PASS_GAP;
        const int above = (levels == 4 ? BRIEF_ABOVE_PRODUCTS : BRIEF_ABOVE) - level % 2 * gap -
                          level / 2 * SUMMAND__PASS_GAP_ERRORS;
        const int64_t start_image = (field + above) << 52 | INT64_C(1) << 51;
        first[level] = (vec)((bits){0} + start_image);
        UNROLL
        for (int j = 0; j < VECTORS; j++)
            c.acc[level][j] = first[level];
    }
    c.start[0] = first[0];
    c.start[1] = first[levels - 2];
    deposit_all(&c, x, y, n, kind, f32, false);
    UNROLL
    for (int level = 0; level < levels; level++) {
        sum[level] = level_sum(c.acc[level], first[level]);
        sums[level] = sum_lanes(sum[level]);
    }
    /* start is 1.5 2^52 units: lanes with a sum below 2^52 add without rounding. */
    bits large = {0};
    UNROLL
    for (int level = 0; level < levels; level += 2)
        large |= (bits)((vec)((bits)sum[level] & ABSOLUTE) > first[level] * (1 / (1.5 * WIDTH)));
    return in_binade(&c) && !any_bits(large, INT64_MIN) && nothing_left(&c, x, y, n, kind, levels);
}

#include "kernel/pass_peel.inc.h"

static void start(struct summand__pass *pass)
{
    for (unsigned level = 0; level < pass->levels; level++) {
        const int64_t image = ((int64_t)(pass->unit[level] + 52 + 1023) << 52) | INT64_C(1) << 51;
        memcpy(&pass->start[level], &image, sizeof image);
        const vec v = ONES * pass->start[level];
        for (int j = 0; j < VECTORS; j++)
            memcpy(pass->acc[level] + j * WIDTH, &v, sizeof v);
    }
}

static void flush(struct summand__pass *pass, int64_t sums[SUMMAND__PASS_LEVELS])
{
    for (unsigned level = 0; level < pass->levels; level++) {
        const vec first = ONES * pass->start[level];
        bits sum = {0};
        for (int j = 0; j < VECTORS; j++) {
            bits image;
            memcpy(&image, pass->acc[level] + j * WIDTH, sizeof image);
            sum += image - (bits)first;
            memcpy(pass->acc[level] + j * WIDTH, &first, sizeof first);
        }
        int64_t lane[WIDTH], total = 0;
        memcpy(lane, &sum, sizeof sum);
        for (int j = 0; j < WIDTH; j++)
            total += lane[j];
        sums[level] = total;
    }
}

#define INSTANCE(name, kind, type, f32)                                                            \
    static size_t run_##name##_##type(struct summand__pass *pass, const void *x, const void *y,    \
                                      size_t n)                                                    \
    {                                                                                              \
        return run(pass, x, y, n, SUMMAND__PASS_##kind, f32);                                      \
    }                                                                                              \
    static double largest_##name##_##type(const void *x, const void *y, size_t n)                  \
    {                                                                                              \
        return largest(x, y, n, SUMMAND__PASS_##kind, f32);                                        \
    }                                                                                              \
    static bool brief_##name##_##type(const void *x, const void *y, size_t n, double *sums)        \
    {                                                                                              \
        return brief(x, y, n, sums, SUMMAND__PASS_##kind, f32);                                    \
    }                                                                                              \
    static size_t terms_##name##_##type(const void *x, const void *y, size_t n, double *out)       \
    {                                                                                              \
        return terms(x, y, n, out, SUMMAND__PASS_##kind, f32);                                     \
    }                                                                                              \
    static size_t sift_##name##_##type(struct summand__pass *pass, const void *x, const void *y,   \
                                       size_t n, double least, double bound, double *others,       \
                                       size_t most)                                                \
    {                                                                                              \
        return sift(pass, x, y, n, least, bound, others, most, SUMMAND__PASS_##kind, f32);         \
    }
#define INSTANCES(type, f32)                                                                       \
    INSTANCE(sum, SUM, type, f32)                                                                  \
    INSTANCE(asum, ASUM, type, f32)                                                                \
    INSTANCE(squares, SQUARES, type, f32)                                                          \
    INSTANCE(dot, DOT, type, f32)

INSTANCES(f64, false)
INSTANCES(f32, true)

#define ROW(what, type)                                                                            \
    .what##_##type = {what##_sum_##type, what##_asum_##type, what##_squares_##type,                \
                      what##_dot_##type}

const struct summand__pass_kernels TABLE = {
    .lanes = VECTORS * WIDTH,
    .product_floor = FLOOR,
    .start = start,
    .flush = flush,
    .peel = peel,
    .odd = odd,
    ROW(run, f64),
    ROW(run, f32),
    ROW(brief, f64),
    ROW(brief, f32),
    ROW(largest, f64),
    ROW(largest, f32),
    ROW(terms, f64),
    ROW(terms, f32),
    ROW(sift, f64),
    ROW(sift, f32),
};

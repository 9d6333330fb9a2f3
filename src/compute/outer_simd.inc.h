/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of sums of outer products for one type of G and one instruction set. No include
 * guard: included once for each. The file of the instruction set defines vectors:
 *     SUFFIX             f64 or f32
 *     T, V, W            element, vector, lanes
 *     C                  vectors in a row of a block: a row is whole lines of the cache
 *     TALL               rows of the tallest block; the others have 4, 2 and 1
 *     V_LOAD V_STORE V_ZERO, V_FILL(p): all lanes *p, V_FMA(x, y, s) = x * y + s, V_MUL
 *     V_CANONICAL(v)     quiet NaNs made canonical
 *     V_STREAM(p, v)     a store that bypasses the caches, to an aligned place; HAS_STREAM: true
 *                        if it really does
 *     S_FMA(x, y, s)     the same of elements
 *     OUTER_LOOPS        if defined: V_FMA is a call, so a loop costs nothing; unrolled, hundreds
 *                        of calls take seconds to compile
 *     OUTER_TWIN_ROWS    if defined: rows of a block of two panels; the second height
 *     TURN, TURN_BLOCK(from, ld, to, width)   elements and pairs of a block that is transposed
 *                        in registers, if there is one; else 1
 * A block needs TALL * C registers for its elements, C for a row of b, one for an element of a. */
#define OUTER_PASTE(name, suffix) outer_##name##_##suffix
#define OUTER_NAME(name, suffix) OUTER_PASTE(name, suffix)
#define FN(name) OUTER_NAME(name, SUFFIX)
#define INLINE static inline __attribute__((always_inline))
#ifndef OUTER_LOOPS
#define UNROLL _Pragma("GCC unroll 16")
#else
#define UNROLL _Pragma("GCC unroll 1")
#endif
#define WIDTH (C * W)
/* Vectors of narrower blocks, for the edge of G. */
#define MIDDLE ((C + 1) / 2)
#define SMALL ((C + 3) / 4)

_Static_assert(WIDTH * sizeof(T) <= OUTER_WIDEST && TALL <= OUTER_TALLEST, "panels");

/* Users' buffers may have any alignment. */
typedef T FN(any) __attribute__((aligned(1), may_alias));

INLINE T FN(canonical)(T x)
{
    return x == x ? x : (T)NAN;
}

/* The next row. Hidden from the compiler, which would keep the addresses of all vectors and run out
 * of registers. */
INLINE T *FN(next)(T *row, size_t ldg)
{
    row += ldg;
    __asm__("" : "+r"(row));
    return row;
}

INLINE void FN(begin)(V s[TALL][2 * C], T *g, size_t ldg, bool from_g, const int rows,
                      const int vectors)
{
    UNROLL
    for (int r = 0; r < rows; r++) {
        UNROLL
        for (int c = 0; c < vectors; c++)
            s[r][c] = from_g ? V_LOAD(g + c * W) : V_ZERO;
        if (from_g)
            g = FN(next)(g, ldg);
    }
}

/* Not `scaled`: alpha and beta count as 1 and 0. (A product with 1 is the number itself.) */
INLINE void FN(end)(V s[TALL][2 * C], T *g, size_t ldg, bool scaled, T alpha, T beta, bool stream,
                    const int rows, const int vectors)
{
    UNROLL
    for (int r = 0; r < rows; r++, g = FN(next)(g, ldg)) {
        UNROLL
        for (int c = 0; c < vectors; c++) {
            V v = scaled ? V_MUL(V_FILL(&alpha), s[r][c]) : s[r][c];
            if (beta != 0)
                v = V_FMA(V_FILL(&beta), V_LOAD(g + c * W), v);
            if (stream)
                V_STREAM(g + c * W, V_CANONICAL(v));
            else
                V_STORE(g + c * W, V_CANONICAL(v));
        }
    }
}

/* Prefetches the lines of G for a block of these rows, some blocks ahead. */
INLINE void FN(fetch)(const T *g, size_t ldg, const int rows, const int vectors)
{
    for (int r = 0; r < rows; r++)
        for (size_t line = 0; line < (size_t)vectors * W * sizeof(T); line += OUTER_LINE)
            __builtin_prefetch((const void *)((uintptr_t)(g + (size_t)r * ldg) + line +
                                              OUTER_AHEAD * WIDTH * sizeof(T)));
}

/* `rows` and `vectors` are constants in all inlined copies, so s stays in registers. Vectors beyond
 * C are those of the panel `next`. */
INLINE void FN(block)(const T *a, const T *b, const T *next, size_t ldb, size_t pairs, T *g,
                      size_t ldg, unsigned flags, const struct outer_epilogue *epilogue,
                      const int rows, const int vectors)
{
    const T alpha = epilogue ? (T)epilogue->alpha : 1, beta = epilogue ? (T)epilogue->beta : 0;
    V s[TALL][2 * C];
    if (flags & OUTER_FETCH)
        FN(fetch)(g, ldg, rows, vectors);
    if (flags & OUTER_FROM_G)
        FN(begin)(s, g, ldg, true, rows, vectors);
    else
        FN(begin)(s, g, ldg, false, rows, vectors);
    for (size_t k = 0; k < pairs; k++, a += rows, b += ldb, next += ldb) {
        V y[2 * C];
        UNROLL
        for (int c = 0; c < vectors; c++)
            y[c] = V_LOAD(c < C ? b + c * W : next + (c - C) * W);
        UNROLL
        for (int r = 0; r < rows; r++) {
            V x = V_FILL(a + r);
            UNROLL
            for (int c = 0; c < vectors; c++)
                s[r][c] = V_FMA(x, y[c], s[r][c]);
        }
    }
    if (beta != 0)
        FN(end)(s, g, ldg, true, alpha, beta, false, rows, vectors);
    else if (alpha != 1)
        FN(end)(s, g, ldg, true, alpha, 0, flags & OUTER_STREAM, rows, vectors);
    else if (flags & OUTER_STREAM)
        FN(end)(s, g, ldg, false, 1, 0, true, rows, vectors);
    else
        FN(end)(s, g, ldg, false, 1, 0, false, rows, vectors);
}

#define OUTER_BLOCK(name, rows, vectors)                                                           \
    static void FN(name)(const void *a, const void *b, size_t ldb, size_t pairs, void *g,          \
                         size_t ldg, unsigned flags, const struct outer_epilogue *epilogue)        \
    {                                                                                              \
        FN(block)(a, b, b, ldb, pairs, g, ldg, flags, epilogue, rows, vectors);                    \
    }
#define OUTER_HEIGHTS(name, vectors)                                                               \
    OUTER_BLOCK(tallest##name, TALL, vectors)                                                      \
    OUTER_BLOCK(four##name, 4, vectors)                                                            \
    OUTER_BLOCK(two##name, 2, vectors)                                                             \
    OUTER_BLOCK(one##name, 1, vectors)
OUTER_HEIGHTS(_wide, C)
OUTER_HEIGHTS(_middle, MIDDLE)
OUTER_HEIGHTS(_small, SMALL)
#undef OUTER_HEIGHTS
#undef OUTER_BLOCK

#ifdef OUTER_TWIN_ROWS
static void FN(twin)(const void *a, const void *b, const void *next, size_t ldb, size_t pairs,
                     void *g, size_t ldg, unsigned flags, const struct outer_epilogue *epilogue)
{
    FN(block)(a, b, next, ldb, pairs, g, ldg, flags, epilogue, OUTER_TWIN_ROWS, 2 * C);
}
#define OUTER_TWIN_OF FN(twin)
#else
#define OUTER_TWIN_OF NULL
#endif

static void FN(finish)(void *sums, void *result, size_t count, double scale, double keep)
{
    const T alpha = (T)scale, beta = (T)keep;
    T *s = sums;
    FN(any) *g = result;
    if (alpha != 1)
        for (size_t j = 0; j < count; j++)
            s[j] = FN(canonical)(alpha * s[j]);
    if (beta != 0)
        for (size_t j = 0; j < count; j++)
            g[j] = FN(canonical)(S_FMA(beta, g[j], s[j]));
    else if ((void *)g != sums)
        memcpy(g, s, count * sizeof(T));
}

/* The functions that depend on the type F of the factors as well. `widen` makes a T of one;
 * `turns`: F is T, and blocks are transposed in
 * registers. */
#define OUTER_FACTORS(name, F, widen, turns)                                                       \
    INLINE void FN(pack_row_##name)(const F *from, T *to, size_t count, size_t width)              \
    {                                                                                              \
        for (size_t j = 0; j < count; j++)                                                         \
            to[j] = widen(from[j]);                                                                \
        for (size_t j = count; j < width; j++)                                                     \
            to[j] = 0;                                                                             \
    }                                                                                              \
    /* Full panels have constant lengths. */                                                       \
    static void FN(pack_##name)(const void *from, size_t ld, size_t pairs, size_t count,           \
                                size_t width, size_t ahead, void *to)                              \
    {                                                                                              \
        const F *x = from;                                                                         \
        T *z = to;                                                                                 \
        for (size_t k = 0; k < pairs; k++, x += ld, z += width) {                                  \
            __builtin_prefetch((const void *)((uintptr_t)x + ahead * sizeof(F)));                  \
            if (count == WIDTH)                                                                    \
                FN(pack_row_##name)(x, z, WIDTH, WIDTH);                                           \
            else if (count == TALL && width == TALL)                                               \
                FN(pack_row_##name)(x, z, TALL, TALL);                                             \
            else if (count == 4 && width == 4)                                                     \
                FN(pack_row_##name)(x, z, 4, 4);                                                   \
            else                                                                                   \
                FN(pack_row_##name)(x, z, count, width);                                           \
        }                                                                                          \
    }                                                                                              \
    /* Whole blocks of TURN elements and pairs in registers, 8 or 4 streams at a time; the rest    \
     * one by one. */                                                                              \
    INLINE void FN(pack_turned_by_##name)(const F *from, size_t ld, size_t pairs, size_t count,    \
                                          size_t width, T *to)                                     \
    {                                                                                              \
        const size_t blocks = turns ? count / TURN * TURN : 0, whole = pairs / TURN * TURN;        \
        for (size_t j = 0; j < blocks; j += TURN)                                                  \
            for (size_t k = 0; k < whole; k += TURN)                                               \
                TURN_BLOCK((const T *)(const void *)(from + j * ld + k), ld, to + k * width + j,   \
                           width);                                                                 \
        for (size_t k = 0; k < pairs; k++, to += width) {                                          \
            for (size_t j = k < whole ? blocks : 0; j < count; j++)                                \
                to[j] = widen(from[j * ld + k]);                                                   \
            for (size_t j = count; j < width; j++)                                                 \
                to[j] = 0;                                                                         \
        }                                                                                          \
    }                                                                                              \
    static void FN(pack_turned_##name)(const void *from, size_t ld, size_t pairs, size_t count,    \
                                       size_t width, void *to)                                     \
    {                                                                                              \
        if (count == WIDTH)                                                                        \
            FN(pack_turned_by_##name)(from, ld, pairs, WIDTH, WIDTH, to);                          \
        else if (count == TALL && width == TALL)                                                   \
            FN(pack_turned_by_##name)(from, ld, pairs, TALL, TALL, to);                            \
        else                                                                                       \
            FN(pack_turned_by_##name)(from, ld, pairs, count, width, to);                          \
    }                                                                                              \
    static void FN(scatter_##name)(const void *a, const void *value, const uint32_t *index,        \
                                   size_t count, size_t column, void *result)                      \
    {                                                                                              \
        const F *x = a, *y = value;                                                                \
        FN(any) *g = result;                                                                       \
        const T factor = widen(*x);                                                                \
        for (size_t j = 0; j < count; j++) {                                                       \
            FN(any) *s = g + (index[j] - column);                                                  \
            *s = FN(canonical)(S_FMA(factor, widen(y[j]), *s));                                    \
        }                                                                                          \
    }                                                                                              \
    OUTER_KERNEL(name, F)

/* A row of the table. */
#define OUTER_KERNEL(name, F)                                                                      \
    static const struct outer_kernel FN(kernel_##name) = {                                         \
        .factor_size = sizeof(F),                                                                  \
        .size = sizeof(T),                                                                         \
        .width = {WIDTH, MIDDLE * W, SMALL * W},                                                   \
        .streams = HAS_STREAM,                                                                     \
        .rows = {TALL, 4, 2, 1},                                                                   \
        .block = {{FN(tallest_wide), FN(four_wide), FN(two_wide), FN(one_wide)},                   \
                  {FN(tallest_middle), FN(four_middle), FN(two_middle), FN(one_middle)},           \
                  {FN(tallest_small), FN(four_small), FN(two_small), FN(one_small)}},              \
        .twin = OUTER_TWIN_OF,                                                                     \
        .pack = FN(pack_##name),                                                                   \
        .pack_turned = FN(pack_turned_##name),                                                     \
        .finish = FN(finish),                                                                      \
        .scatter = FN(scatter_##name)};

#define OUTER_SAME(x) (x)

#ifdef OUTER_HALVES
OUTER_FACTORS(bf16, half_anywhere, half_from_bf16, false)
OUTER_FACTORS(f16, half_anywhere, half_from_f16, false)
#endif
OUTER_FACTORS(same, FN(any), OUTER_SAME, TURN > 1)

/* The traits of this type end here; the next type brings its own. */
#undef OUTER_SAME
#undef OUTER_FACTORS
#undef OUTER_KERNEL
#undef OUTER_HALVES
#undef OUTER_TWIN_OF
#undef OUTER_PASTE
#undef OUTER_NAME
#undef FN
#undef INLINE
#undef UNROLL
#undef WIDTH
#undef MIDDLE
#undef SMALL
#undef SUFFIX
#undef T
#undef V
#undef W
#undef C
#undef TALL
#undef V_LOAD
#undef V_STORE
#undef V_ZERO
#undef V_FILL
#undef V_FMA
#undef V_MUL
#undef V_CANONICAL
#undef V_STREAM
#undef HAS_STREAM
#undef S_FMA
#undef TURN
#undef TURN_BLOCK

/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of columns.h over the compiler's vectors of WIDTH doubles. A file of an instruction
 * set defines WIDTH and TABLE and includes this once.
 *
 * Digit i of an element has an accumulator that starts at 1.5 2^(52 + unit) and stays in that
 * binade, so that adding x rounds x to a multiple of 2^unit without loss (kernel/pass.h):
 *     t = acc + x;  q = t - acc;  x = x - q;  acc = t
 * The highest accumulator shows by its exponent that it left its binade. Rests are at most half a
 * unit of the digit above, so ROWS of them cannot leave a lower one. The last one must leave no
 * rest. Then (bits(acc) - bits(start)) is what the digit grows by. */
#include <string.h>

#include "kernel/columns.h"
#include "kernel/outer_widen.h"

#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(8 * WIDTH)));
typedef float vec32 __attribute__((vector_size(4 * WIDTH)));
typedef int64_t bits __attribute__((vector_size(8 * WIDTH)));

enum {
    STRIP = 2, /* vectors that are in registers at a time */
    GROUP = 8, /* rows for which they stay there */
    DIGITS = SUMMAND__COLUMNS_DIGITS
};

#define BINADE (INT64_MIN | INT64_C(0x7ff0000000000000)) /* sign and exponent */

struct columns {
    _Alignas(64) double acc[DIGITS][SUMMAND__LANES_BLOCK];
    double start[DIGITS];
    bits left, rest; /* bits that differ from the start's binade; bits of rests */
};

/* The first `count` elements from p, and zeros. */
INLINE vec load(enum summand__lanes_type type, const char *p, size_t count)
{
    vec v = {0};
    vec32 narrow = {0};
    uint16_t half[WIDTH] = {0};
    if (type == SUMMAND__LANES_F64) {
        memcpy(&v, p, count * 8);
        return v;
    }
    if (type == SUMMAND__LANES_F32) {
        memcpy(&narrow, p, count * 4);
        return __builtin_convertvector(narrow, vec);
    }
    memcpy(half, p, count * 2);
    for (int k = 0; k < WIDTH; k++)
        v[k] = (double)(type == SUMMAND__LANES_F16 ? outer_from_f16(half[k])
                                                   : outer_from_bf16(half[k]));
    return v;
}

INLINE void deposit(struct columns *c, vec acc[DIGITS], int digits, vec x)
{
    for (int i = digits - 1; i >= 0; i--) {
        const vec t = acc[i] + x, q = t - acc[i];
        acc[i] = t;
        if (i == digits - 1)
            c->left |= (bits)t ^ (bits)((vec){0} + c->start[i]);
        if (!i)
            c->rest |= (bits)q ^ (bits)x;
        x = x - q;
    }
}

/* Adds some rows of `vectors` vectors from column j on, of which the last has `count` elements. */
INLINE void strip(struct columns *c, enum summand__lanes_type type, int digits, const char *x,
                  size_t rows, size_t stride, size_t j, int vectors, size_t count)
{
    const size_t each = type == SUMMAND__LANES_F64 ? 8 : type == SUMMAND__LANES_F32 ? 4 : 2;
    struct columns own = {.left = c->left, .rest = c->rest};
    vec acc[STRIP][DIGITS];
    for (int i = 0; i < digits; i++)
        own.start[i] = c->start[i];
    for (int v = 0; v < vectors; v++)
        for (int i = 0; i < digits; i++)
            memcpy(&acc[v][i], &c->acc[i][j + (size_t)v * WIDTH], sizeof acc[v][i]);
    for (size_t r = 0; r < rows; r++)
        for (int v = 0; v < vectors; v++)
            deposit(&own, acc[v], digits,
                    load(type, x + r * stride + (j + (size_t)v * WIDTH) * each,
                         v + 1 == vectors ? count : WIDTH));
    for (int v = 0; v < vectors; v++)
        for (int i = 0; i < digits; i++)
            memcpy(&c->acc[i][j + (size_t)v * WIDTH], &acc[v][i], sizeof acc[v][i]);
    c->left = own.left;
    c->rest = own.rest;
}

INLINE void group(struct columns *c, enum summand__lanes_type type, int digits, const char *x,
                  size_t rows, size_t stride, size_t n)
{
    size_t j = 0;
    for (; j + STRIP * WIDTH <= n; j += STRIP * WIDTH)
        strip(c, type, digits, x, rows, stride, j, STRIP, WIDTH);
    for (; j < n; j += WIDTH)
        strip(c, type, digits, x, rows, stride, j, 1, n - j < WIDTH ? n - j : WIDTH);
}

INLINE double start_of(const struct summand__lanes_format *format, int digit)
{
    const int exponent = format->lowest + digit * SUMMAND__COLUMNS_BITS + 52;
    const uint64_t word = (uint64_t)(exponent + 1023) << 52 | UINT64_C(1) << 51;
    double start;
    memcpy(&start, &word, sizeof start);
    return start;
}

static void begin(struct columns *c, const struct summand__lanes_format *format, size_t n)
{
    c->left = c->rest = (bits){0};
    for (int i = 0; i < format->digits; i++) {
        c->start[i] = start_of(format, i);
        for (size_t j = 0; j < (n + WIDTH - 1) / WIDTH * WIDTH; j++)
            c->acc[i][j] = c->start[i];
    }
}

static bool any(bits v, int64_t mask)
{
    int64_t all = 0;
    for (int k = 0; k < WIDTH; k++)
        all |= v[k];
    return all & mask;
}

static bool end(const struct columns *c, const struct summand__lanes_format *format, size_t n,
                int64_t *lanes)
{
    if (any(c->left, BINADE) || any(c->rest, INT64_MAX))
        return false;
    for (size_t i = 0; i < format->digits; i++) {
        int64_t start, acc;
        memcpy(&start, &c->start[i], sizeof start);
        for (size_t j = 0; j < n; j++) {
            memcpy(&acc, &c->acc[i][j], sizeof acc);
            lanes[i * n + j] += acc - start;
        }
    }
    return true;
}

INLINE bool run(enum summand__lanes_type type, int digits, const char *x, size_t rows,
                size_t stride, size_t n, const struct summand__lanes_format *format, int64_t *lanes)
{
    struct columns c;
    begin(&c, format, n);
    for (size_t r = 0; r < rows; r += GROUP)
        group(&c, type, digits, x + r * stride, rows - r < GROUP ? rows - r : GROUP, stride, n);
    return end(&c, format, n, lanes);
}

#define RUN(suffix, TYPE, BYTES)                                                                   \
    static bool run_##suffix(const void *x, size_t rows, size_t lead, size_t n,                    \
                             const struct summand__lanes_format *format, int64_t *lanes)           \
    {                                                                                              \
        switch (format->digits) {                                                                  \
        case 1:                                                                                    \
            return run(TYPE, 1, x, rows, lead * (BYTES), n, format, lanes);                        \
        case 2:                                                                                    \
            return run(TYPE, 2, x, rows, lead * (BYTES), n, format, lanes);                        \
        default:                                                                                   \
            return run(TYPE, 3, x, rows, lead * (BYTES), n, format, lanes);                        \
        }                                                                                          \
    }

RUN(f64, SUMMAND__LANES_F64, 8)
RUN(f32, SUMMAND__LANES_F32, 4)
RUN(f16, SUMMAND__LANES_F16, 2)
RUN(bf16, SUMMAND__LANES_BF16, 2)

const struct summand__columns_kernels TABLE = {.run = {run_f64, run_f32, run_f16, run_bf16}};

/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of rows.h over the compiler's vectors of WIDTH doubles. A file of an instruction
 * set defines WIDTH and TABLE and includes this once.
 *
 * Digit i of an element has an accumulator that starts at 1.5 2^(52 + unit) and stays in that
 * binade, so that adding x rounds x to a multiple of 2^unit without loss (kernel/pass.h):
 *     t = acc + x;  q = t - acc;  x = x - q;  acc = t
 * The highest accumulator shows by its exponent that it left its binade. Rests are at most half a
 * unit of the digit above, so ROWS of them cannot leave a lower one. The last one must leave no
 * rest. Then (bits(acc) - bits(start)) is what the digit grows by. */
#include <string.h>

#include "kernel/half.h"
#include "kernel/rows.h"

#define INLINE static inline __attribute__((always_inline))

typedef double vec __attribute__((vector_size(8 * WIDTH)));
typedef float vec32 __attribute__((vector_size(4 * WIDTH)));
typedef int64_t bits __attribute__((vector_size(8 * WIDTH)));

enum {
    STRIP = 2, /* vectors that are in registers at a time */
    DIGITS = SUMMAND__ROWS_DIGITS
};

#define BINADE (INT64_MIN | INT64_C(0x7ff0000000000000)) /* sign and exponent */

/* The part of the state that is in registers. */
struct seen {
    double start[DIGITS];
    bits left, rest;
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
        v[k] =
            (double)(type == SUMMAND__LANES_F16 ? half_from_f16(half[k]) : half_from_bf16(half[k]));
    return v;
}

INLINE void deposit(struct seen *c, vec acc[DIGITS], int digits, vec x)
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
INLINE void strip(struct summand__rows *rows, struct seen *seen, enum summand__lanes_type type,
                  int digits, const char *x, size_t some, size_t stride, size_t j, int vectors,
                  size_t count)
{
    const size_t each = type == SUMMAND__LANES_F64 ? 8 : type == SUMMAND__LANES_F32 ? 4 : 2;
    struct seen own = *seen;
    vec acc[STRIP][DIGITS];
    for (int v = 0; v < vectors; v++)
        for (int i = 0; i < digits; i++)
            memcpy(&acc[v][i], &rows->acc[i][j + (size_t)v * WIDTH], sizeof acc[v][i]);
    for (size_t r = 0; r < some; r++)
        for (int v = 0; v < vectors; v++)
            deposit(&own, acc[v], digits,
                    load(type, x + r * stride + (j + (size_t)v * WIDTH) * each,
                         v + 1 == vectors ? count : WIDTH));
    for (int v = 0; v < vectors; v++)
        for (int i = 0; i < digits; i++)
            memcpy(&rows->acc[i][j + (size_t)v * WIDTH], &acc[v][i], sizeof acc[v][i]);
    seen->left = own.left;
    seen->rest = own.rest;
}

INLINE void group(struct summand__rows *rows, struct seen *seen, enum summand__lanes_type type,
                  int digits, const char *x, size_t some, size_t stride, size_t n)
{
    size_t j = 0;
    for (; j + STRIP * WIDTH <= n; j += STRIP * WIDTH)
        strip(rows, seen, type, digits, x, some, stride, j, STRIP, WIDTH);
    for (; j < n; j += WIDTH)
        strip(rows, seen, type, digits, x, some, stride, j, 1, n - j < WIDTH ? n - j : WIDTH);
}

INLINE void add(struct summand__rows *rows, enum summand__lanes_type type, int digits,
                const char *x, size_t count, size_t stride, size_t n)
{
    struct seen seen;
    memcpy(seen.start, rows->start, sizeof seen.start);
    memcpy(&seen.left, rows->left, sizeof seen.left);
    memcpy(&seen.rest, rows->rest, sizeof seen.rest);
    for (size_t r = 0; r < count; r += SUMMAND__ROWS_GROUP)
        group(rows, &seen, type, digits, x + r * stride,
              count - r < SUMMAND__ROWS_GROUP ? count - r : SUMMAND__ROWS_GROUP, stride, n);
    memcpy(rows->left, &seen.left, sizeof seen.left);
    memcpy(rows->rest, &seen.rest, sizeof seen.rest);
}

static double start_of(const struct summand__lanes_format *format, int digit)
{
    const int exponent = format->lowest + digit * SUMMAND__ROWS_BITS + 52;
    const uint64_t word = (uint64_t)(exponent + 1023) << 52 | UINT64_C(1) << 51;
    double start;
    memcpy(&start, &word, sizeof start);
    return start;
}

static void begin(struct summand__rows *rows, const struct summand__lanes_format *format, size_t n)
{
    memset(rows->left, 0, sizeof rows->left);
    memset(rows->rest, 0, sizeof rows->rest);
    memset(rows->start, 0, sizeof rows->start);
    rows->digits = format->digits;
    for (int i = 0; i < rows->digits; i++) {
        rows->start[i] = start_of(format, i);
        for (size_t j = 0; j < (n + WIDTH - 1) / WIDTH * WIDTH; j++)
            rows->acc[i][j] = rows->start[i];
    }
}

static bool end(const struct summand__rows *rows, size_t n, int64_t *lanes)
{
    int64_t left = 0, rest = 0;
    for (int k = 0; k < WIDTH; k++) {
        left |= rows->left[k];
        rest |= rows->rest[k];
    }
    if (left & BINADE || rest & INT64_MAX)
        return false;
    for (int i = 0; i < rows->digits; i++) {
        int64_t start, acc;
        memcpy(&start, &rows->start[i], sizeof start);
        for (size_t j = 0; j < n; j++) {
            memcpy(&acc, &rows->acc[i][j], sizeof acc);
            lanes[(size_t)i * n + j] += acc - start;
        }
    }
    return true;
}

#define ADD(suffix, TYPE, BYTES)                                                                   \
    static void add_##suffix(struct summand__rows *rows, const void *x, size_t count, size_t lead, \
                             size_t n)                                                             \
    {                                                                                              \
        switch (rows->digits) {                                                                    \
        case 1:                                                                                    \
            add(rows, TYPE, 1, x, count, lead *(BYTES), n);                                        \
            break;                                                                                 \
        case 2:                                                                                    \
            add(rows, TYPE, 2, x, count, lead *(BYTES), n);                                        \
            break;                                                                                 \
        default:                                                                                   \
            add(rows, TYPE, 3, x, count, lead *(BYTES), n);                                        \
        }                                                                                          \
    }

ADD(f64, SUMMAND__LANES_F64, 8)
ADD(f32, SUMMAND__LANES_F32, 4)
ADD(f16, SUMMAND__LANES_F16, 2)
ADD(bf16, SUMMAND__LANES_BF16, 2)

const struct summand__rows_kernels TABLE = {
    .begin = begin, .add = {add_f64, add_f32, add_f16, add_bf16}, .end = end};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows into pre-rounded levels, and carries, in plain C that every compiler vectorizes; each
 * instruction set's file includes it once. */
#include "kernel/lanes_one.h"

typedef double lanes_f64 __attribute__((aligned(1), may_alias));
typedef float lanes_f32 __attribute__((aligned(1), may_alias));

/* What the sums of a sweep have seen: rests below the second level, and bits of the first level
 * that were not those of its start. */
struct lanes_seen {
    uint64_t left, moved, start;
};

/* One term to both levels. */
LANES_INLINE void lanes_level(double x, double *first, double *second, struct lanes_seen *seen)
{
    const double high = *first + x, rest = x - (high - *first);
    const double low = *second + rest, end = rest - (low - *second);
    *first = high;
    *second = low;
    seen->left |= lanes_bits_of(end);
    seen->moved |= lanes_bits_of(high) ^ seen->start;
}

#define LANES_SWEEP(suffix, type, value)                                                           \
    static bool sweep_##suffix(const void *x, size_t ld, size_t rows, size_t n,                    \
                               const struct summand__lanes_levels *levels, double *restrict first, \
                               double *restrict second)                                            \
    {                                                                                              \
        struct lanes_seen seen = {.start = lanes_bits_of(levels->start[0])};                       \
        size_t i = 0;                                                                              \
        for (; i + 4 <= rows; i += 4) {                                                            \
            const type *a = (const type *)x + i * ld, *b = a + ld, *c = b + ld, *d = c + ld;       \
            for (size_t j = 0; j < n; j++) {                                                       \
                double high = first[j], low = second[j];                                           \
                lanes_level(value(a[j]), &high, &low, &seen);                                      \
                lanes_level(value(b[j]), &high, &low, &seen);                                      \
                lanes_level(value(c[j]), &high, &low, &seen);                                      \
                lanes_level(value(d[j]), &high, &low, &seen);                                      \
                first[j] = high;                                                                   \
                second[j] = low;                                                                   \
            }                                                                                      \
        }                                                                                          \
        for (; i < rows; i++) {                                                                    \
            const type *a = (const type *)x + i * ld;                                              \
            for (size_t j = 0; j < n; j++)                                                         \
                lanes_level(value(a[j]), &first[j], &second[j], &seen);                            \
        }                                                                                          \
        return !(seen.left & ~LANES_SIGN) && !(seen.moved & LANES_INF);                            \
    }

LANES_SWEEP(f64, lanes_f64, (double))
LANES_SWEEP(f32, lanes_f32, (double))
LANES_SWEEP(f16, half_anywhere, (double)half_from_f16)
LANES_SWEEP(bf16, half_anywhere, (double)half_from_bf16)

static bool lanes_normalise(const struct summand__lanes_format *format, int64_t *lanes, size_t n)
{
    const int64_t limit = INT64_C(1) << format->bits, ones = limit - 1;
    int64_t wide = 0;
    for (size_t i = 0; i + 1 < format->digits; i++)
        for (size_t j = 0; j < n; j++) {
            const int64_t digit = lanes[i * n + j];
            lanes[i * n + j] = digit & ones;
            lanes[(i + 1) * n + j] += digit >> format->bits;
        }
    for (size_t j = 0; j < n && format->digits; j++) {
        const int64_t digit = lanes[(format->digits - 1u) * n + j];
        wide |= (digit >= limit) | (digit <= -limit);
    }
    return !wide;
}

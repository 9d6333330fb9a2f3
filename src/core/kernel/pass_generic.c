/* SPDX-License-Identifier: BSD-3-Clause */
/* Any processor: pairs of doubles by the compiler's vectors, without fused multiply-add. */
#include <string.h>

#include "kernel/pass.h"

#define WIDTH 2
#define HAS_FLAG 0
#define FLOOR (-950)
#define TABLE summand__pass_generic

typedef double vec __attribute__((vector_size(16)));
typedef int64_t bits __attribute__((vector_size(16)));
typedef int32_t halves __attribute__((vector_size(16)));

#define INLINE static inline __attribute__((always_inline))

INLINE vec add_quiet(vec a, vec b)
{
    return a + b;
}
INLINE vec multiply_quiet(vec a, vec b)
{
    return a * b;
}
INLINE vec subtract_fma(vec a, vec b, vec one)
{
    (void)one;
    return a - b;
}
INLINE vec high_half(vec a)
{
    const vec c = a * 134217729.0; /* 2^27 + 1 */
    return c - (c - a);
}
/* Dekker 1971 with Veltkamp's splitting. Beyond 2^996 it gives NaN, which the test detects. */
INLINE vec product_error(vec x, vec y, vec product)
{
    const vec a = high_half(x), b = high_half(y), c = x - a, d = y - b;
    return c * d - (((product - a * b) - c * b) - a * d);
}
/* seen | (a ^ b) */
INLINE bits or_difference(bits seen, bits a, bits b)
{
    return seen | (a ^ b);
}
INLINE vec load_f64(const double *p)
{
    vec v;
    memcpy(&v, p, sizeof v);
    return v;
}
INLINE vec load_f32(const float *p)
{
    float pair[2];
    memcpy(pair, p, sizeof pair);
    return (vec){pair[0], pair[1]};
}
/* The first `count` < WIDTH elements and zeros; touches nothing behind them. */
INLINE vec load_part_f64(const double *p, size_t count)
{
    vec v = {0, 0};
    memcpy(&v, p, count * sizeof *p);
    return v;
}
INLINE vec load_part_f32(const float *p, size_t count)
{
    float pair[2] = {0, 0};
    memcpy(pair, p, count * sizeof *p);
    return (vec){pair[0], pair[1]};
}
/* Compares the upper halves, which have the exponent: old processors cannot compare longer
 * integers. The lower halves only tell if the number is zero. */
INLINE bits larger(bits a, bits b)
{
    const bits above = (bits)((halves)a > (halves)b) >> 63;
    return (a & above) | (b & ~above) | ((a | b) & UINT32_MAX);
}
INLINE bool any_bits(bits v, int64_t mask)
{
    return (v[0] | v[1]) & mask;
}
INLINE double sum_lanes(vec v)
{
    return v[0] + v[1];
}
#if defined(__x86_64__)
#define OPAQUE(v) __asm__ volatile("" : "+x"(v))
#else
#define OPAQUE(v) ((void)(v))
#endif

#include "kernel/pass_simd.inc.h"

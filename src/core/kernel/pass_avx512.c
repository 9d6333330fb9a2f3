/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX-512: 8 doubles. The last level's test is free: an addition with embedded rounding suppresses
 * exceptions, a plain one sets the sticky inexact flag. So the one plain addition per element shows
 * in MXCSR whether it ever left a rest, and whether a product's error term underflowed. */
#include <immintrin.h>
#include <string.h>

#include "kernel/pass.h"

#define WIDTH 8
#define HAS_FLAG 1
#define FLOOR (-1074)
#define TABLE summand__pass_avx512

typedef __m512d vec;
typedef __m512i bits;

#define NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define INLINE static inline __attribute__((always_inline))

INLINE vec add_quiet(vec a, vec b)
{
    return _mm512_add_round_pd(a, b, NEAREST);
}
INLINE vec multiply_quiet(vec a, vec b)
{
    return _mm512_mul_round_pd(a, b, NEAREST);
}
/* Uses the multiplier's pipes, which are otherwise idle. */
INLINE vec subtract_fma(vec a, vec b, vec one)
{
    return _mm512_fmsub_pd(a, one, b);
}
INLINE vec product_error(vec x, vec y, vec product)
{
    return _mm512_fmsub_pd(x, y, product);
}
/* seen | (a ^ b) */
INLINE bits or_difference(bits seen, bits a, bits b)
{
    return _mm512_ternarylogic_epi64(seen, a, b, 0xf6);
}
INLINE vec load_f64(const double *p)
{
    return _mm512_loadu_pd(p);
}
INLINE vec load_f32(const float *p)
{
    return _mm512_cvtps_pd(_mm256_loadu_ps(p));
}
/* The first `count` < WIDTH elements and zeros; touches nothing behind them. */
INLINE vec load_part_f64(const double *p, size_t count)
{
    return _mm512_maskz_loadu_pd((__mmask8)((1u << count) - 1), p);
}
INLINE vec load_part_f32(const float *p, size_t count)
{
    return _mm512_cvtps_pd(_mm256_maskz_loadu_ps((__mmask8)((1u << count) - 1), p));
}
INLINE bits larger(bits a, bits b)
{
    return _mm512_max_epi64(a, b);
}
INLINE bool any_bits(bits v, int64_t mask)
{
    return _mm512_test_epi64_mask(v, _mm512_set1_epi64(mask));
}
INLINE double sum_lanes(vec v)
{
    return _mm512_reduce_add_pd(v);
}
/* Keeps the value in a register, and the compiler from knowing or moving it. */
#define OPAQUE(v) __asm__ volatile("" : "+v"(v))

#include "kernel/pass_simd.inc.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX2 and FMA: 4 doubles. */
#include <immintrin.h>
#include <string.h>

#include "kernel/pass.h"

#define WIDTH 4
#define HAS_FLAG 0
#define FLOOR (-950)
#define TABLE summand__pass_avx2

typedef __m256d vec;
typedef __m256i bits;

#define INLINE static inline __attribute__((always_inline))

INLINE vec add_quiet(vec a, vec b)
{
    return _mm256_add_pd(a, b);
}
INLINE vec multiply_quiet(vec a, vec b)
{
    return _mm256_mul_pd(a, b);
}
/* Uses the multiplier's pipes, which are otherwise idle. */
INLINE vec subtract_fma(vec a, vec b, vec one)
{
    return _mm256_fmsub_pd(a, one, b);
}
INLINE vec product_error(vec x, vec y, vec product)
{
    return _mm256_fmsub_pd(x, y, product);
}
/* seen | (a ^ b) */
INLINE bits or_difference(bits seen, bits a, bits b)
{
    return _mm256_or_si256(seen, _mm256_xor_si256(a, b));
}
INLINE vec load_f64(const double *p)
{
    return _mm256_loadu_pd(p);
}
INLINE vec load_f32(const float *p)
{
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
}

static const int64_t masks[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
static const int32_t masks_f32[8] = {-1, -1, -1, -1, 0, 0, 0, 0};

/* The first `count` < WIDTH elements and zeros; touches nothing behind them. */
INLINE vec load_part_f64(const double *p, size_t count)
{
    return _mm256_maskload_pd(p, _mm256_loadu_si256((const void *)(masks + 4 - count)));
}
INLINE vec load_part_f32(const float *p, size_t count)
{
    return _mm256_cvtps_pd(
        _mm_maskload_ps(p, _mm_loadu_si128((const void *)(masks_f32 + 4 - count))));
}
INLINE bits larger(bits a, bits b)
{
    return _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b));
}
INLINE bool any_bits(bits v, int64_t mask)
{
    return !_mm256_testz_si256(v, _mm256_set1_epi64x(mask));
}
INLINE double sum_lanes(vec v)
{
    const __m128d half = _mm_add_pd(_mm256_castpd256_pd128(v), _mm256_extractf128_pd(v, 1));
    return _mm_cvtsd_f64(_mm_add_sd(half, _mm_unpackhi_pd(half, half)));
}
/* Keeps the value in a register, and the compiler from knowing or moving it. */
#define OPAQUE(v) __asm__ volatile("" : "+x"(v))

#include "kernel/pass_simd.inc.h"

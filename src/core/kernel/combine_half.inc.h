/* SPDX-License-Identifier: BSD-3-Clause */
/* The combine kernels of 16-bit floating-point numbers; kernel/combine_simd.inc.h includes it.
 *
 * Sums and products are computed in float and rounded again. These are the bits of one rounding: a
 * float has 24 digits, at least 2 x 11 + 2 (S. A. Figueroa, When is double rounding innocuous?,
 * 1995), and what a float cannot hold of a denormal product of bfloat16 lies below half of its last
 * digit. Minimum and maximum compare bits. */
#include "kernel/half.h"

#define COMBINE_HALF(name, infinity, nan)                                                          \
    COMBINE(min_##name, uint16_t, combine_lesser_half(a, b, infinity, nan))                        \
    COMBINE(max_##name, uint16_t, combine_greater_half(a, b, infinity, nan))
COMBINE_HALF(f16, HALF_INFINITY_F16, HALF_NAN_F16)
COMBINE_HALF(bf16, HALF_INFINITY_BF16, HALF_NAN_BF16)

COMBINE(sum_bf16, uint16_t, half_to_bf16(half_from_bf16(a) + half_from_bf16(b)))
COMBINE(prod_bf16, uint16_t, half_to_bf16(half_from_bf16(a) * half_from_bf16(b)))

#if defined(__AVX512F__) || defined(__F16C__) || defined(__aarch64__)
/* The processor converts a vector at a time. It keeps the payload of NaNs, so the float is made
 * canonical first. */
#if defined(__AVX512F__)
typedef __m512 combine_wide;
#define COMBINE_WIDEN(from) _mm512_cvtph_ps(_mm256_loadu_si256((const void *)(from)))
#define COMBINE_CANONICAL(v)                                                                       \
    _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q),                                  \
                       _mm512_set1_ps(__builtin_nanf("")))
#define COMBINE_NARROWED(v, to)                                                                    \
    _mm256_storeu_si256((void *)(to), _mm512_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#elif defined(__F16C__)
typedef __m256 combine_wide;
#define COMBINE_WIDEN(from) _mm256_cvtph_ps(_mm_loadu_si128((const void *)(from)))
#define COMBINE_CANONICAL(v)                                                                       \
    _mm256_blendv_ps(v, _mm256_set1_ps(__builtin_nanf("")), _mm256_cmp_ps(v, v, _CMP_UNORD_Q))
#define COMBINE_NARROWED(v, to)                                                                    \
    _mm_storeu_si128((void *)(to), _mm256_cvtps_ph(v, _MM_FROUND_TO_NEAREST_INT))
#else
typedef float32x4_t combine_wide;
#define COMBINE_WIDEN(from) vcvt_f32_f16(vreinterpret_f16_u8(vld1_u8((const void *)(from))))
#define COMBINE_CANONICAL(v) vbslq_f32(vceqq_f32(v, v), v, vdupq_n_f32(__builtin_nanf("")))
#define COMBINE_NARROWED(v, to) vst1_u8((void *)(to), vreinterpret_u8_f16(vcvt_f16_f32(v)))
#endif

#define COMBINE_F16(name, operator)                                                                \
    static inline void each_##name(const void *left, const void *right, void *out)                 \
    {                                                                                              \
        combine_wide v = COMBINE_WIDEN(left) operator COMBINE_WIDEN(right);                        \
        v = COMBINE_CANONICAL(v);                                                                  \
        COMBINE_NARROWED(v, out);                                                                  \
    }                                                                                              \
    static __attribute__((noinline)) void part_##name(const void *left, const void *right,         \
                                                      void *out, size_t count)                     \
    {                                                                                              \
        enum { BYTES = sizeof(combine_wide) / 2 };                                                 \
        const char *x = left, *y = right;                                                          \
        char *z = out, a[BYTES] = {0}, b[BYTES] = {0};                                             \
        const size_t bytes = 2 * count, rest = bytes % BYTES;                                      \
        size_t at = 0;                                                                             \
        for (; at < bytes - rest; at += BYTES)                                                     \
            each_##name(x + at, y + at, z + at);                                                   \
        memcpy(a, x + at, rest);                                                                   \
        memcpy(b, y + at, rest);                                                                   \
        each_##name(a, b, a);                                                                      \
        memcpy(z + at, a, rest);                                                                   \
    }                                                                                              \
    COMBINE_WHOLE(name, uint16_t)
COMBINE_F16(sum_f16, +)
COMBINE_F16(prod_f16, *)
#else
COMBINE(sum_f16, uint16_t, half_to_f16(half_from_f16(a) + half_from_f16(b)))
COMBINE(prod_f16, uint16_t, half_to_f16(half_from_f16(a) * half_from_f16(b)))
#endif

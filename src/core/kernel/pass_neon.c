/* SPDX-License-Identifier: BSD-3-Clause */
/* NEON (AArch64): 2 doubles, with FMA. */
#include <arm_neon.h>
#include <string.h>

#include "kernel/pass.h"

#define WIDTH 2
#define HAS_FLAG 0
#define FLOOR (-950)
#define TABLE summand__pass_neon

typedef float64x2_t vec;
typedef int64x2_t bits;

#define INLINE static inline __attribute__((always_inline))

INLINE vec add_quiet(vec a, vec b)
{
    return vaddq_f64(a, b);
}
INLINE vec multiply_quiet(vec a, vec b)
{
    return vmulq_f64(a, b);
}
/* All of NEON's pipes add. */
INLINE vec subtract_fma(vec a, vec b, vec one)
{
    (void)one;
    return vsubq_f64(a, b);
}
INLINE vec product_error(vec x, vec y, vec product)
{
    return vfmaq_f64(vnegq_f64(product), x, y);
}
/* seen | (a ^ b) */
INLINE bits or_difference(bits seen, bits a, bits b)
{
    return vorrq_s64(seen, veorq_s64(a, b));
}
INLINE vec load_f64(const double *p)
{
    return vld1q_f64(p);
}
INLINE vec load_f32(const float *p)
{
    return vcvt_f64_f32(vld1_f32(p));
}
/* The first `count` < WIDTH elements and zeros; touches nothing behind them. */
INLINE vec load_part_f64(const double *p, size_t count)
{
    const vec zero = vdupq_n_f64(0);
    return count ? vld1q_lane_f64(p, zero, 0) : zero;
}
INLINE vec load_part_f32(const float *p, size_t count)
{
    const float32x2_t zero = vdup_n_f32(0);
    return vcvt_f64_f32(count ? vld1_lane_f32(p, zero, 0) : zero);
}
INLINE bits larger(bits a, bits b)
{
    return vbslq_s64(vcgtq_s64(a, b), a, b);
}
INLINE bool any_bits(bits v, int64_t mask)
{
    return (v[0] | v[1]) & mask;
}
INLINE double sum_lanes(vec v)
{
    return v[0] + v[1];
}
/* Keeps the value in a register, and the compiler from knowing or moving it. */
#define OPAQUE(v) __asm__ volatile("" : "+w"(v))

#include "kernel/pass_simd.inc.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* NEON: 2 elements. */
#include <arm_neon.h>

#include "kernel/lanes_one.h"

#define WIDTH 2
#define TABLE summand__lanes_neon
#define LANES_CONVERTS

typedef int64x2_t vec;
typedef float64x2_t dbl;
typedef uint64x2_t mask;

LANES_UNARY(vec, v_set, int64_t, vdupq_n_s64)
LANES_INLINE vec v_load(const int64_t *p)
{
    return vld1q_s64(p);
}
LANES_INLINE void v_store(int64_t *p, vec a)
{
    vst1q_s64(p, a);
}
LANES_BINARY(vec, v_add, vec, vaddq_s64)
LANES_BINARY(vec, v_sub, vec, vsubq_s64)
LANES_BINARY(vec, v_and, vec, vandq_s64)
/* b without the bits of a */
LANES_INLINE vec v_andnot(vec a, vec b)
{
    return vbicq_s64(b, a);
}
LANES_BINARY(vec, v_or, vec, vorrq_s64)
LANES_BINARY(vec, v_xor, vec, veorq_s64)
LANES_INLINE vec v_sll(vec a, unsigned count)
{
    return vshlq_s64(a, v_set(count));
}
LANES_INLINE vec v_srl(vec a, unsigned count)
{
    return vreinterpretq_s64_u64(vshlq_u64(vreinterpretq_u64_s64(a), v_set(-(int64_t)count)));
}
LANES_INLINE vec v_sra(vec a, unsigned count)
{
    return vshlq_s64(a, v_set(-(int64_t)count));
}
/* Of 32-bit halves. */
LANES_INLINE vec v_max32(vec a, vec b)
{
    return vreinterpretq_s64_s32(vmaxq_s32(vreinterpretq_s32_s64(a), vreinterpretq_s32_s64(b)));
}
LANES_INLINE vec v_min32(vec a, vec b)
{
    return vreinterpretq_s64_s32(vminq_s32(vreinterpretq_s32_s64(a), vreinterpretq_s32_s64(b)));
}
LANES_INLINE vec v_mul32(vec a, int b)
{
    return vmull_s32(vmovn_s64(a), vdup_n_s32(b));
}
LANES_INLINE vec v_mul32u(vec a, uint32_t b)
{
    const uint32x2_t low = vmovn_u64(vreinterpretq_u64_s64(a));
    return vreinterpretq_s64_u64(vmull_u32(low, vdup_n_u32(b)));
}
/* By each element's count: to the left, or to the right if it is negative. The instruction reads a
 * count's last byte. */
LANES_INLINE vec v_shift(vec a, vec counts)
{
    const vec bounded = v_max32(v_min32(counts, v_set(64)), v_set(-64));
    return vreinterpretq_s64_u64(vshlq_u64(vreinterpretq_u64_s64(a), bounded));
}
LANES_INLINE vec v_negative(vec a)
{
    return vshrq_n_s64(a, 63);
}
LANES_BINARY(mask, m_gt, vec, vcgtq_s64)
LANES_BINARY(mask, m_eq, vec, vceqq_s64)
/* at ? a : b; a or 0 where `at`, 0 or a */
LANES_INLINE vec v_blend(mask at, vec a, vec b)
{
    return vbslq_s64(at, a, b);
}
LANES_INLINE vec v_keep(mask at, vec a)
{
    return vandq_s64(vreinterpretq_s64_u64(at), a);
}
LANES_INLINE vec v_drop(mask at, vec a)
{
    return vbicq_s64(a, vreinterpretq_s64_u64(at));
}
LANES_INLINE bool v_any(vec a)
{
    return vmaxvq_u32(vreinterpretq_u32_s64(a)) != 0;
}
LANES_UNARY(vec, v_of, dbl, vreinterpretq_s64_f64)
LANES_UNARY(dbl, d_of, vec, vreinterpretq_f64_s64)
LANES_UNARY(dbl, d_set, double, vdupq_n_f64)
LANES_BINARY(dbl, d_add, dbl, vaddq_f64)
LANES_BINARY(dbl, d_sub, dbl, vsubq_f64)
LANES_BINARY(dbl, d_mul, dbl, vmulq_f64)
/* Elements that are zero. */
LANES_UNARY(mask, d_is_zero, dbl, vceqzq_f64)
/* Rounded to nearest; *rest, unless NULL, is what was cut off. |a| <= 2^62 */
LANES_INLINE dbl d_convert(vec a, dbl *rest)
{
    const dbl d = vcvtq_f64_s64(a);
    if (rest)
        *rest = vcvtq_f64_s64(v_sub(a, vcvtq_s64_f64(d)));
    return d;
}
/* Towards zero. */
LANES_UNARY(vec, v_truncate, dbl, vcvtq_s64_f64)
/* c - a b */
LANES_INLINE dbl d_subtract_product(dbl a, dbl b, dbl c)
{
    return vfmsq_f64(c, a, b);
}
/* The larger magnitude. */
LANES_INLINE dbl d_largest(dbl a, dbl b)
{
    return vmaxq_f64(vabsq_f64(a), vabsq_f64(b));
}

/* Terms j and j + 1 as doubles. */
LANES_INLINE vec v_terms(enum summand__lanes_type type, const void *x, size_t j)
{
    const uint8_t *p = (const uint8_t *)x + j * (size_t)lanes_binary(type).bytes;
    if (type == SUMMAND__LANES_F64)
        return vreinterpretq_s64_u8(vld1q_u8(p));
    if (type == SUMMAND__LANES_F32)
        return v_of(vcvt_f64_f32(vreinterpret_f32_u8(vld1_u8(p))));
    const uint64_t pair[2] = {lanes_load(type, x, j), lanes_load(type, x, j + 1)};
    return vreinterpretq_s64_u64(vld1q_u64(pair));
}

/* Stores doubles, rounded to odd for types that are narrower. */
LANES_INLINE void v_results(enum summand__lanes_type type, void *y, size_t j, dbl d)
{
    uint8_t *p = (uint8_t *)y + j * (size_t)lanes_binary(type).bytes;
    if (type == SUMMAND__LANES_F64) {
        vst1q_u8(p, vreinterpretq_u8_f64(d));
        return;
    }
    if (type == SUMMAND__LANES_F32) {
        vst1_u8(p, vreinterpret_u8_f32(vcvt_f32_f64(d)));
        return;
    }
    /* The 24 leading bits as floats rounded to odd, then the rounding to nearest even. */
    const uint32x2_t bits = vreinterpret_u32_f32(vcvtx_f32_f64(d));
    const uint32x2_t even = vand_u32(vshr_n_u32(bits, 16), vdup_n_u32(1));
    const uint32x2_t up = vadd_u32(even, vdup_n_u32(0x7fff));
    uint16x4_t half = vmovn_u32(vcombine_u32(vshr_n_u32(vadd_u32(bits, up), 16), vdup_n_u32(0)));
    if (type == SUMMAND__LANES_F16) {
        const float32x2_t single = vreinterpret_f32_u32(bits);
        half = vreinterpret_u16_f16(vcvt_f16_f32(vcombine_f32(single, single)));
    }
    const uint32_t both = vget_lane_u32(vreinterpret_u32_u16(half), 0);
    memcpy(p, &both, sizeof both);
}

LANES_INLINE void lanes_widen(struct summand__lanes_range *range, double most, double least);

/* The lowest set bit of x is x less x without it, or x itself if it is a power of two. The minimum
 * and maximum ignore NaNs: the differences for infinities and NaNs. */
LANES_INLINE void lanes_range_full(enum summand__lanes_type type, const void *x, size_t count,
                                   struct summand__lanes_range *range)
{
    const vec infinity = v_set((int64_t)LANES_INF), zero = v_set(0);
    dbl most = d_set(0), least = d_of(infinity);
    vec special = zero;
    for (size_t j = 0; j < count; j += WIDTH) {
        const vec term = v_terms(type, x, j), size = v_and(term, v_set(INT64_MAX));
        const vec cut = v_and(size, v_or(v_add(size, v_set(-1)), infinity));
        const dbl lowest = d_sub(d_of(size), d_of(cut));
        const vec unit = v_blend(m_eq(v_of(lowest), zero), size, v_of(lowest));
        least = vminnmq_f64(least, d_of(v_or(unit, v_keep(m_eq(unit, zero), infinity))));
        most = vmaxnmq_f64(most, d_add(lowest, d_of(cut)));
        const mask odd =
            vorrq_u64(m_gt(size, v_set((int64_t)LANES_INF - 1)), m_eq(term, v_set(INT64_MIN)));
        special = v_or(special, vreinterpretq_s64_u64(odd));
    }
    for (unsigned i = 0; i < WIDTH; i++)
        lanes_widen(range, most[i], least[i]);
    range->special |= v_any(special);
}

#include "kernel/lanes_simd.inc.h"

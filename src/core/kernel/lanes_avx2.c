/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX2: 4 elements. It lacks conversions of 64-bit integers and arithmetic shifts of them. */
#include <immintrin.h>

#include "kernel/lanes_one.h"

#define WIDTH 4
#define TABLE summand__lanes_avx2

typedef __m256i vec;
typedef __m256d dbl;
typedef __m256i mask;

LANES_UNARY(vec, v_set, int64_t, _mm256_set1_epi64x)
LANES_INLINE vec v_load(const int64_t *p)
{
    return _mm256_loadu_si256((const void *)p);
}
LANES_INLINE void v_store(int64_t *p, vec a)
{
    _mm256_storeu_si256((void *)p, a);
}
LANES_BINARY(vec, v_add, vec, _mm256_add_epi64)
LANES_BINARY(vec, v_sub, vec, _mm256_sub_epi64)
LANES_BINARY(vec, v_and, vec, _mm256_and_si256)
/* b without the bits of a */
LANES_BINARY(vec, v_andnot, vec, _mm256_andnot_si256)
LANES_BINARY(vec, v_or, vec, _mm256_or_si256)
LANES_BINARY(vec, v_xor, vec, _mm256_xor_si256)
LANES_INLINE vec v_sll(vec a, unsigned count)
{
    return _mm256_sll_epi64(a, _mm_cvtsi32_si128((int)count));
}
LANES_INLINE vec v_srl(vec a, unsigned count)
{
    return _mm256_srl_epi64(a, _mm_cvtsi32_si128((int)count));
}
LANES_INLINE vec v_sra(vec a, unsigned count)
{
    const vec sign = v_set(INT64_MIN);
    return v_sub(v_srl(v_xor(a, sign), count), v_srl(sign, count));
}
/* By each element's count: to the left, or to the right if it is negative. */
LANES_INLINE vec v_shift(vec a, vec counts)
{
    return v_or(_mm256_sllv_epi64(a, counts), _mm256_srlv_epi64(a, v_sub(v_set(0), counts)));
}
LANES_INLINE vec v_negative(vec a)
{
    return _mm256_cmpgt_epi64(v_set(0), a);
}
LANES_BINARY(mask, m_gt, vec, _mm256_cmpgt_epi64)
LANES_BINARY(mask, m_eq, vec, _mm256_cmpeq_epi64)
/* Of 32-bit halves. */
LANES_BINARY(vec, v_max32, vec, _mm256_max_epi32)
LANES_BINARY(vec, v_min32, vec, _mm256_min_epi32)
LANES_INLINE vec v_mul32(vec a, int b)
{
    return _mm256_mul_epi32(a, _mm256_set1_epi64x(b));
}
LANES_INLINE vec v_mul32u(vec a, uint32_t b)
{
    return _mm256_mul_epu32(a, _mm256_set1_epi64x(b));
}
/* at ? a : b; a or 0 where `at`, 0 or a */
LANES_INLINE vec v_blend(mask at, vec a, vec b)
{
    return _mm256_blendv_epi8(b, a, at);
}
LANES_INLINE vec v_keep(mask at, vec a)
{
    return _mm256_and_si256(at, a);
}
LANES_INLINE vec v_drop(mask at, vec a)
{
    return _mm256_andnot_si256(at, a);
}
LANES_INLINE bool v_any(vec a)
{
    return !_mm256_testz_si256(a, a);
}
LANES_UNARY(vec, v_of, dbl, _mm256_castpd_si256)
LANES_UNARY(dbl, d_of, vec, _mm256_castsi256_pd)
LANES_UNARY(dbl, d_set, double, _mm256_set1_pd)
LANES_BINARY(dbl, d_add, dbl, _mm256_add_pd)
LANES_BINARY(dbl, d_sub, dbl, _mm256_sub_pd)
LANES_BINARY(dbl, d_mul, dbl, _mm256_mul_pd)
/* Elements that are zero. */
LANES_INLINE mask d_is_zero(dbl a)
{
    return v_of(_mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_EQ_OQ));
}
/* Rounded to nearest; *rest, unless NULL, is what was cut off. The halves of a are the last bits of
 * large doubles. */
LANES_INLINE dbl d_convert(vec a, dbl *rest)
{
    const vec high = v_xor(_mm256_srli_epi64(a, 32), v_of(d_set(0x1p84 + 0x1p63)));
    const dbl low = d_sub(d_of(_mm256_blend_epi32(a, v_of(d_set(0x1p52)), 0xaa)), d_set(0x1p52));
    const dbl top = d_sub(d_of(high), d_set(0x1p84 + 0x1p63)), d = d_add(top, low);
    if (rest)
        *rest = d_sub(low, d_sub(d, top));
    return d;
}

/* 4 halves of IEEE: their magnitudes times 2^112 as floats. */
LANES_INLINE __m128 from_f16(__m128i half)
{
    const __m128i size = _mm_and_si128(half, _mm_set1_epi32(0x7fff));
    const __m128i sign = _mm_slli_epi32(_mm_xor_si128(half, size), 16);
    const __m128 finite =
        _mm_mul_ps(_mm_castsi128_ps(_mm_slli_epi32(size, 13)), _mm_set1_ps(0x1p112f));
    const __m128i special =
        _mm_and_si128(_mm_cmpgt_epi32(size, _mm_set1_epi32(0x7bff)), _mm_set1_epi32(0x7f800000));
    return _mm_castsi128_ps(_mm_or_si128(_mm_or_si128(_mm_castps_si128(finite), special), sign));
}

/* Terms j to j + WIDTH - 1 as doubles. */
LANES_INLINE vec v_terms(enum summand__lanes_type type, const void *x, size_t j)
{
    const char *p = (const char *)x + j * (size_t)lanes_binary(type).bytes;
    if (type == SUMMAND__LANES_F64)
        return _mm256_loadu_si256((const void *)p);
    if (type == SUMMAND__LANES_F32)
        return v_of(_mm256_cvtps_pd(_mm_loadu_ps((const void *)p)));
    const __m128i half = _mm_cvtepu16_epi32(_mm_loadl_epi64((const void *)p));
    return v_of(_mm256_cvtps_pd(
        type == SUMMAND__LANES_BF16 ? _mm_castsi128_ps(_mm_slli_epi32(half, 16)) : from_f16(half)));
}

/* The 24 leading bits of doubles that are rounded to odd, as floats rounded to odd. */
LANES_INLINE __m128i to_float_odd(dbl d)
{
    const vec below = v_set((1 << 29) - 1);
    const vec exact = m_eq(v_and(v_of(d), below), v_set(0));
    const vec kept = v_or(v_andnot(below, v_of(d)), v_andnot(exact, v_set(1 << 29)));
    return _mm_castps_si128(_mm256_cvtpd_ps(d_of(kept)));
}

/* Bits of 4 floats, of which the last 16 or 13 bits go: to nearest even. */
LANES_INLINE __m128i cut_even(__m128i bits, int drop)
{
    const __m128i even = _mm_and_si128(_mm_srli_epi32(bits, drop), _mm_set1_epi32(1));
    const __m128i up = _mm_add_epi32(even, _mm_set1_epi32((1 << (drop - 1)) - 1));
    return _mm_srli_epi32(_mm_add_epi32(bits, up), drop);
}

/* Adding 1/2 rounds denormals of binary16 to their last place. */
LANES_INLINE __m128i to_f16(__m128i bits)
{
    const __m128i size = _mm_and_si128(bits, _mm_set1_epi32(INT32_MAX));
    const __m128i sign = _mm_srli_epi32(_mm_xor_si128(bits, size), 16);
    const __m128i infinite = _mm_cmpgt_epi32(size, _mm_set1_epi32(0x477fefff));
    const __m128i tiny = _mm_cmpgt_epi32(_mm_set1_epi32(0x38800000), size);
    const __m128i normal = _mm_sub_epi32(cut_even(size, 13), _mm_set1_epi32(112 << 10));
    const __m128 half = _mm_set1_ps(0.5f);
    const __m128i denormal = _mm_sub_epi32(
        _mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(size), half)), _mm_castps_si128(half));
    const __m128i finite = _mm_blendv_epi8(normal, denormal, tiny);
    return _mm_or_si128(_mm_blendv_epi8(finite, _mm_set1_epi32(0x7c00), infinite), sign);
}

/* Stores doubles, rounded to odd for types that are narrower. */
LANES_INLINE void v_results(enum summand__lanes_type type, void *y, size_t j, dbl d)
{
    char *p = (char *)y + j * (size_t)lanes_binary(type).bytes;
    if (type == SUMMAND__LANES_F64)
        _mm256_storeu_pd((void *)p, d);
    else if (type == SUMMAND__LANES_F32)
        _mm_storeu_ps((void *)p, _mm256_cvtpd_ps(d));
    else {
        const __m128i bits = to_float_odd(d);
        const __m128i half = type == SUMMAND__LANES_F16 ? to_f16(bits) : cut_even(bits, 16);
        _mm_storel_epi64((void *)p, _mm_packus_epi32(half, half));
    }
}

LANES_INLINE void lanes_widen(struct summand__lanes_range *range, double most, double least);

/* The lowest set bit of x is x less x without it, or x itself if it is a power of two. Minimum and
 * maximum ignore a first operand that is NaN: the difference for an infinity or a NaN. */
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
        const vec several = m_eq(v_of(lowest), zero);
        const vec unit = v_blend(several, size, v_of(lowest));
        least = _mm256_min_pd(d_of(v_or(unit, v_and(m_eq(unit, zero), infinity))), least);
        most = _mm256_max_pd(d_add(lowest, d_of(cut)), most);
        special = v_or(
            special, v_or(m_gt(size, v_set((int64_t)LANES_INF - 1)), m_eq(term, v_set(INT64_MIN))));
    }
    double high[WIDTH], low[WIDTH];
    _mm256_storeu_pd(high, most);
    _mm256_storeu_pd(low, least);
    for (unsigned i = 0; i < WIDTH; i++)
        lanes_widen(range, high[i], low[i]);
    range->special |= v_any(special);
}

#include "kernel/lanes_simd.inc.h"

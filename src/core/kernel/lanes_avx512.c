/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX-512: 8 elements. */
#include <immintrin.h>

#include "kernel/lanes_one.h"

#define WIDTH 8
#define TABLE summand__lanes_avx512
#define LANES_CONVERTS

typedef __m512i vec;
typedef __m512d dbl;
typedef __mmask8 mask;

LANES_UNARY(vec, v_set, int64_t, _mm512_set1_epi64)
LANES_INLINE vec v_load(const int64_t *p)
{
    return _mm512_loadu_si512(p);
}
LANES_INLINE void v_store(int64_t *p, vec a)
{
    _mm512_storeu_si512(p, a);
}
LANES_BINARY(vec, v_add, vec, _mm512_add_epi64)
LANES_BINARY(vec, v_sub, vec, _mm512_sub_epi64)
LANES_BINARY(vec, v_and, vec, _mm512_and_si512)
/* b without the bits of a */
LANES_BINARY(vec, v_andnot, vec, _mm512_andnot_si512)
LANES_BINARY(vec, v_or, vec, _mm512_or_si512)
LANES_BINARY(vec, v_xor, vec, _mm512_xor_si512)
/* One operation; shifts by one count for all take two. */
LANES_INLINE vec v_sll(vec a, unsigned count)
{
    return _mm512_sllv_epi64(a, v_set(count));
}
LANES_INLINE vec v_srl(vec a, unsigned count)
{
    return _mm512_srlv_epi64(a, v_set(count));
}
LANES_INLINE vec v_sra(vec a, unsigned count)
{
    return _mm512_srav_epi64(a, v_set(count));
}
/* By each element's count: to the left, or to the right if it is negative. */
LANES_INLINE vec v_shift(vec a, vec counts)
{
    return v_or(_mm512_sllv_epi64(a, counts), _mm512_srlv_epi64(a, v_sub(v_set(0), counts)));
}
LANES_INLINE vec v_negative(vec a)
{
    return _mm512_srai_epi64(a, 63);
}
LANES_BINARY(mask, m_gt, vec, _mm512_cmpgt_epi64_mask)
LANES_BINARY(mask, m_eq, vec, _mm512_cmpeq_epi64_mask)
/* Of 32-bit halves. */
LANES_BINARY(vec, v_max32, vec, _mm512_max_epi32)
LANES_BINARY(vec, v_min32, vec, _mm512_min_epi32)
LANES_INLINE vec v_mul32(vec a, int b)
{
    return _mm512_mul_epi32(a, _mm512_set1_epi64(b));
}
LANES_INLINE vec v_mul32u(vec a, uint32_t b)
{
    return _mm512_mul_epu32(a, _mm512_set1_epi32((int)b));
}
/* at ? a : b; a or 0 where `at`, 0 or a */
LANES_INLINE vec v_blend(mask at, vec a, vec b)
{
    return _mm512_mask_mov_epi64(b, at, a);
}
LANES_INLINE vec v_keep(mask at, vec a)
{
    return _mm512_maskz_mov_epi64(at, a);
}
LANES_INLINE vec v_drop(mask at, vec a)
{
    return _mm512_maskz_mov_epi64((mask)~at, a);
}
LANES_INLINE bool v_any(vec a)
{
    return _mm512_test_epi64_mask(a, a);
}
LANES_UNARY(vec, v_of, dbl, _mm512_castpd_si512)
LANES_UNARY(dbl, d_of, vec, _mm512_castsi512_pd)
LANES_UNARY(dbl, d_set, double, _mm512_set1_pd)
LANES_BINARY(dbl, d_add, dbl, _mm512_add_pd)
LANES_BINARY(dbl, d_sub, dbl, _mm512_sub_pd)
LANES_BINARY(dbl, d_mul, dbl, _mm512_mul_pd)
/* Elements that are zero. */
LANES_INLINE mask d_is_zero(dbl a)
{
    return _mm512_cmp_pd_mask(a, _mm512_setzero_pd(), _CMP_EQ_OQ);
}
/* Rounded to nearest; *rest, unless NULL, is what was cut off. |a| <= 2^62 */
LANES_INLINE dbl d_convert(vec a, dbl *rest)
{
    const dbl d = _mm512_cvtepi64_pd(a);
    if (rest)
        *rest = _mm512_cvtepi64_pd(_mm512_sub_epi64(a, _mm512_cvttpd_epi64(d)));
    return d;
}

/* Towards zero. */
LANES_UNARY(vec, v_truncate, dbl, _mm512_cvttpd_epi64)
/* c - a b */
LANES_INLINE dbl d_subtract_product(dbl a, dbl b, dbl c)
{
    return _mm512_fnmadd_pd(a, b, c);
}
/* The larger magnitude. */
LANES_INLINE dbl d_largest(dbl a, dbl b)
{
    enum { MOST_SIZE = 0x0b };
    return _mm512_range_pd(a, b, MOST_SIZE);
}

/* Terms j to j + WIDTH - 1 as doubles. */
LANES_INLINE vec v_terms(enum summand__lanes_type type, const void *x, size_t j)
{
    const char *p = (const char *)x + j * (size_t)lanes_binary(type).bytes;
    if (type == SUMMAND__LANES_F64)
        return _mm512_loadu_si512(p);
    if (type == SUMMAND__LANES_F32)
        return v_of(_mm512_cvtps_pd(_mm256_loadu_ps((const void *)p)));
    const __m128i half = _mm_loadu_si128((const void *)p);
    if (type == SUMMAND__LANES_BF16)
        return v_of(_mm512_cvtps_pd(
            _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16))));
    return v_of(
        _mm512_cvtps_pd(_mm512_castps512_ps256(_mm512_cvtph_ps(_mm256_castsi128_si256(half)))));
}

/* The 24 leading bits of doubles that are rounded to odd, as floats rounded to odd. */
LANES_INLINE __m256 to_float_odd(dbl d)
{
    const vec below = v_set((1 << 29) - 1);
    const __mmask8 cut = _mm512_test_epi64_mask(v_of(d), below);
    const vec kept = _mm512_andnot_si512(below, v_of(d));
    return _mm512_cvtpd_ps(d_of(_mm512_mask_or_epi64(kept, cut, kept, v_set(1 << 29))));
}

/* Stores doubles, rounded to odd for types that are narrower. */
LANES_INLINE void v_results(enum summand__lanes_type type, void *y, size_t j, dbl d)
{
    char *p = (char *)y + j * (size_t)lanes_binary(type).bytes;
    if (type == SUMMAND__LANES_F64)
        _mm512_storeu_pd(p, d);
    else if (type == SUMMAND__LANES_F32)
        _mm256_storeu_ps((void *)p, _mm512_cvtpd_ps(d));
    else if (type == SUMMAND__LANES_F16)
        _mm_storeu_si128((void *)p, _mm256_castsi256_si128(_mm512_cvtps_ph(
                                        _mm512_castps256_ps512(to_float_odd(d)),
                                        _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)));
    else {
        const __m256i bits = _mm256_castps_si256(to_float_odd(d)), one = _mm256_set1_epi32(1);
        const __m256i even = _mm256_and_si256(_mm256_srli_epi32(bits, 16), one);
        const __m256i up = _mm256_add_epi32(even, _mm256_set1_epi32(0x7fff));
        _mm_storeu_si128((void *)p,
                         _mm256_cvtepi32_epi16(_mm256_srli_epi32(_mm256_add_epi32(bits, up), 16)));
    }
}

LANES_INLINE void lanes_widen(struct summand__lanes_range *range, double most, double least);

/* The lowest set bit of x is x less x without it, or x itself if it is a power of two. */
LANES_INLINE void lanes_range_full(enum summand__lanes_type type, const void *x, size_t count,
                                   struct summand__lanes_range *range)
{
    enum { NAN_ZERO_INF = 0x9f, NAN_INF_MINUS_ZERO = 0x9d };
    const vec infinity = v_set((int64_t)LANES_INF);
    dbl most = d_set(0), least = d_of(infinity);
    unsigned special = 0;
    for (size_t j = 0; j < count; j += WIDTH) {
        const vec term = v_terms(type, x, j), size = v_and(term, v_set(INT64_MAX));
        /* size & (size - 1 | exponent) */
        const vec cut = _mm512_ternarylogic_epi64(size, v_add(size, v_set(-1)), infinity, 0xe0);
        const dbl lowest = d_sub(d_of(size), d_of(cut));
        const __mmask8 several = _mm512_cmp_pd_mask(lowest, _mm512_setzero_pd(), _CMP_NEQ_UQ);
        const dbl unit = _mm512_mask_mov_pd(d_of(size), several, lowest);
        const __mmask8 finite = (__mmask8)~_mm512_fpclass_pd_mask(unit, NAN_ZERO_INF);
        least = _mm512_mask_min_pd(least, finite, least, unit);
        most = _mm512_mask_max_pd(most, finite, most, d_of(size));
        special |= _mm512_fpclass_pd_mask(d_of(term), NAN_INF_MINUS_ZERO);
    }
    lanes_widen(range, _mm512_reduce_max_pd(most), _mm512_reduce_min_pd(least));
    range->special |= special != 0;
}

#include "kernel/lanes_simd.inc.h"

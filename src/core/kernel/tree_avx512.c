/* SPDX-License-Identifier: BSD-3-Clause */
#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#include "kernel/tree_kernels.h"

/* Otherwise the compiler loads a vector again as an operand of its second shuffle; if the data are
 * not aligned to 64 bytes, each load touches two cache lines. */
static inline __m512d load_f64(const double *p)
{
    __m512d v = _mm512_loadu_pd(p);
    __asm__("" : "+v"(v));
    return v;
}

static inline __m512 load_f32(const float *p)
{
    __m512 v = _mm512_loadu_ps(p);
    __asm__("" : "+v"(v));
    return v;
}

/* Step 1 pairs neighbours of a with a and of b with b: A0 B0 A1 B1 .. where A0 is a[0] op a[1].
 * Steps 2 and 3 pair 128-bit lanes, which come out in order at the end. */
#define SUFFIX f64
#define T double
#define V __m512d
#define W 8
#define B 3
#define V_LOAD(p) load_f64(p)
#define V_STORE(p, v) _mm512_storeu_pd(p, v)
#define V_FIRST(v) _mm512_cvtsd_f64(v)
#define V_ADD(a, b) _mm512_add_pd(a, b)
#define V_MUL(a, b) _mm512_mul_pd(a, b)
#define V_MIN(a, b) _mm512_min_pd(a, b)
#define V_MAX(a, b) _mm512_max_pd(a, b)
#define V_ABS(a) _mm512_abs_pd(a)
#define S_ABS(a) fabs(a)
#define V_LEFT1(a, b) _mm512_unpacklo_pd(a, b)
#define V_RIGHT1(a, b) _mm512_unpackhi_pd(a, b)
#define V_LEFT2(a, b) _mm512_shuffle_f64x2(a, b, 0x88)
#define V_RIGHT2(a, b) _mm512_shuffle_f64x2(a, b, 0xdd)
#define V_LEFT3(a, b) _mm512_shuffle_f64x2(a, b, 0x88)
#define V_RIGHT3(a, b) _mm512_shuffle_f64x2(a, b, 0xdd)
#include "kernel/tree_kinds.inc.h"

/* Steps 1 and 2 work within 128-bit lanes, steps 3 and 4 pair these. */
#define SUFFIX f32
#define T float
#define V __m512
#define W 16
#define B 4
#define V_LOAD(p) load_f32(p)
#define V_STORE(p, v) _mm512_storeu_ps(p, v)
#define V_FIRST(v) _mm512_cvtss_f32(v)
#define V_ADD(a, b) _mm512_add_ps(a, b)
#define V_MUL(a, b) _mm512_mul_ps(a, b)
#define V_MIN(a, b) _mm512_min_ps(a, b)
#define V_MAX(a, b) _mm512_max_ps(a, b)
#define V_ABS(a) _mm512_abs_ps(a)
#define S_ABS(a) fabsf(a)
#define V_LEFT1(a, b) _mm512_shuffle_ps(a, b, 0x88)
#define V_RIGHT1(a, b) _mm512_shuffle_ps(a, b, 0xdd)
#define V_LEFT2(a, b) _mm512_shuffle_ps(a, b, 0x88)
#define V_RIGHT2(a, b) _mm512_shuffle_ps(a, b, 0xdd)
#define V_LEFT3(a, b) _mm512_shuffle_f32x4(a, b, 0x88)
#define V_RIGHT3(a, b) _mm512_shuffle_f32x4(a, b, 0xdd)
#define V_LEFT4(a, b) _mm512_shuffle_f32x4(a, b, 0x88)
#define V_RIGHT4(a, b) _mm512_shuffle_f32x4(a, b, 0xdd)
#include "kernel/tree_kinds.inc.h"

const struct summand__tree_kernels summand__tree_avx512 = SUMMAND__TREE_TABLE;

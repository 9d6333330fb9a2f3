/* SPDX-License-Identifier: BSD-3-Clause */
#include <immintrin.h>
#include <math.h>
#include <stdint.h>

#include "kernel/tree_kernels.h"

/* Otherwise the compiler loads a vector again as an operand of its second shuffle; if the data are
 * not aligned to 32 bytes, every second load touches two cache lines. */
static inline __m256d load_f64(const double *p)
{
    __m256d v = _mm256_loadu_pd(p);
    __asm__("" : "+x"(v));
    return v;
}

static inline __m256 load_f32(const float *p)
{
    __m256 v = _mm256_loadu_ps(p);
    __asm__("" : "+x"(v));
    return v;
}

/* Step 1 pairs neighbours of a with a and of b with b: A0 B0 A1 B1, where A0 is a[0] op a[1].
 * Step 2 pairs 128-bit lanes, which come out in order. */
#define SUFFIX f64
#define T double
#define V __m256d
#define W 4
#define B 2
#define V_LOAD(p) load_f64(p)
#define V_STORE(p, v) _mm256_storeu_pd(p, v)
#define V_FIRST(v) _mm256_cvtsd_f64(v)
#define V_ADD(a, b) _mm256_add_pd(a, b)
#define V_MUL(a, b) _mm256_mul_pd(a, b)
#define V_MIN(a, b) _mm256_min_pd(a, b)
#define V_MAX(a, b) _mm256_max_pd(a, b)
#define V_ABS(a) _mm256_andnot_pd(_mm256_set1_pd(-0.0), a)
#define S_ABS(a) fabs(a)
#define V_LEFT1(a, b) _mm256_unpacklo_pd(a, b)
#define V_RIGHT1(a, b) _mm256_unpackhi_pd(a, b)
#define V_LEFT2(a, b) _mm256_permute2f128_pd(a, b, 0x20)
#define V_RIGHT2(a, b) _mm256_permute2f128_pd(a, b, 0x31)
#include "kernel/tree_kinds.inc.h"

/* Steps 1 and 2 work within 128-bit lanes, step 3 pairs these. */
#define SUFFIX f32
#define T float
#define V __m256
#define W 8
#define B 3
#define V_LOAD(p) load_f32(p)
#define V_STORE(p, v) _mm256_storeu_ps(p, v)
#define V_FIRST(v) _mm256_cvtss_f32(v)
#define V_ADD(a, b) _mm256_add_ps(a, b)
#define V_MUL(a, b) _mm256_mul_ps(a, b)
#define V_MIN(a, b) _mm256_min_ps(a, b)
#define V_MAX(a, b) _mm256_max_ps(a, b)
#define V_ABS(a) _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define S_ABS(a) fabsf(a)
#define V_LEFT1(a, b) _mm256_shuffle_ps(a, b, 0x88)
#define V_RIGHT1(a, b) _mm256_shuffle_ps(a, b, 0xdd)
#define V_LEFT2(a, b) _mm256_shuffle_ps(a, b, 0x88)
#define V_RIGHT2(a, b) _mm256_shuffle_ps(a, b, 0xdd)
#define V_LEFT3(a, b) _mm256_permute2f128_ps(a, b, 0x20)
#define V_RIGHT3(a, b) _mm256_permute2f128_ps(a, b, 0x31)
#include "kernel/tree_kinds.inc.h"

const struct summand__tree_kernels summand__tree_avx2 = SUMMAND__TREE_TABLE;

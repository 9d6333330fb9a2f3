/* SPDX-License-Identifier: BSD-3-Clause */
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "compute/outer_kernels.h"
#include "compute/outer_turn.h"
#include "kernel/half.h"

/* 12 of the 16 registers hold a block. */
#define SUFFIX f64
#define T double
#define V __m256d
#define W 4
#define C 2
#define TALL 6
#define V_LOAD(p) _mm256_loadu_pd(p)
#define V_STORE(p, v) _mm256_storeu_pd(p, v)
#define V_STREAM(p, v) _mm256_stream_pd(p, v)
#define HAS_STREAM true
#define V_ZERO _mm256_setzero_pd()
#define V_FILL(p) _mm256_broadcast_sd(p)
#define V_MUL(x, y) _mm256_mul_pd(x, y)
#define V_FMA(x, y, s) _mm256_fmadd_pd(x, y, s)
#define V_CANONICAL(v) _mm256_blendv_pd(v, _mm256_set1_pd(NAN), _mm256_cmp_pd(v, v, _CMP_UNORD_Q))
#define S_FMA(x, y, s) fma(x, y, s)
#define TURN 4
#define TURN_BLOCK(from, ld, to, width) outer_turn_f64(from, ld, to, width)
#include "compute/outer_simd.inc.h"

#define OUTER_HALVES
#define SUFFIX f32
#define T float
#define V __m256
#define W 8
#define C 2
#define TALL 6
#define V_LOAD(p) _mm256_loadu_ps(p)
#define V_STORE(p, v) _mm256_storeu_ps(p, v)
#define V_STREAM(p, v) _mm256_stream_ps(p, v)
#define HAS_STREAM true
#define V_ZERO _mm256_setzero_ps()
#define V_FILL(p) _mm256_broadcast_ss(p)
#define V_MUL(x, y) _mm256_mul_ps(x, y)
#define V_FMA(x, y, s) _mm256_fmadd_ps(x, y, s)
#define V_CANONICAL(v) _mm256_blendv_ps(v, _mm256_set1_ps(NAN), _mm256_cmp_ps(v, v, _CMP_UNORD_Q))
#define S_FMA(x, y, s) fmaf(x, y, s)
#define TURN 8
#define TURN_BLOCK(from, ld, to, width) outer_turn_f32(from, ld, to, width)
#include "compute/outer_simd.inc.h"

const struct outer_kernels summand__outer_avx2 = OUTER_TABLE;

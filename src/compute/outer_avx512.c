/* SPDX-License-Identifier: BSD-3-Clause */
#include <immintrin.h>
#include <math.h>
#include <string.h>

#include "compute/outer_kernels.h"
#include "compute/outer_turn.h"
#include "kernel/half.h"

/* 24 of the 32 registers hold a block. Results that bypass the caches reach memory faster if fewer
 * rows are written at a time. In units of the time of stores alone, 1 pair takes 1.01 by blocks of
 * 4 x 6 vectors and 1.18 by 8 x 3; 4 pairs take 1.17 and 1.25. More pairs take some per cent longer
 * by 4 x 6 (Xeon, family 6, model 207, two cores at once). */
#define OUTER_TWIN_ROWS 4
#define SUFFIX f64
#define T double
#define V __m512d
#define W 8
#define C 3
#define TALL 8
#define V_LOAD(p) _mm512_loadu_pd(p)
#define V_STORE(p, v) _mm512_storeu_pd(p, v)
#define V_STREAM(p, v) _mm512_stream_pd(p, v)
#define HAS_STREAM true
#define V_ZERO _mm512_setzero_pd()
#define V_FILL(p) _mm512_set1_pd(*(p))
#define V_MUL(x, y) _mm512_mul_pd(x, y)
#define V_FMA(x, y, s) _mm512_fmadd_pd(x, y, s)
#define V_CANONICAL(v)                                                                             \
    _mm512_mask_mov_pd(v, _mm512_cmp_pd_mask(v, v, _CMP_UNORD_Q), _mm512_set1_pd(NAN))
#define S_FMA(x, y, s) fma(x, y, s)
#define TURN 4
#define TURN_BLOCK(from, ld, to, width) outer_turn_f64(from, ld, to, width)
#include "compute/outer_simd.inc.h"

#define OUTER_HALVES
#define SUFFIX f32
#define T float
#define V __m512
#define W 16
#define C 3
#define TALL 8
#define V_LOAD(p) _mm512_loadu_ps(p)
#define V_STORE(p, v) _mm512_storeu_ps(p, v)
#define V_STREAM(p, v) _mm512_stream_ps(p, v)
#define HAS_STREAM true
#define V_ZERO _mm512_setzero_ps()
#define V_FILL(p) _mm512_set1_ps(*(p))
#define V_MUL(x, y) _mm512_mul_ps(x, y)
#define V_FMA(x, y, s) _mm512_fmadd_ps(x, y, s)
#define V_CANONICAL(v)                                                                             \
    _mm512_mask_mov_ps(v, _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q), _mm512_set1_ps(NAN))
#define S_FMA(x, y, s) fmaf(x, y, s)
#define TURN 8
#define TURN_BLOCK(from, ld, to, width) outer_turn_f32(from, ld, to, width)
#include "compute/outer_simd.inc.h"

const struct outer_kernels summand__outer_avx512 = OUTER_TABLE;

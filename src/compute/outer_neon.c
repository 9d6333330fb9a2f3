/* SPDX-License-Identifier: BSD-3-Clause */
#include <arm_neon.h>
#include <math.h>
#include <string.h>

#include "compute/outer_kernels.h"
#include "kernel/half.h"

/* 24 of the 32 registers hold a block. */
#define SUFFIX f64
#define T double
#define V float64x2_t
#define W 2
#define C 4
#define TALL 6
#define V_LOAD(p) vld1q_f64(p)
#define V_STORE(p, v) vst1q_f64(p, v)
#define V_STREAM(p, v) vst1q_f64(p, v)
#define HAS_STREAM false
#define V_ZERO vdupq_n_f64(0)
#define V_FILL(p) vld1q_dup_f64(p)
#define V_MUL(x, y) vmulq_f64(x, y)
#define V_FMA(x, y, s) vfmaq_f64(s, x, y)
#define V_CANONICAL(v) vbslq_f64(vceqq_f64(v, v), v, vdupq_n_f64(NAN))
#define S_FMA(x, y, s) fma(x, y, s)
#define TURN 1
#define TURN_BLOCK(from, ld, to, width) ((void)0)
#include "compute/outer_simd.inc.h"

#define OUTER_HALVES
#define SUFFIX f32
#define T float
#define V float32x4_t
#define W 4
#define C 4
#define TALL 6
#define V_LOAD(p) vld1q_f32(p)
#define V_STORE(p, v) vst1q_f32(p, v)
#define V_STREAM(p, v) vst1q_f32(p, v)
#define HAS_STREAM false
#define V_ZERO vdupq_n_f32(0)
#define V_FILL(p) vld1q_dup_f32(p)
#define V_MUL(x, y) vmulq_f32(x, y)
#define V_FMA(x, y, s) vfmaq_f32(s, x, y)
#define V_CANONICAL(v) vbslq_f32(vceqq_f32(v, v), v, vdupq_n_f32(NAN))
#define S_FMA(x, y, s) fmaf(x, y, s)
#define TURN 1
#define TURN_BLOCK(from, ld, to, width) ((void)0)
#include "compute/outer_simd.inc.h"

const struct outer_kernels summand__outer_neon = OUTER_TABLE;

/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "compute/outer_kernels.h"
#include "kernel/half.h"

#ifndef __FP_FAST_FMA
#define OUTER_LOOPS
#endif

/* A vector is one number. If the processor lacks the operation, fma() takes many instructions; its
 * bits are the same. */
#define V_LOAD(p) (*(const outer_any_f64 *)(p))
#define V_STORE(p, v) (*(outer_any_f64 *)(p) = (v))
#define V_STREAM(p, v) V_STORE(p, v)
#define V_ZERO 0
#define V_FILL(p) (*(p))
#define HAS_STREAM false

#define SUFFIX f64
#define T double
#define V double
#define W 1
#define C 8
#define TALL 6
#define V_MUL(x, y) ((x) * (y))
#define V_FMA(x, y, s) fma(x, y, s)
#define V_CANONICAL(v) outer_canonical_f64(v)
#define S_FMA(x, y, s) fma(x, y, s)
#define TURN 1
#define TURN_BLOCK(from, ld, to, width) ((void)0)
#include "compute/outer_simd.inc.h"

#define V_LOAD(p) (*(const outer_any_f32 *)(p))
#define V_STORE(p, v) (*(outer_any_f32 *)(p) = (v))
#define V_STREAM(p, v) V_STORE(p, v)
#define V_ZERO 0
#define V_FILL(p) (*(p))
#define HAS_STREAM false

#define OUTER_HALVES
#define SUFFIX f32
#define T float
#define V float
#define W 1
#define C 16
#define TALL 6
#define V_MUL(x, y) ((x) * (y))
#define V_FMA(x, y, s) fmaf(x, y, s)
#define V_CANONICAL(v) outer_canonical_f32(v)
#define S_FMA(x, y, s) fmaf(x, y, s)
#define TURN 1
#define TURN_BLOCK(from, ld, to, width) ((void)0)
#include "compute/outer_simd.inc.h"

const struct outer_kernels summand__outer_generic = OUTER_TABLE;

/* SPDX-License-Identifier: BSD-3-Clause */
#include <arm_neon.h>
#include <math.h>
#include <stdint.h>

#include "kernel/tree_kernels.h"

/* A vector here is a pair of registers: twice the elements in flight. The last step pairs registers
 * and needs no shuffle. */
struct tree_pair_f64 {
    float64x2_t lo, hi;
};

struct tree_pair_f32 {
    float32x4_t lo, hi;
};

#define PAIR(type, low, high) ((struct tree_pair_##type){low, high})
#define EACH(type, name, f)                                                                        \
    static inline struct tree_pair_##type name##_##type(struct tree_pair_##type a,                 \
                                                        struct tree_pair_##type b)                 \
    {                                                                                              \
        return PAIR(type, f(a.lo, b.lo), f(a.hi, b.hi));                                           \
    }
/* The instructions FMIN and FMAX order zeros and propagate NaNs; ours compare and select. */
#define LESS_F64(a, b) vbslq_f64(vcltq_f64(a, b), a, b)
#define MORE_F64(a, b) vbslq_f64(vcgtq_f64(a, b), a, b)
#define LESS_F32(a, b) vbslq_f32(vcltq_f32(a, b), a, b)
#define MORE_F32(a, b) vbslq_f32(vcgtq_f32(a, b), a, b)

EACH(f64, add, vaddq_f64)
EACH(f64, mul, vmulq_f64)
EACH(f64, min, LESS_F64)
EACH(f64, max, MORE_F64)
EACH(f64, even, vtrn1q_f64)
EACH(f64, odd, vtrn2q_f64)
EACH(f32, add, vaddq_f32)
EACH(f32, mul, vmulq_f32)
EACH(f32, min, LESS_F32)
EACH(f32, max, MORE_F32)
EACH(f32, even, vuzp1q_f32)
EACH(f32, odd, vuzp2q_f32)

static inline void store_f64(double *p, struct tree_pair_f64 v)
{
    vst1q_f64(p, v.lo);
    vst1q_f64(p + 2, v.hi);
}

static inline void store_f32(float *p, struct tree_pair_f32 v)
{
    vst1q_f32(p, v.lo);
    vst1q_f32(p + 4, v.hi);
}

static inline struct tree_pair_f64 abs_f64(struct tree_pair_f64 v)
{
    return PAIR(f64, vabsq_f64(v.lo), vabsq_f64(v.hi));
}

static inline struct tree_pair_f32 abs_f32(struct tree_pair_f32 v)
{
    return PAIR(f32, vabsq_f32(v.lo), vabsq_f32(v.hi));
}

/* Step 1 pairs neighbours of a with a and of b with b: A0 B0 A1 B1, where A0 is a[0] op a[1]. */
#define SUFFIX f64
#define T double
#define V struct tree_pair_f64
#define W 4
#define B 2
#define V_LOAD(p) PAIR(f64, vld1q_f64(p), vld1q_f64((p) + 2))
#define V_STORE(p, v) store_f64(p, v)
#define V_FIRST(v) vgetq_lane_f64((v).lo, 0)
#define V_ADD(a, b) add_f64(a, b)
#define V_MUL(a, b) mul_f64(a, b)
#define V_MIN(a, b) min_f64(a, b)
#define V_MAX(a, b) max_f64(a, b)
#define V_ABS(a) abs_f64(a)
#define S_ABS(a) fabs(a)
#define V_LEFT1(a, b) even_f64(a, b)
#define V_RIGHT1(a, b) odd_f64(a, b)
#define V_LEFT2(a, b) PAIR(f64, (a).lo, (b).lo)
#define V_RIGHT2(a, b) PAIR(f64, (a).hi, (b).hi)
#include "kernel/tree_kinds.inc.h"

/* Steps 1 and 2 work within registers. */
#define SUFFIX f32
#define T float
#define V struct tree_pair_f32
#define W 8
#define B 3
#define V_LOAD(p) PAIR(f32, vld1q_f32(p), vld1q_f32((p) + 4))
#define V_STORE(p, v) store_f32(p, v)
#define V_FIRST(v) vgetq_lane_f32((v).lo, 0)
#define V_ADD(a, b) add_f32(a, b)
#define V_MUL(a, b) mul_f32(a, b)
#define V_MIN(a, b) min_f32(a, b)
#define V_MAX(a, b) max_f32(a, b)
#define V_ABS(a) abs_f32(a)
#define S_ABS(a) fabsf(a)
#define V_LEFT1(a, b) even_f32(a, b)
#define V_RIGHT1(a, b) odd_f32(a, b)
#define V_LEFT2(a, b) even_f32(a, b)
#define V_RIGHT2(a, b) odd_f32(a, b)
#define V_LEFT3(a, b) PAIR(f32, (a).lo, (b).lo)
#define V_RIGHT3(a, b) PAIR(f32, (a).hi, (b).hi)
#include "kernel/tree_kinds.inc.h"

const struct summand__tree_kernels summand__tree_neon = SUMMAND__TREE_TABLE;

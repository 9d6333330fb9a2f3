/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdint.h>

#include "kernel/tree_kernels.h"

/* A vector in plain C: four numbers that the compiler keeps in registers of any kind. */
struct tree_four_f64 {
    double lane[4];
};

struct tree_four_f32 {
    float lane[4];
};

#define FOUR(type, a, b, c, d) ((struct tree_four_##type){{a, b, c, d}})
#define EACH(type, name, op)                                                                       \
    static inline struct tree_four_##type name##_##type(struct tree_four_##type a,                 \
                                                        struct tree_four_##type b)                 \
    {                                                                                              \
        return FOUR(type, op(a.lane[0], b.lane[0]), op(a.lane[1], b.lane[1]),                      \
                    op(a.lane[2], b.lane[2]), op(a.lane[3], b.lane[3]));                           \
    }
#define SUM(a, b) ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))
#define LESS(a, b) ((a) < (b) ? (a) : (b))
#define MORE(a, b) ((a) > (b) ? (a) : (b))

EACH(f64, add, SUM)
EACH(f64, mul, PRODUCT)
EACH(f64, min, LESS)
EACH(f64, max, MORE)
EACH(f32, add, SUM)
EACH(f32, mul, PRODUCT)
EACH(f32, min, LESS)
EACH(f32, max, MORE)

static inline struct tree_four_f64 abs_f64(struct tree_four_f64 v)
{
    return FOUR(f64, fabs(v.lane[0]), fabs(v.lane[1]), fabs(v.lane[2]), fabs(v.lane[3]));
}

static inline struct tree_four_f32 abs_f32(struct tree_four_f32 v)
{
    return FOUR(f32, fabsf(v.lane[0]), fabsf(v.lane[1]), fabsf(v.lane[2]), fabsf(v.lane[3]));
}

static inline void store_f64(double *p, struct tree_four_f64 v)
{
    for (int i = 0; i < 4; i++)
        p[i] = v.lane[i];
}

static inline void store_f32(float *p, struct tree_four_f32 v)
{
    for (int i = 0; i < 4; i++)
        p[i] = v.lane[i];
}

#define LEFT1(type, a, b) FOUR(type, (a).lane[0], (b).lane[0], (a).lane[2], (b).lane[2])
#define RIGHT1(type, a, b) FOUR(type, (a).lane[1], (b).lane[1], (a).lane[3], (b).lane[3])
#define LEFT2(type, a, b) FOUR(type, (a).lane[0], (a).lane[1], (b).lane[0], (b).lane[1])
#define RIGHT2(type, a, b) FOUR(type, (a).lane[2], (a).lane[3], (b).lane[2], (b).lane[3])

#define SUFFIX f64
#define T double
#define V struct tree_four_f64
#define W 4
#define B 2
#define V_LOAD(p) FOUR(f64, (p)[0], (p)[1], (p)[2], (p)[3])
#define V_STORE(p, v) store_f64(p, v)
#define V_FIRST(v) (v).lane[0]
#define V_ADD(a, b) add_f64(a, b)
#define V_MUL(a, b) mul_f64(a, b)
#define V_MIN(a, b) min_f64(a, b)
#define V_MAX(a, b) max_f64(a, b)
#define V_ABS(a) abs_f64(a)
#define S_ABS(a) fabs(a)
#define V_LEFT1(a, b) LEFT1(f64, a, b)
#define V_RIGHT1(a, b) RIGHT1(f64, a, b)
#define V_LEFT2(a, b) LEFT2(f64, a, b)
#define V_RIGHT2(a, b) RIGHT2(f64, a, b)
#include "kernel/tree_kinds.inc.h"

#define SUFFIX f32
#define T float
#define V struct tree_four_f32
#define W 4
#define B 2
#define V_LOAD(p) FOUR(f32, (p)[0], (p)[1], (p)[2], (p)[3])
#define V_STORE(p, v) store_f32(p, v)
#define V_FIRST(v) (v).lane[0]
#define V_ADD(a, b) add_f32(a, b)
#define V_MUL(a, b) mul_f32(a, b)
#define V_MIN(a, b) min_f32(a, b)
#define V_MAX(a, b) max_f32(a, b)
#define V_ABS(a) abs_f32(a)
#define S_ABS(a) fabsf(a)
#define V_LEFT1(a, b) LEFT1(f32, a, b)
#define V_RIGHT1(a, b) RIGHT1(f32, a, b)
#define V_LEFT2(a, b) LEFT2(f32, a, b)
#define V_RIGHT2(a, b) RIGHT2(f32, a, b)
#include "kernel/tree_kinds.inc.h"

const struct summand__tree_kernels summand__tree_generic = SUMMAND__TREE_TABLE;

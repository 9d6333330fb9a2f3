/* SPDX-License-Identifier: BSD-3-Clause */
/* All kinds of tree kernels for one type and one instruction set. SUFFIX: f64 or f32. The file of
 * the instruction set first defines the macros listed in tree_simd.inc.h, and also:
 *     V_ADD V_MUL V_MIN V_MAX V_ABS, S_ABS */
#include <stdbool.h>

#include "kernel/prefetch.h"

#define TREE_PASTE(a, b, c) tree_##a##_##b##_##c
#define TREE_NAME(a, b, c) TREE_PASTE(a, b, c)
#define FN(name) TREE_NAME(KIND, SUFFIX, name)

/* Trees that fit in the first-level and second-level caches are faster without prefetching. */
#define TREE_CACHED (256u << 10)

#define V_LEAF(x, y) V_LOAD(x)
#define S_LEAF(x, y) (x)
#define TREE_TWO false
#define V_OP V_ADD
#define S_OP(a, b) ((a) + (b))
#define KIND sum
#include "kernel/tree_simd.inc.h"
#undef KIND
#undef V_LEAF
#undef S_LEAF

#define V_LEAF(x, y) V_ABS(V_LOAD(x))
#define S_LEAF(x, y) S_ABS(x)
#define KIND asum
#include "kernel/tree_simd.inc.h"
#undef KIND
#undef V_LEAF
#undef S_LEAF

#define V_LEAF(x, y) V_MUL(V_LOAD(x), V_LOAD(x))
#define S_LEAF(x, y) ((x) * (x))
#define KIND squares
#include "kernel/tree_simd.inc.h"
#undef KIND
#undef V_LEAF
#undef S_LEAF

#undef TREE_TWO
#define TREE_TWO true
#define V_LEAF(x, y) V_MUL(V_LOAD(x), V_LOAD(y))
#define S_LEAF(x, y) ((x) * (y))
#define KIND dot
#include "kernel/tree_simd.inc.h"
#undef KIND
#undef V_LEAF
#undef S_LEAF
#undef TREE_TWO
#undef V_OP
#undef S_OP

#define TREE_TWO false
#define V_LEAF(x, y) V_LOAD(x)
#define S_LEAF(x, y) (x)
#define V_OP V_MIN
#define S_OP(a, b) ((a) < (b) ? (a) : (b))
#define KIND min
#include "kernel/tree_simd.inc.h"
#undef KIND
#undef V_OP
#undef S_OP

#define V_OP V_MAX
#define S_OP(a, b) ((a) > (b) ? (a) : (b))
#define KIND max
#include "kernel/tree_simd.inc.h"
#undef KIND
#undef V_OP
#undef S_OP

#define V_OP V_MUL
#define S_OP(a, b) ((a) * (b))
#define KIND prod
#include "kernel/tree_simd.inc.h"
#undef KIND
#undef V_OP
#undef S_OP
#undef V_LEAF
#undef S_LEAF
#undef TREE_TWO

#undef FN
#undef TREE_NAME
#undef TREE_PASTE
#undef TREE_CACHED

/* The traits of this type end here; the next type brings its own. */
#undef SUFFIX
#undef T
#undef V
#undef W
#undef B
#undef V_LOAD
#undef V_STORE
#undef V_FIRST
#undef V_ADD
#undef V_MUL
#undef V_MIN
#undef V_MAX
#undef V_ABS
#undef S_ABS
#undef V_LEFT1
#undef V_RIGHT1
#undef V_LEFT2
#undef V_RIGHT2
#undef V_LEFT3
#undef V_RIGHT3
#undef V_LEFT4
#undef V_RIGHT4

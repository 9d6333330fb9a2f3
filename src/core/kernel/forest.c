/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/forest.h"

#include <stdbool.h>

#include "kernel/fpenv.h"
#include "shape/dyadic.h"

#define T double
#define FN(name) summand__##name##_f64
#define OP(name) name##_f64
#define TREE summand__tree_f64
#define ROW f64
#include "kernel/forest.inc.h"
#undef T
#undef FN
#undef OP
#undef TREE
#undef ROW

#define T float
#define FN(name) summand__##name##_f32
#define OP(name) name##_f32
#define TREE summand__tree_f32
#define ROW f32
#include "kernel/forest.inc.h"

/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of each instruction set, defined in its file; no entry is NULL. */
#pragma once

#include "kernel/tree.h"

extern const struct summand__tree_kernels summand__tree_generic;
extern const struct summand__tree_kernels summand__tree_avx2;
extern const struct summand__tree_kernels summand__tree_avx512;
extern const struct summand__tree_kernels summand__tree_neon;

/* The input of a kernel: values of subtrees, elements that are not yet transformed, or such
 * elements with prefetching, from the second-level cache or from farther away. */
enum tree_source { TREE_NODES, TREE_LEAVES, TREE_NEAR, TREE_FAR };

/* The functions from kernel/tree_kinds.inc.h, in the order of the enum. */
#define SUMMAND__TREE_ROW(suffix)                                                                  \
    {                                                                                              \
        tree_sum_##suffix##_tree, tree_asum_##suffix##_tree, tree_squares_##suffix##_tree,         \
            tree_dot_##suffix##_tree, tree_min_##suffix##_tree, tree_max_##suffix##_tree,          \
            tree_prod_##suffix##_tree                                                              \
    }
#define SUMMAND__TREE_TABLE                                                                        \
    {                                                                                              \
        .f64 = SUMMAND__TREE_ROW(f64), .f32 = SUMMAND__TREE_ROW(f32)                               \
    }

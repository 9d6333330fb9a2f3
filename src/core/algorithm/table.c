/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/algorithm.h"

/* Every algorithm once. */
/* clang-format off */
#define ALGORITHMS(X)                                                                              \
    X(linear)                                                                                      \
    X(chain)                                                                                       \
    X(binomial)                                                                                    \
    X(knomial)                                                                                     \
    X(kary)                                                                                        \
    X(binary)                                                                                      \
    X(binary_in_order)                                                                             \
    X(fibonacci)                                                                                   \
    X(two_tree)                                                                                    \
    X(rabenseifner)                                                                                \
    X(ring)                                                                                        \
    X(direct)                                                                                      \
    X(circulant_graph)                                                                             \
    X(pat)                                                                                         \
    X(recursive_multiplying)                                                                       \
    X(dual_root)                                                                                   \
    X(postal)                                                                                      \
    X(node_binomial)                                                                               \
    X(node_trees)                                                                                  \
    X(node_chain)                                                                                  \
    X(node_two_tree)                                                                               \
    X(node_rabenseifner)                                                                           \
    X(node_circulant)                                                                              \
    X(node_leaders)                                                                                \
    X(node_direct)                                                                             \
    X(recursive_doubling)                                                                          \
    X(outer_gather_product)                                                                        \
    X(outer_slices)                                                                                \
    X(outer_hybrid)                                                                                \
    X(outer_rabenseifner)                                                                          \
    X(outer_allreduce)                                                                             \
    X(outer_passes)                                                                                \
    X(outer_grid_slices)                                                                           \
    X(outer_groups)                                                                                \
    X(outer_pipeline)                                                                              \
    X(outer_bruck)                                                                                 \
    X(gemm_whole_panels)                                                                           \
    X(gemm_pairs)                                                                                  \
    X(gemm_in_boxes)
/* clang-format on */

#define DECLARE(name) extern const struct summand__algorithm summand__##name;
ALGORITHMS(DECLARE)

#define ENTRY(name) &summand__##name,
const struct summand__algorithm *const summand__algorithms[] = {ALGORITHMS(ENTRY) NULL};

_Static_assert(sizeof summand__algorithms / sizeof *summand__algorithms - 1 <=
                   SUMMAND__MOST_ALGORITHMS,
               "describe.c has room for all");

/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms for sums of outer products, each once. */
#pragma once

/* clang-format off */
#define SUMMAND__OUTER_ALGORITHMS(X)                                               \
    X(outer_gather_product)                                                        \
    X(outer_slices)                                                                \
    X(outer_hybrid)                                                                \
    X(outer_rabenseifner)                                                          \
    X(outer_allreduce)                                                             \
    X(outer_reduce)                                                                \
    X(outer_grid_slices)                                                           \
    X(outer_groups)                                                                \
    X(outer_pipeline)
/* clang-format on */

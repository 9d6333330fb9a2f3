/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms for products of matrices, each once. */
#pragma once

/* clang-format off */
#define SUMMAND__GEMM_ALGORITHMS(X)                                                \
    X(gemm_whole_panels)                                                           \
    X(gemm_pairs)                                                                  \
    X(gemm_in_boxes)
/* clang-format on */

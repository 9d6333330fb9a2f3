/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a program that is about papers: the library's algorithms, and those of papers that
 * the library does not have because it would never choose them. Such a program links this in place
 * of the library's table. */
#define SUMMAND__MORE_ALGORITHMS(X)                                                                \
    X(gemm_barriers)                                                                               \
    X(gemm_pairs_rows)                                                                             \
    X(binary_cut) X(fibonacci_cut) X(binomial_cut) X(outer_passes) X(outer_allgather) X(outer_bruck)

#include "tables/algorithms.c"

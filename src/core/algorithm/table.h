/* SPDX-License-Identifier: BSD-3-Clause */
/* The algorithms of the core, each once, in the order of lists. */
#pragma once

/* clang-format off */
#define SUMMAND__CORE_ALGORITHMS(X)                                                \
    X(linear)                                                                      \
    X(chain)                                                                       \
    X(binomial)                                                                    \
    X(knomial)                                                                     \
    X(kary)                                                                        \
    X(binary)                                                                      \
    X(binary_in_order)                                                             \
    X(fibonacci)                                                                   \
    X(two_tree)                                                                    \
    X(rabenseifner)                                                                \
    X(ring)                                                                        \
    X(direct)                                                                      \
    X(circulant_graph)                                                             \
    X(neighbor_exchange)                                                           \
    X(pat)                                                                         \
    X(recursive_multiplying)                                                       \
    X(dual_root)                                                                   \
    X(postal)                                                                      \
    X(node_binomial)                                                               \
    X(node_trees)                                                                  \
    X(node_chain)                                                                  \
    X(node_two_tree)                                                               \
    X(node_rabenseifner)                                                           \
    X(node_circulant)                                                              \
    X(node_leaders)                                                                \
    X(node_direct)                                                                 \
    X(recursive_doubling)                                                          \
    X(scan_halving)                                                                \
    X(scan_chain)                                                                  \
    X(scan_nodes)
/* clang-format on */

/* SPDX-License-Identifier: BSD-3-Clause */
/* Algorithms that compositions are made of. */
#pragma once

#include "algorithm/algorithm.h"

extern const struct summand__algorithm summand__binomial, summand__kary, summand__rabenseifner,
    summand__circulant_graph, summand__recursive_doubling, summand__recursive_multiplying,
    summand__direct, summand__node_rabenseifner, summand__node_trees, summand__node_chain,
    summand__node_two_tree;

/* Not in the table: the exchange of leaders between nodes (groups.c). */
extern const struct summand__algorithm summand__groups;

/* SPDX-License-Identifier: BSD-3-Clause */
/* Model of the cluster for tests of products across nodes. */
#pragma once

#include "select/defaults.h"

/* The cluster of bench/platforms/qdr-64x8.model, with `per_node` ranks on a node. */
static inline struct summand__model gemm_cluster(double per_node, bool shared, bool even)
{
    struct summand__model model = summand__cluster_model;
    model.per_node = per_node;
    model.shared_card = shared;
    model.fair_card = even;
    model.reduce_byte = 0;
    model.copy_byte = 1e-10;
    model.flop = 3.13e-11;
    model.level[SUMMAND__WITHIN_NODE].byte = 2.128e-10;
    model.level[SUMMAND__NETWORK].byte = 2.66e-10;
    return model;
}

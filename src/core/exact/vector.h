/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <summand/exact_vector.h>

#include "exact/block.h"

struct summand_exact_vector {
    size_t count;
    bool failed;  /* out of memory: no value */
    bool touched; /* all blocks are (summand__exact_block_touch) */
    struct summand__exact_block block[];
};

/* The public calls, by type. */
int summand__exact_vector_add(summand_exact_vector *vector, enum summand__lanes_type type,
                              size_t rows, size_t lead, const void *x);
int summand__exact_vector_round(const summand_exact_vector *vector, enum summand__lanes_type type,
                                void *y);

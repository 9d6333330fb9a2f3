/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUMMAND_EXACT_VECTOR_STRUCT_H
#define SUMMAND_EXACT_VECTOR_STRUCT_H

#include <summand/exact_vector.h>

#include "exact/block.h"

struct summand_exact_vector {
    size_t count;
    bool failed;  /* out of memory: no value */
    bool touched; /* all blocks are (summand__exact_block_touch) */
    struct summand__exact_block block[];
};

#endif

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

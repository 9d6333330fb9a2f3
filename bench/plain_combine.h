/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops a user would write to combine two vectors, compiled by -O3 for the best instruction set
 * of this processor. */
#pragma once

#include "kernel/combine.h"

typedef void plain_combine(const void *in, void *inout, size_t count);

/* NULL if there is no loop. */
struct plain_combine_table {
    plain_combine *loops[SUMMAND__COMBINE_OPERATORS][SUMMAND__COMBINE_TYPES];
};
extern const struct plain_combine_table plain_combine_generic, plain_combine_avx2,
    plain_combine_avx512, plain_combine_neon;

plain_combine *plain_combine_loop(enum summand__combine_operator op, enum summand__combine_type t);

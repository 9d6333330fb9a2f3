/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments of a sum of outer products, made from the library's inner lists of results and types.
 * */
#pragma once

#include <summand/outer.h>

#include "outer/algorithm/shape.h"

/* Sets options->result. Returns the root: `rank`, if the result is on one rank. */
static inline int outer_ask(summand_outer_options *options, enum summand__outer_result result,
                            int rank)
{
    options->result = result == SUMMAND__OUTER_ROWS      ? SUMMAND_OUTER_ROWS
                      : result == SUMMAND__OUTER_BLOCKS  ? SUMMAND_OUTER_BLOCKS
                      : result == SUMMAND__OUTER_FACTORS ? SUMMAND_OUTER_FACTORS
                                                         : SUMMAND_OUTER_WHOLE;
    return result == SUMMAND__OUTER_ROOT ? rank : SUMMAND_ROOT_ALL;
}

static inline MPI_Datatype outer_datatype(enum summand__outer_type type)
{
    MPI_Datatype datatype = type == SUMMAND__OUTER_F64 ? MPI_DOUBLE : MPI_FLOAT;
    if (type == SUMMAND__OUTER_BF16)
        summand_bfloat16_datatype(&datatype);
    if (type == SUMMAND__OUTER_F16)
        summand_float16_datatype(&datatype);
    return datatype;
}

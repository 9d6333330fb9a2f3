/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/error_flag.h"

#include <summand/error.h>

#include "wait/cause.h"

uint32_t summand__error_flag_of(int rank, int code)
{
    return code == MPI_SUCCESS ? SUMMAND__GOOD
                               : SUMMAND__REMOTE + summand__cause_short(summand__cause(rank, code));
}

int summand__error_flag_code(uint32_t error_flag)
{
    static const enum summand_error errors[] = {[SUMMAND__GOOD] = SUMMAND_ERR_NONE,
                                                [SUMMAND__MISMATCH] = SUMMAND_ERR_MISMATCH,
                                                [SUMMAND__DISTRIBUTION] = SUMMAND_ERR_DISTRIBUTION};
    if (error_flag == SUMMAND__GOOD)
        return MPI_SUCCESS;
    if (error_flag < SUMMAND__REMOTE)
        return summand_error_code(errors[error_flag]);
    return summand__cause_explain(summand__cause_long(error_flag - SUMMAND__REMOTE));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/error_flag.h"

#include <summand/error.h>

int summand__error_flag_code(uint32_t error_flag)
{
    switch (error_flag) {
    case SUMMAND__GOOD:
        return MPI_SUCCESS;
    case SUMMAND__REMOTE:
        return summand_error_code(SUMMAND_ERR_REMOTE);
    case SUMMAND__DISTRIBUTION:
        return summand_error_code(SUMMAND_ERR_DISTRIBUTION);
    default:
        return summand_error_code(SUMMAND_ERR_MISMATCH);
    }
}

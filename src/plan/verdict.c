#include "plan/verdict.h"

#include <summand/error.h>

int summand__verdict_code(uint32_t verdict)
{
    switch (verdict) {
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

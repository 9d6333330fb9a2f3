/* SPDX-License-Identifier: BSD-3-Clause */
/* The symbol that programs for another kind of MPI lack here. */
#include <summand/mpi.h>

#if defined(SUMMAND_GUARD)
void SUMMAND_GUARD(void)
{
}
#endif

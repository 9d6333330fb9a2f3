/* SPDX-License-Identifier: BSD-3-Clause */
/* libmpi_abi.so.1 for linking, where no MPI has one. Programs find that of their MPI at run time.
 */
#include <stdio.h>
#include <stdlib.h>

#include "mpi.h"

static void absent(const char *name)
{
    fprintf(
        stderr,
        "%s was called, but libmpi_abi.so.1 is the one of Summand's build, which holds no MPI\n",
        name);
    abort();
}

#pragma GCC diagnostic ignored "-Wunused-parameter"
#define PUBLIC __attribute__((visibility("default")))
#define MPI_ABI_STATE(name) STATE(MPI_##name) STATE(PMPI_##name)
#define STATE(name)                                                                                \
    PUBLIC int name(int *flag)                                                                     \
    {                                                                                              \
        return *flag = 0;                                                                          \
    }
#define DEFINE(type, name, arguments)                                                              \
    PUBLIC type name arguments                                                                     \
    {                                                                                              \
        absent(#name);                                                                             \
        return 0;                                                                                  \
    }
#define MPI_ABI_FUNCTION(type, name, arguments)                                                    \
    DEFINE(type, MPI_##name, arguments) DEFINE(type, PMPI_##name, arguments)
#include "functions.h"

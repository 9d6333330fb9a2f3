/* SPDX-License-Identifier: BSD-3-Clause */
/* A MPI that has no communicators left for the library. */
#ifndef SUMMAND_TEST_MPI_NO_COMMUNICATORS_H
#define SUMMAND_TEST_MPI_NO_COMMUNICATORS_H

#include <mpi.h>

static int none_left; /* communicators of their own, to fabrics */

int __real_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int __wrap_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made);
int __wrap_PMPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *made)
{
    return none_left ? MPI_ERR_OTHER : __real_PMPI_Comm_create(comm, group, made);
}

int __real_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int __wrap_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made);
int __wrap_PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
{
    return none_left ? MPI_ERR_OTHER : __real_PMPI_Comm_split_type(comm, type, key, info, made);
}

#endif

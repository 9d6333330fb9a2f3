/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of an MPI's header: the list of the binary interface is of Summand's headers, and alike
 * for all MPIs. Handles are pointers here, as in Open MPI; in MPICH they are ints. */
#pragma once

typedef struct mpi_comm *MPI_Comm;
typedef struct mpi_datatype *MPI_Datatype;
typedef struct mpi_op *MPI_Op;
typedef int MPI_Fint;
typedef long MPI_Aint;
typedef long long MPI_Count;

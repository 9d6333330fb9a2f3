/* SPDX-License-Identifier: BSD-3-Clause */
/* Library functions that the MPI calls back. All are passed to the MPI here, because they must stay
 * in memory as long as the MPI may call them. */
#pragma once

#include <mpi.h>

/* Like MPI_Comm_create_keyval without a copy function, and like MPI_Op_create for a commutative
 * operator. After the first call, dlclose does not unload the library, nor a program's own library
 * that contains it. */
int summand__create_keyval(MPI_Comm_delete_attr_function *on_delete, int *keyval);
int summand__create_op(MPI_User_function *function, MPI_Op *op);

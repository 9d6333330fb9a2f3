/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of the library that the MPI calls back. All of them are given to the MPI here, as they
 * must stay in memory as long as the MPI may call them. */
#ifndef SUMMAND_PROCESS_CALLBACKS_H
#define SUMMAND_PROCESS_CALLBACKS_H

#include <mpi.h>

/* As MPI_Comm_create_keyval without a copy function, and as MPI_Op_create for a commutative
 * operator. From the first call on, dlclose does not unload the library, nor a program's own
 * library that contains it. */
int summand__create_keyval(MPI_Comm_delete_attr_function *on_delete, int *keyval);
int summand__create_op(MPI_User_function *function, MPI_Op *op);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* All that the library asks MPI_COMM_WORLD. Local. */
#ifndef SUMMAND_PROCESS_WORLD_ROOT_H
#define SUMMAND_PROCESS_WORLD_ROOT_H

#include <mpi.h>
#include <stdbool.h>

/* This process in MPI_COMM_WORLD. Local. */
int summand__world_rank(void);

/* The processes there; 0 with sessions alone. Local. */
int summand__world_ranks(void);

/* Those of the group that are processes there; an MPI error code. To be freed. Local. */
int summand__world_part(MPI_Group group, MPI_Group *part);

/* Whether this process, rank 0 there, says what all of them know. */
bool summand__is_world_root(void);

/* The largest tag of a message. */
int summand__most_tag(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* All uses of MPI_COMM_WORLD. Local. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

/* The rank of this process in MPI_COMM_WORLD. Local. */
int summand__world_rank(void);

/* The size of MPI_COMM_WORLD; 0 with sessions alone. Local. */
int summand__world_ranks(void);

/* The group's processes in MPI_COMM_WORLD, to be freed. Returns an MPI error code. Local. */
int summand__world_part(MPI_Group group, MPI_Group *part);

/* True on rank 0 of MPI_COMM_WORLD, which prints messages for all processes. */
bool summand__is_world_root(void);

/* The largest tag of a message. */
int summand__most_tag(void);

/* The last error code or class in use: MPI_LASTUSEDCODE. */
int summand__last_code(void);

/* All that the library asks MPI_COMM_WORLD. Local. */
#ifndef SUMMAND_COMM_WORLD_ROOT_H
#define SUMMAND_COMM_WORLD_ROOT_H

#include <stdbool.h>

/* This process in MPI_COMM_WORLD. Local. */
int summand__world_rank(void);

/* The processes there; 0 with sessions alone. Local. */
int summand__world_ranks(void);

/* Whether this process, rank 0 there, says what all of them know. */
bool summand__is_world_root(void);

/* The largest tag of a message. */
int summand__most_tag(void);

#endif

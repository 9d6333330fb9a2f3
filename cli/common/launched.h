/* Which launcher started this process, by the variables that it sets. */
#ifndef SUMMAND_CLI_COMMON_LAUNCHED_H
#define SUMMAND_CLI_COMMON_LAUNCHED_H

#include <stdbool.h>
#include <stddef.h>

/* This process's number among those of its launcher, or -1 without one. MPI need not be up. */
int launched_rank(void);
/* How many it started: at least 1. */
int launched_size(void);

/* After MPI_Init: whether the launcher started several processes of which each is alone in its
 * MPI_COMM_WORLD, as it happens when it belongs to another MPI. Writes a sentence about it. */
bool launched_apart(char *text, size_t room);

#endif

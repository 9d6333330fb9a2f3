/* SPDX-License-Identifier: BSD-3-Clause */
/* A command and the launcher that started it (process/launcher.h). */
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

/* Of several processes that do the same without MPI, the first one alone complains: call this
 * before any complaint, and end with what launched_end makes of the exit status. The others wait
 * some seconds before they fail, as a launcher takes the failure of one for a reason to end the
 * first before it is heard. If they alone are wrong, the first one waits for them in MPI_Init. */
void launched_one_speaks(void);
int launched_end(int status);

/* Waits until the launcher has read what this process said on stderr, at most 2 seconds: when it
 * ends all processes because one failed, it throws away what it has not read (Open MPI 4.1). */
void launched_await_reader(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Which launcher started this process, by the variables that it sets. */
#ifndef SUMMAND_PROCESS_LAUNCHER_H
#define SUMMAND_PROCESS_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>

struct summand__launcher {
    const char *name;     /* "Open MPI's launcher" */
    const char *variable; /* that holds `size` */
    int size, rank;       /* processes that it started, at least 1; and which of them this is */
};

/* False: none that is known. MPI need not be up. */
bool summand__launcher_find(struct summand__launcher *launcher);

/* After MPI_Init: whether the launcher started several processes, each of which is alone in its
 * MPI_COMM_WORLD. That happens when the launcher belongs to another MPI. Writes half a sentence
 * about it, which goes on with what to do. */
bool summand__launcher_apart(const char *what, char *text, size_t room);

/* The same as a warning, once, in the first of these processes. */
void summand__launcher_warn(void);

#endif

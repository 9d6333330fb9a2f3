/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the launcher of this process, by the variables that launchers set. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct summand__launcher {
    const char *name;     /* "Open MPI's launcher" */
    const char *variable; /* the one that holds `size` */
    int size, rank;       /* processes that it started, at least 1; number of this one */
};

/* False if no known launcher is found. MPI need not be initialized. */
bool summand__launcher_find(struct summand__launcher *launcher);

/* After MPI_Init: true if the launcher started several processes, each of which is alone in its
 * MPI_COMM_WORLD. This happens if the launcher belongs to another MPI. Writes the first half of a
 * sentence about it; the caller adds the advice. */
bool summand__launcher_apart(const char *what, char *text, size_t room);

/* Warns of this once, in the first of these processes. */
void summand__launcher_warn(void);

/* SPDX-License-Identifier: BSD-3-Clause */
/* An error on one rank is reported by one rank and ends the command on all. */
#pragma once

#include <stdbool.h>

/* This rank's error; text is empty if there is none. */
struct trouble {
    char text[768];
};

/* Notes a sentence; only the first one is kept. A sentence that is too long loses its middle. */
void trouble_note(struct trouble *trouble, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Collective over MPI_COMM_WORLD: true if all ranks are fine. Prints nothing. */
bool agree_fine(bool fine);

/* Collective over MPI_COMM_WORLD: true if no rank is in trouble. Otherwise the lowest rank in
 * trouble reports it on stderr and every rank gets false. */
bool agree(const char *command, const struct trouble *trouble);

/* Collective over MPI_COMM_WORLD: true if all ranks have the same command line. Otherwise the
 * lowest rank whose line differs from rank 0's reports it, and every rank gets false. */
bool agree_words(const char *command, int argc, char **argv);

/* Notes the MPI error `code` of the action `what`, unless it is MPI_SUCCESS. */
void trouble_note_mpi(struct trouble *trouble, const char *what, int code);

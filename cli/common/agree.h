/* SPDX-License-Identifier: BSD-3-Clause */
/* Trouble on one rank, told by one rank, ends the command on all of them. */
#ifndef SUMMAND_CLI_COMMON_AGREE_H
#define SUMMAND_CLI_COMMON_AGREE_H

#include <stdbool.h>

/* What went wrong on this rank; text is empty while nothing did. */
struct trouble {
    char text[768];
};

/* Notes a sentence; the first one stays. Of one that is too long the middle is left out. */
void trouble_note(struct trouble *trouble, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Collective over MPI_COMM_WORLD: whether all ranks are fine, without a word. */
bool agree_fine(bool fine);

/* Collective over MPI_COMM_WORLD: true if no rank is in trouble. Otherwise the lowest rank in
 * trouble tells about it on stderr and every rank gets false. */
bool agree(const char *command, const struct trouble *trouble);

/* Collective over MPI_COMM_WORLD: whether all ranks have the same command line. Otherwise the
 * lowest rank that has another one than rank 0 tells about it, and every rank gets false. */
bool agree_words(const char *command, int argc, char **argv);

/* Notes the MPI error `code`, met while doing `what`, unless it is MPI_SUCCESS. */
void trouble_note_mpi(struct trouble *trouble, const char *what, int code);

#endif

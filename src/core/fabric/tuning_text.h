/* SPDX-License-Identifier: BSD-3-Clause */
/* The tuning file on its way to all ranks: rank 0 reads it, so all have the same. */
#ifndef SUMMAND_FABRIC_TUNING_TEXT_H
#define SUMMAND_FABRIC_TUNING_TEXT_H

#include <mpi.h>
#include <stddef.h>

struct summand__tuning_text {
    char *path; /* of rank 0's SUMMAND_TUNING; NULL: none. The memory of all that follows */
    const char *machine; /* rank 0's */
    const char *fault;   /* why rank 0 could not read the file; "" if it could */
    const char *text;
    size_t length;
};

/* Collective over `comm`, whose errors return; alike on all ranks. An MPI error code; on all ranks
 * where one is out of memory. */
int summand__tuning_text_get(MPI_Comm comm, struct summand__tuning_text *text);
void summand__tuning_text_free(struct summand__tuning_text *text);

#endif

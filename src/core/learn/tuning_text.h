/* SPDX-License-Identifier: BSD-3-Clause */
/* Broadcasts the tuning file: rank 0 reads it, so all ranks have the same. */
#pragma once

#include <mpi.h>
#include <stddef.h>

struct summand__tuning_text {
    char *path; /* of rank 0's SUMMAND_TUNING; NULL: none. Owns the memory of all texts below */
    const char *machine; /* rank 0's */
    const char *fault;   /* why rank 0 could not read the file; "" if it could */
    const char *text;
    size_t length;
};

/* Collective over `comm`, whose errors return; the result is equal on all ranks. Returns an MPI
 * error code, on all ranks if one is out of memory. */
int summand__tuning_text_get(MPI_Comm comm, struct summand__tuning_text *text);
void summand__tuning_text_free(struct summand__tuning_text *text);

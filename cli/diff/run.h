/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded runs: a folder with one file of each rank (shim/core/record_line.h). One rank is in
 * memory at a time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "shim/core/record_line.h"

/* Texts, each kept once, so equal ones have one address. */
struct texts {
    char **slot;
    size_t slots, count;
};
const char *texts_keep(struct texts *texts, const char *text); /* NULL stays NULL */
void texts_free(struct texts *texts);

struct kept_call {
    struct record_call call; /* its texts are kept in `texts` */
    int communicator;        /* index of its communicator */
    char *in, *out;          /* values, or NULL */
};

/* The record of a rank. */
struct rank_record {
    int communicators;
    struct record_communicator *communicator;
    long long count, ignored;
    struct kept_call *call; /* in the order of the file */
    int *order;             /* their indices, by communicator and number */
    bool whole;             /* has its last line */
    bool skips;             /* while it is read: the last call is left out */
};

struct run {
    const char *folder;
    int ranks;
    const char *program, *mpi, *mode; /* of rank 0; "" if not recorded */
    struct texts *texts;
    const char *ignore; /* words, separated by commas: calls whose caller has one are left out */
};

/* Reads the folder and the first lines of all files; `ignore` may be NULL. Returns false after a
 * complaint. */
bool run_open(struct run *run, const char *folder, const char *ignore, struct texts *texts);
/* Returns false after a complaint. */
bool run_load(const struct run *run, int rank, struct rank_record *record);
void rank_record_free(struct rank_record *record);

/* The call of this number on the communicator of this index; NULL if there is none. */
struct kept_call *rank_record_find(const struct rank_record *record, int communicator,
                                   long long number);
/* The index of the communicator with the same members, size and place among those; -1: none. */
int rank_record_communicator(const struct rank_record *record,
                             const struct record_communicator *like);

/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of a rank's record. Lines are in the order in which calls started; a call that is not
 * complete holds back those after it. Any thread may call these functions. */
#pragma once

#include <stdbool.h>

#include "shim/core/record_line.h"

/* A communicator in the file. The file numbers communicators by their first call. */
struct record_peers {
    struct record_communicator line;
    bool written;
};

/* A call on its way into the file. */
struct record_entry {
    struct record_call call; /* name, op, how and site live as long as the process */
    char type[64];
    struct record_peers *peers;
    char *in, *out; /* values, each after a blank, or NULL; the file frees them */
};

struct record_pending; /* a started call whose result is not there yet */

/* Opens DIR/rank-RANK.txt, with its first lines; makes the folder. Returns NULL, or an error in
 * words. */
const char *record_file_open(const char *folder, int rank, int ranks, const char *program,
                             const char *mpi, const char *mode);

/* Adds a complete call. */
void record_file_add(const struct record_entry *entry);
/* Adds a call that is not complete. NULL: no memory, and the call is lost. */
struct record_pending *record_file_begin(const struct record_entry *entry);
/* Its result is there (or, without memory for it, is not). */
void record_file_complete(struct record_pending *pending, struct record_hashed result, char *out);

/* Writes all calls, in an emergency: the process ends. What is not complete has no result. */
void record_file_flush(void);
/* Writes the rest and the last line, and closes the file. Returns the number of lost calls, and
 * their reason in words. */
long long record_file_close(const char **why);

/* SPDX-License-Identifier: BSD-3-Clause */
/* A state on a file, to resume later. One list of calls saves and loads it. The file begins with
 * its kind and version, and ends with a checksum over all of it. So a file with a flipped bit, a
 * truncated file or one of another version is refused. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/output.h"

struct summand__tape {
    FILE *file;
    bool loading, good;            /* good: so far */
    size_t left;                   /* bytes not loaded yet */
    uint64_t seal;                 /* of all bytes so far */
    struct summand__output output; /* the file that is written */
};

/* kind: at most 8 characters. version: of the list of calls. A file is written whole or not at all.
 * Returns false if the file cannot be opened, or is of another kind or version. */
bool summand__tape_save(struct summand__tape *tape, const char *path, const char *kind,
                        uint64_t version);
bool summand__tape_load(struct summand__tape *tape, const char *path, const char *kind,
                        uint64_t version);
/* Writes or checks the checksum and closes; true if everything succeeded. */
bool summand__tape_close(struct summand__tape *tape);

void summand__tape_pass(struct summand__tape *tape, void *data, size_t bytes);
/* A value that must be the same when the run resumes. */
void summand__tape_expect(struct summand__tape *tape, uint64_t value);
void summand__tape_expect_real(struct summand__tape *tape, double value);

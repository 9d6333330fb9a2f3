/* SPDX-License-Identifier: BSD-3-Clause */
/* Output files of commands: the screen, or a file written whole or not at all (base/output.h). */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/output.h"

struct output {
    FILE *file; /* the caller writes to it */
    const char *command;
    char path[PATH_MAX]; /* as the user gave it */
    struct summand__output beside;
};

/* A path of NULL or "-" is standard output. Returns false after a complaint. */
bool output_open(struct output *output, const char *command, const char *path);

/* With `good`, the written text becomes the file; otherwise the old file stays. Returns false if
 * not `good`, or, after a complaint, if the file could not be written. */
bool output_close(struct output *output, bool good);

/* Checks before the work that the file, or files in the folder, can be written; makes nothing.
 * Returns false after a complaint. Skips other paths than regular files, folders, and /dev/full and
 * the like: the reader of a pipe would see its end. */
bool output_ready(const char *command, const char *path, bool folder);

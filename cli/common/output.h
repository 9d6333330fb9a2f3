/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that commands write: to the screen, or whole or not at all (base/output.h). */
#ifndef SUMMAND_CLI_COMMON_OUTPUT_H
#define SUMMAND_CLI_COMMON_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/output.h"

struct output {
    FILE *file; /* to be written to */
    const char *command;
    char path[PATH_MAX]; /* as the user calls it */
    struct summand__output beside;
};

/* A path of NULL or "-" is standard output. False: the command has complained. */
bool output_open(struct output *output, const char *command, const char *path);

/* With `good`, what was written becomes the file; without, the file stays as it was. False: not
 * `good`, or it could not be written, and the command has complained of that. */
bool output_close(struct output *output, bool good);

/* Whether the file can be written, or files in the folder, before the work whose result is to be
 * there; nothing is made. False: the command has complained. What is neither a regular file nor a
 * folder is not touched, as who reads a pipe would see its end. */
bool output_ready(const char *command, const char *path, bool folder);

#endif

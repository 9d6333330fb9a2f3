/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that appear whole or not at all: written beside their place, then renamed. */
#ifndef SUMMAND_CLI_TUNE_TUNE_FILE_H
#define SUMMAND_CLI_TUNE_TUNE_FILE_H

#include <stdbool.h>

#include "cli/algorithms/loggp.h"
#include "select/tuning.h"

/* Reads a tuning file to add to. A file that is not there is an empty one; one that is damaged or
 * from another machine is refused with a complaint of `command`. */
bool tune_file_read(const char *command, const char *path, const char *machine,
                    struct summand__tuning *tuning);

/* Writes a tuning file, `head` (comment lines) before it; stdout for NULL or "-". False after a
 * complaint. */
bool tune_file_write(const char *command, const char *path, const char *head,
                     const struct summand__tuning *tuning);

/* Writes a model file with its fit as comments. */
bool tune_file_write_model(const char *command, const char *path, const char *head,
                           const struct loggp *loggp);

#endif

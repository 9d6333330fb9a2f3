/* SPDX-License-Identifier: BSD-3-Clause */
/* Files written whole or not at all: written to a draft, then renamed. */
#pragma once

#include <stdbool.h>

#include "cli/algorithms/loggp.h"
#include "select/tuning.h"

/* Reads a tuning file to extend. A missing file counts as empty; a damaged one or another machine's
 * is refused with a complaint of `command`. */
bool tune_file_read(const char *command, const char *path, const char *machine,
                    struct summand__tuning *tuning);

/* Writes a tuning file with `head` (comment lines) before it; stdout for NULL or "-". Returns false
 * after a complaint. */
bool tune_file_write(const char *command, const char *path, const char *head,
                     const struct summand__tuning *tuning);

/* Writes a model file with its fit as comments. */
bool tune_file_write_model(const char *command, const char *path, const char *head,
                           const struct loggp *loggp);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard output: all commands check it here. */
#pragma once

#include <stdbool.h>

/* Call before opening anything: otherwise a new file or socket could get the number of a closed
 * standard stream. */
void stdout_begin(void);
/* Flushes; false if not all could be written. */
bool stdout_flush(void);
/* After a command: writes the rest. Returns its exit status, or 1 after a complaint if not all
 * could be written. */
int stdout_end(const char *command, int status);

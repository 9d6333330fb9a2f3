/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard output, which every command checks in one place. */
#ifndef SUMMAND_CLI_COMMON_STDOUT_H
#define SUMMAND_CLI_COMMON_STDOUT_H

#include <stdbool.h>

/* Before anything is opened: a standard stream that is closed must not become a file or socket of
 * somebody else's. */
void stdout_begin(void);
/* What is there so far goes out now; false if not all could be written. */
bool stdout_flush(void);
/* After a command: writes what is left. Returns its exit status, or 1 after complaining where not
 * everything could be written. */
int stdout_end(const char *command, int status);

#endif

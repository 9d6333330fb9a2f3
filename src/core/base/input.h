/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are read to their end. */
#pragma once

#include <stdint.h>
#include <stdio.h>

/* Opens a regular file for reading; *bytes is its size now. Refuses anything else and does not wait
 * for it: a pipe or device might never begin or end. -1 or NULL: *why says the reason, and errno is
 * 0 for what is no regular file. */
int summand__input_open(const char *path, uint64_t *bytes, const char **why);
FILE *summand__input_file(const char *path, uint64_t *bytes, const char **why);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers in the form that users write. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Parses a decimal integer: digits with an optional suffix k, m or g (powers of 1024), or with a
 * power of ten as in 1e6; false if invalid. */
bool summand__parse_integer(const char *text, long long *value);
/* The same at the beginning of a text, which moves behind it. */
bool summand__read_integer(const char **text, long long *value);

/* Parses digits with an optional decimal point, in any locale; false if there is anything else. */
bool summand__parse_decimal(const char *text, double *value);

/* Prints an integer in its shortest form: 65536 is "64k". */
void summand__print_integer(long long value, char *text, size_t room);

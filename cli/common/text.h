/* SPDX-License-Identifier: BSD-3-Clause */
/* Text that comes from outside: names of files, titles, variables of the environment. It may hold
 * any bytes. What the command prints or writes of it is valid UTF-8: a byte that belongs to no
 * character becomes "\xff". */
#ifndef SUMMAND_CLI_COMMON_TEXT_H
#define SUMMAND_CLI_COMMON_TEXT_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Valid UTF-8 with the same characters, in memory that the caller frees. */
char *text_valid(const char *text);

/* The same for a line on a screen or in a picture: a control character becomes "\n" or "\x1b", and
 * one that would reorder or end the line "\u202e". */
char *text_line(const char *text);

/* Columns that valid UTF-8 takes on a screen: 2 for a wide character, 0 for a combining one. */
int text_columns(const char *text);

/* Prints it, filled up with blanks to so many columns: on the left, or with less than 0 on the
 * right. */
void text_pad(FILE *out, const char *text, int columns);

/* What vprintf would print, in memory that the caller frees. */
char *text_format(const char *format, va_list list) __attribute__((format(printf, 1, 0)));

/* Copies as much as there is room for; of a longer text its beginning and its end. */
void text_fit(char *to, size_t room, const char *text);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from outside: file names, titles, environment variables. It may hold any bytes; the
 * command's output of it is valid UTF-8: a byte that is not part of a character becomes "\xff". */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Valid UTF-8 with the same characters; the caller frees it. */
char *text_valid(const char *text);

/* The same for a line on a screen or in a picture: a control character becomes "\n" or "\x1b", and
 * one that reorders or ends the line "\u202e". */
char *text_line(const char *text);

/* Columns of valid UTF-8 on a screen: 2 for a wide character, 0 for a combining one. */
int text_columns(const char *text);

/* Bytes of a beginning of valid UTF-8 that fits into this many columns and ends at a blank, or at
 * the end of the text. Of a first word that is longer: all of it, or, with `cut`, what fits, at
 * least one character. */
size_t text_piece(const char *text, int columns, bool cut);

/* The end of a noun: "" for 1, else "s". */
const char *text_plural(long long count);

/* The output of vprintf in memory; the caller frees it. */
char *text_format(const char *format, va_list list) __attribute__((format(printf, 1, 0)));

/* Copies as much as fits; of a longer text its beginning and its end. */
void text_fit(char *to, size_t room, const char *text);

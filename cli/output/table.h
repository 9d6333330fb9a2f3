/* SPDX-License-Identifier: BSD-3-Clause */
/* A table on the screen: cells collected as text, columns aligned when printed. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { TABLE_COLUMNS = 16 };

struct table {
    int columns;
    bool left[TABLE_COLUMNS]; /* aligned left; numbers are aligned right */
    int cells, room;
    char **cell;
};

/* heads: '|' between the columns; a head that begins with '<' is aligned left. */
void table_begin(struct table *table, const char *heads);
/* The next cell, row by row. */
void table_cell(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Prints, unless out is NULL, and frees the table. On a screen whose columns are known (cli.h) no
 * line is longer: heads and text go on below themselves, and columns that find no room go to
 * further lines of their row. Elsewhere a row is one line, and only text in the last column goes
 * on below. */
void table_end(struct table *table, FILE *out);

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/common/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/text.h"

/* Takes ownership of the text. */
static void append(struct table *table, char *text)
{
    if (table->cells == table->room) {
        table->room = table->room ? 2 * table->room : 64;
        table->cell = need(realloc(table->cell, (size_t)table->room * sizeof *table->cell));
    }
    table->cell[table->cells++] = text;
}

void table_begin(struct table *table, const char *heads)
{
    *table = (struct table){0};
    while (*heads && table->columns < TABLE_COLUMNS) {
        table->left[table->columns++] = *heads == '<';
        heads += *heads == '<';
        size_t length = strcspn(heads, "|");
        append(table, need(strndup(heads, length)));
        heads += length + (heads[length] == '|');
    }
}

void table_cell(struct table *table, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = text_format(format, list);
    va_end(list);
    append(table, text_line(text));
    free(text);
}

enum { LEAST_ROOM = 15 };

/* Text in the last column wraps below itself at the screen's edge, if there is some room. */
static void print_last(const struct table *table, const char *text, int column, FILE *out)
{
    bool wraps = table->left[table->columns - 1] && column + LEAST_ROOM <= SCREEN_COLUMNS;
    if (wraps && column + text_columns(text) > SCREEN_COLUMNS)
        print_wrapped(text, column, out);
    else
        fprintf(out, "%s\n", text);
}

/* Blanks between columns: one if the screen has no room for two. */
static int gap_of(const struct table *table, const int *width)
{
    int last = table->columns - 1;
    bool wraps = table->left[last] && width[last] > LEAST_ROOM;
    int columns = wraps ? LEAST_ROOM : width[last];
    for (int c = 0; c < last; c++)
        columns += width[c] + 2;
    return columns > SCREEN_COLUMNS ? 1 : 2;
}

void table_end(struct table *table, FILE *out)
{
    int width[TABLE_COLUMNS] = {0}, column = 0, gap;
    for (int i = 0; i < table->cells; i++) {
        int length = text_columns(table->cell[i]), c = i % table->columns;
        width[c] = length > width[c] ? length : width[c];
    }
    gap = gap_of(table, width);
    for (int c = 0; c + 1 < table->columns; c++)
        column += width[c] + gap;
    for (int i = 0; i < table->cells; i++) {
        int c = i % table->columns;
        bool last = c + 1 == table->columns;
        if (out && last && table->left[c]) {
            print_last(table, table->cell[i], column, out);
        } else if (out) {
            text_pad(out, table->cell[i], table->left[c] ? -width[c] : width[c]);
            fprintf(out, "%.*s", last ? 1 : gap, last ? "\n" : "  ");
        }
        free(table->cell[i]);
    }
    free(table->cell);
    *table = (struct table){0};
}

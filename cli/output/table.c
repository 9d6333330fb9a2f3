/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/output/text.h"

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

enum { LEAST_ROOM = 15, INDENT = 2 };

/* How a table is printed. Columns that do not fit beside the others go to further lines of their
 * row. */
struct layout {
    int width[TABLE_COLUMNS];
    int least[TABLE_COLUMNS];    /* of a width: text goes on below itself */
    bool further[TABLE_COLUMNS]; /* the column begins such a line */
    int gap;                     /* blanks between columns */
    bool cut;                    /* words that are longer than a line */
};

static int longest_word(const char *text)
{
    int longest = 0;
    while (*text) {
        const size_t length = text_piece(text, 1, false);
        char *word = need(strndup(text, length));
        const int columns = text_columns(word);
        longest = columns > longest ? columns : longest;
        free(word);
        text += length;
        text += strspn(text, " ");
    }
    return longest;
}

static int greater(int a, int b)
{
    return a > b ? a : b;
}

static int lesser(int a, int b)
{
    return a < b ? a : b;
}

/* Numbers, and heads if `whole`, keep their columns. Text needs those of its longest word, where it
 * may go on below itself: everywhere, or only in the last column of a row that is one line. */
static void find_widths(const struct table *table, bool whole, struct layout *layout)
{
    memset(layout->width, 0, sizeof layout->width);
    memset(layout->least, 0, sizeof layout->least);
    for (int i = 0; i < table->cells; i++) {
        const int c = i % table->columns, word = longest_word(table->cell[i]);
        const bool head = i < table->columns, last = c + 1 == table->columns;
        const bool text = table->left[c] && (layout->cut || last);
        const int columns = text_columns(table->cell[i]);
        const int least =
            text ? lesser(columns, greater(layout->cut ? word : 0, LEAST_ROOM)) : columns;
        layout->width[c] = greater(layout->width[c], head && !whole ? word : columns);
        layout->least[c] = greater(layout->least[c], head && !whole ? word : least);
    }
}

/* The columns of a row in one line. */
static int needed(const struct table *table, const struct layout *layout, const int *width)
{
    int columns = (table->columns - 1) * layout->gap;
    for (int c = 0; c < table->columns; c++)
        columns += width[c];
    return columns;
}

/* Gives the columns [from, to) of a line their least widths, and what is left to those that want
 * more. */
static void share(struct layout *layout, int from, int to, int columns)
{
    int left = columns - (layout->further[from] ? INDENT : 0) - (to - from - 1) * layout->gap;
    for (int c = from; c < to; c++)
        left -= layout->least[c];
    for (int c = from; c < to; c++) {
        const int more = lesser(layout->width[c] - layout->least[c], greater(left, 0));
        layout->width[c] = layout->least[c] + more;
        left -= more;
    }
    if (left < 0) /* a single column */
        layout->width[from] = greater(layout->width[from] + left, 1);
}

/* Puts columns into further lines where a line is full. */
static void fold(const struct table *table, int columns, struct layout *layout)
{
    int at = layout->least[0], from = 0;
    for (int c = 1; c < table->columns; c++) {
        at += layout->gap + layout->least[c];
        if (at <= columns)
            continue;
        share(layout, from, c, columns);
        layout->further[c] = true;
        from = c;
        at = INDENT + layout->least[c];
    }
    share(layout, from, table->columns, columns);
}

static struct layout layout_of(const struct table *table, FILE *out)
{
    struct layout layout = {.gap = 2, .cut = screen_is_known(out)};
    const int columns = screen_columns(out), last = table->columns - 1;
    find_widths(table, true, &layout);
    if (needed(table, &layout, layout.least) > columns)
        layout.gap = 1;
    if (needed(table, &layout, layout.width) <= columns)
        return layout;
    if (layout.cut && needed(table, &layout, layout.least) > columns)
        find_widths(table, false, &layout);
    if (layout.cut)
        fold(table, columns, &layout);
    else
        layout.width[last] =
            greater(layout.least[last],
                    layout.width[last] - (needed(table, &layout, layout.width) - columns));
    return layout;
}

/* Prints the cells [from, to) of a row side by side, each in as many lines as it takes. */
static void print_cells(const struct table *table, const struct layout *layout, int row, int from,
                        int to, FILE *out)
{
    const char *rest[TABLE_COLUMNS];
    for (int c = from; c < to; c++)
        rest[c] = table->cell[row * table->columns + c];
    for (bool more = true; more;) {
        int at = 0, start = layout->further[from] ? INDENT : 0;
        more = false;
        for (int c = from; c < to; c++) {
            const size_t length = text_piece(rest[c], layout->width[c], layout->cut);
            char *piece = need(strndup(rest[c], length));
            const int columns = text_columns(piece), pad = layout->width[c] - columns;
            const int place = table->left[c] || pad < 0 ? start : start + pad;
            rest[c] += length;
            rest[c] += strspn(rest[c], " ");
            more = more || *rest[c];
            if (*piece) {
                fprintf(out, "%*s%s", place > at ? place - at : 0, "", piece);
                at = (place > at ? place : at) + columns;
            }
            start += layout->width[c] + layout->gap;
            free(piece);
        }
        fputc('\n', out);
    }
}

static void print_row(const struct table *table, const struct layout *layout, int row, FILE *out)
{
    for (int from = 0, to; from < table->columns; from = to) {
        for (to = from + 1; to < table->columns && !layout->further[to];)
            to++;
        print_cells(table, layout, row, from, to, out);
    }
}

void table_end(struct table *table, FILE *out)
{
    if (out) {
        const struct layout layout = layout_of(table, out);
        progress_hide();
        for (int row = 0; row < table->cells / table->columns; row++)
            print_row(table, &layout, row, out);
    }
    for (int i = 0; i < table->cells; i++)
        free(table->cell[i]);
    free(table->cell);
    *table = (struct table){0};
}

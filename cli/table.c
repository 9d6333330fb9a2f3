#include "table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The command has no use for going on without the memory of a table. */
static void *need(void *memory)
{
    if (!memory) {
        fputs("summand: out of memory\n", stderr);
        abort();
    }
    return memory;
}

static void append(struct table *table, const char *text, size_t length)
{
    if (table->cells == table->room) {
        table->room = table->room ? 2 * table->room : 64;
        table->cell = need(realloc(table->cell, (size_t)table->room * sizeof *table->cell));
    }
    table->cell[table->cells++] = need(strndup(text, length));
}

void table_begin(struct table *table, const char *heads)
{
    *table = (struct table){0};
    while (*heads && table->columns < TABLE_COLUMNS) {
        table->left[table->columns++] = *heads == '<';
        heads += *heads == '<';
        size_t length = strcspn(heads, "|");
        append(table, heads, length);
        heads += length + (heads[length] == '|');
    }
}

void table_cell(struct table *table, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    append(table, text, strlen(text));
}

void table_end(struct table *table, FILE *out)
{
    int width[TABLE_COLUMNS] = {0};
    for (int i = 0; i < table->cells; i++) {
        int length = (int)strlen(table->cell[i]), c = i % table->columns;
        width[c] = length > width[c] ? length : width[c];
    }
    for (int i = 0; i < table->cells; i++) {
        int c = i % table->columns;
        bool last = c + 1 == table->columns;
        int pad = table->left[c] ? (last ? 0 : -width[c]) : width[c];
        if (out)
            fprintf(out, "%*s%s", pad, table->cell[i], last ? "\n" : "  ");
        free(table->cell[i]);
    }
    free(table->cell);
    *table = (struct table){0};
}

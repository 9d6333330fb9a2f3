/* SPDX-License-Identifier: BSD-3-Clause */
/* Words on the screen, in lines of at most 100 columns. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/text.h"

static void wrap(const char *words, int column, const char *mark, FILE *out)
{
    char *text = text_line(words), *rest = NULL;
    int at = column;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        const int columns = text_columns(word);
        if (at > column && at + 1 + columns > SCREEN_COLUMNS) {
            fprintf(out, "\n%-*s", column, mark);
            at = column;
        } else if (at > column) {
            fputc(' ', out);
            at++;
        }
        fputs(word, out);
        at += columns;
    }
    fputc('\n', out);
    free(text);
}

void print_wrapped(const char *words, int column, FILE *out)
{
    wrap(words, column, "", out);
}

void print_remark(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = text_format(format, list);
    va_end(list);
    fputs("# ", stdout);
    wrap(text, 2, "#", stdout);
    free(text);
}

void print_line(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    char *text = text_format(format, list), *line = text_line(text);
    va_end(list);
    puts(line);
    free(line);
    free(text);
}

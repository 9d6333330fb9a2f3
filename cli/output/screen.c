/* SPDX-License-Identifier: BSD-3-Clause */
/* Words on the screen, in lines that fit. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/output/text.h"

enum { INDENT = 4, LEAST_ROOM = 15 };

/* A single blank between words. */
static void squeeze(char *text)
{
    char *to = text;
    text += strspn(text, " ");
    for (; *text; text++)
        if (*text != ' ' || (text[1] && text[1] != ' '))
            *to++ = *text;
    *to = '\0';
}

static void wrap(const char *words, int column, const char *mark, FILE *out)
{
    const int columns = screen_columns(out);
    const bool known = screen_is_known(out);
    char *text = text_line(words), *at = text;
    progress_hide();
    squeeze(text);
    if (known && column > INDENT && columns - column < LEAST_ROOM) {
        column = INDENT;
        fprintf(out, "\n%-*s", column, mark);
    }
    for (;;) {
        size_t piece = text_piece(at, columns - column, known);
        fwrite(at, 1, piece, out);
        at += piece;
        at += *at == ' ';
        if (!*at)
            break;
        fprintf(out, "\n%-*s", column, mark);
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
    progress_hide();
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
    progress_hide();
    const int lead = (int)strspn(line, " ");
    if (screen_is_known(stdout) && text_columns(line) > screen_columns(stdout)) {
        printf("%*s", lead, "");
        wrap(text, lead, "", stdout);
    } else
        puts(line);
    free(line);
    free(text);
}

void print_lines(const char *text)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        print_line("%.*s", (int)length, text);
        text += length;
        text += *text == '\n';
    }
}

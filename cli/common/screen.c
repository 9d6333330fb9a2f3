/* Words on the screen, in lines of at most 100 columns. */
#include <stdarg.h>
#include <string.h>

#include "cli/common/cli.h"

static void wrap(const char *words, int column, const char *mark, FILE *out)
{
    int at = column;
    while (*words) {
        size_t length = strcspn(words, " ");
        if (at > column && at + 1 + (int)length > SCREEN_COLUMNS) {
            fprintf(out, "\n%-*s", column, mark);
            at = column;
        } else if (at > column) {
            fputc(' ', out);
            at++;
        }
        fwrite(words, 1, length, out);
        at += (int)length;
        words += length;
        words += strspn(words, " ");
    }
    fputc('\n', out);
}

void print_wrapped(const char *words, int column, FILE *out)
{
    wrap(words, column, "", out);
}

void print_remark(const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    fputs("# ", stdout);
    wrap(text, 2, "#", stdout);
}

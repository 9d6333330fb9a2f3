/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors in one sentence. */
#include <stdarg.h>
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/output/text.h"

const char *program_name = "summand";

/* One write, so that lines of several ranks do not mix. */
static void say(const char *command, const char *format, va_list list)
{
    char *text = text_format(format, list), *line = text_line(text);
    /* Sentences begin with the wrong text; if a sentence begins with a colon, that text is
     * empty. */
    progress_hide();
    fprintf(stderr, "%s %s: %s%s\n", program_name, command, *line == ':' ? "''" : "", line);
    free(line);
    free(text);
}

int complain(const char *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    say(command, format, list);
    va_end(list);
    return 1;
}

void advise(const char *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (cli_rank() == 0)
        say(command, format, list);
    va_end(list);
}

int misuse(const char *command, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (cli_rank() == 0)
        say(command, format, list);
    va_end(list);
    return 2;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* How wide the screen is. */
#include <limits.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/number.h"
#include "cli/common/cli.h"

enum { STANDARD = 80, LEAST = 20 };

/* 0: nothing tells it. */
static int told_columns(FILE *out)
{
    const char *variable = summand__environment_foreign("COLUMNS");
    long long columns;
    struct winsize size;
    if (out != stdout && out != stderr)
        return 0;
    if (variable && summand__parse_integer(variable, &columns) && columns > 0 && columns < INT_MAX)
        return (int)columns;
    return isatty(fileno(out)) && !ioctl(fileno(out), TIOCGWINSZ, &size) ? size.ws_col : 0;
}

bool screen_is_known(FILE *out)
{
    return told_columns(out) > 0;
}

int screen_columns(FILE *out)
{
    const int told = told_columns(out);
    return told <= 0 ? STANDARD : told < LEAST ? LEAST : told;
}

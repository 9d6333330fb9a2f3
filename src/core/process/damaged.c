/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/damaged.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/warning.h"
#include "process/error.h"

int summand__refuse_damaged(int rank, int ranks, const char *format, ...)
{
    char host[65] = "", what[300], line[400];
    va_list words;
    gethostname(host, sizeof host - 1);
    va_start(words, format);
    vsnprintf(what, sizeof what, format, words);
    va_end(words);
    snprintf(line, sizeof line, "rank %d of %d on %s: %s", rank, ranks,
             *host ? host : "a host without name", what);
    summand__tell(line);
    return summand__refuse(SUMMAND_ERR_DAMAGED, "%s", line);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/damaged.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/warning.h"
#include "process/error.h"

static _Atomic uint64_t checked, damaged;
static char first[SUMMAND__DAMAGE_WORDS];
static atomic_bool written; /* `first` is whole */

void summand__damage_checked(uint64_t chunks)
{
    atomic_fetch_add_explicit(&checked, chunks, memory_order_relaxed);
}

struct summand__damage summand__damage_so_far(void)
{
    struct summand__damage so_far = {.checked = atomic_load(&checked),
                                     .damaged = atomic_load(&damaged)};
    if (atomic_load(&written))
        memcpy(so_far.first, first, sizeof first);
    return so_far;
}

static void count(const char *line)
{
    if (atomic_fetch_add(&damaged, 1))
        return;
    snprintf(first, sizeof first, "%.*s", SUMMAND__DAMAGE_WORDS - 1, line);
    atomic_store(&written, true);
}

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
    count(line);
    summand__tell(line);
    return summand__refuse(SUMMAND_ERR_DAMAGED, "%s", line);
}

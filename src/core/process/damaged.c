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

static _Atomic uint64_t checked, damaged, repaired;
static char first[SUMMAND__DAMAGE_WORDS];
static atomic_bool written; /* `first` is whole */

void summand__damage_checked(uint64_t chunks)
{
    atomic_fetch_add_explicit(&checked, chunks, memory_order_relaxed);
}

struct summand__damage summand__damage_so_far(void)
{
    struct summand__damage so_far = {.checked = atomic_load(&checked),
                                     .damaged = atomic_load(&damaged),
                                     .repaired = atomic_load(&repaired)};
    if (atomic_load(&written))
        memcpy(so_far.first, first, sizeof first);
    return so_far;
}

enum { LINE = 400 };

static void say(int rank, int ranks, const char *format, va_list words, char line[LINE])
{
    char host[65] = "", what[300];
    gethostname(host, sizeof host - 1);
    vsnprintf(what, sizeof what, format, words);
    snprintf(line, LINE, "rank %d of %d on %s: %s", rank, ranks,
             *host ? host : "a host without name", what);
    summand__tell(line);
}

/* Counts a damaged chunk, and tells of it. */
static void tell(int rank, int ranks, const char *format, va_list words, char line[LINE])
{
    say(rank, ranks, format, words, line);
    if (!atomic_fetch_add(&damaged, 1)) {
        snprintf(first, sizeof first, "%.*s", SUMMAND__DAMAGE_WORDS - 1, line);
        atomic_store(&written, true);
    }
}

void summand__tell_damaged(int rank, int ranks, const char *format, ...)
{
    char line[LINE];
    va_list words;
    va_start(words, format);
    tell(rank, ranks, format, words, line);
    va_end(words);
}

void summand__tell_more(int rank, int ranks, const char *format, ...)
{
    char line[LINE];
    va_list words;
    va_start(words, format);
    say(rank, ranks, format, words, line);
    va_end(words);
}

void summand__damage_repaired(void)
{
    atomic_fetch_add(&repaired, 1);
}

int summand__refuse_damaged(int rank, int ranks, const char *format, ...)
{
    char line[LINE];
    va_list words;
    va_start(words, format);
    tell(rank, ranks, format, words, line);
    va_end(words);
    return summand__refuse(SUMMAND_ERR_DAMAGED, "%s", line);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/runs.h"

#include <stdint.h>

static bool is_empty(const struct summand__runs *runs)
{
    return !runs->begin || !runs->count || !runs->bytes;
}

/* count * by + more, limited to the largest number. */
static size_t scaled(size_t count, size_t by, size_t more)
{
    size_t all;
    return __builtin_mul_overflow(count, by, &all) || __builtin_add_overflow(all, more, &all)
               ? SIZE_MAX
               : all;
}

/* Joins contiguous runs to one. */
static struct summand__runs joined(const struct summand__runs *runs)
{
    const size_t bytes = scaled(runs->count, runs->bytes, 0);
    if (runs->count > 1 && runs->bytes != runs->apart)
        return *runs;
    return (struct summand__runs){runs->begin, 1, bytes, bytes};
}

static uintptr_t end_of(const struct summand__runs *runs)
{
    return scaled(1, scaled(runs->count - 1, runs->apart, runs->bytes), (size_t)runs->begin);
}

/* True if [from, from + bytes) shares bytes with `runs`. */
static bool meets(const struct summand__runs *runs, uintptr_t from, size_t bytes)
{
    const uintptr_t begin = (uintptr_t)runs->begin;
    if (from < begin)
        return bytes > begin - from;
    const size_t run = (from - begin) / runs->apart, into = (from - begin) % runs->apart;
    return run < runs->count &&
           (into < runs->bytes || (run + 1 < runs->count && bytes > runs->apart - into));
}

bool summand__runs_meet(const struct summand__runs *a, const struct summand__runs *b)
{
    if (is_empty(a) || is_empty(b))
        return false;
    const struct summand__runs of_a = joined(a), of_b = joined(b);
    if ((uintptr_t)of_a.begin >= end_of(&of_b) || (uintptr_t)of_b.begin >= end_of(&of_a))
        return false;
    for (size_t run = 0; run < of_b.count; run++)
        if (meets(&of_a, (uintptr_t)of_b.begin + run * of_b.apart, of_b.bytes))
            return true;
    return false;
}

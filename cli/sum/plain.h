/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums alone, one on each line, in place of a table: kept until all are there. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "bench/need.h"

struct plain {
    FILE *file;
    char *text;
    size_t length;
};

static inline void plain_add(struct plain *plain, double value)
{
    if (!plain->file)
        plain->file = need(open_memstream(&plain->text, &plain->length));
    fprintf(plain->file, "%.17g\n", value);
}

static inline void plain_print(struct plain *plain)
{
    if (plain->file && !fflush(plain->file))
        fputs(plain->text, stdout);
}

static inline void plain_free(struct plain *plain)
{
    if (plain->file)
        fclose(plain->file);
    free(plain->text);
}

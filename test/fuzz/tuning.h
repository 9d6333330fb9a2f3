/* SPDX-License-Identifier: BSD-3-Clause */
/* The check of both fuzzers of tuning files: an accepted file, written again, reads back the same.
 * */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/tuning/tuning.h"

static inline char *tuning_text(const struct summand__tuning *tuning, size_t *length)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, length);
    if (!out)
        abort();
    summand__tuning_write(tuning, out);
    fclose(out);
    return text;
}

/* NULL, or what is wrong. */
static inline const char *tuning_reads_back(const struct summand__tuning *tuning)
{
    static char fault[256];
    struct summand__tuning again;
    size_t length, twice;
    char *text = tuning_text(tuning, &length);
    bool taken = summand__tuning_parse(&again, text, length, fault, sizeof fault), alike = false;
    if (taken) {
        char *same = tuning_text(&again, &twice);
        alike = length == twice && !memcmp(text, same, length);
        free(same);
        summand__tuning_free(&again);
    }
    free(text);
    return alike ? NULL : taken ? "reads back as something else" : "does not read back";
}

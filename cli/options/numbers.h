/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists of integers on the command line: "1,1000", "1..1m" (times ten), "1..1m:4" (times four),
 * "16..576+16" (steps of 16), and these joined by commas. Each may be written as 64k or 1e6. */
#pragma once

#include <stdbool.h>

enum { NUMBERS_MOST = 64 };

struct numbers {
    int count;
    long long value[NUMBERS_MOST];
};

/* Returns false if the text is no such list, has more than NUMBERS_MOST numbers, or one out of
 * range. */
bool read_numbers(const char *text, long long least, long long most, struct numbers *numbers);
/* The same with another factor than ten for "8..16m". */
bool read_numbers_by(const char *text, long long least, long long most, long long factor,
                     struct numbers *numbers);

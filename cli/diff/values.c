/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded values, and words for them. */
#include "cli/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Datatypes by their words; bits: of the significand, 0: no floating-point number. */
static const struct type_row {
    const char *type, *plural;
    int bits;
} rows[] = {{"MPI_DOUBLE", "doubles", 53},
            {"MPI_FLOAT", "floats", 24},
            {"MPI_LONG_DOUBLE", "long doubles", 64},
            {"MPI_DOUBLE_PRECISION", "doubles", 53},
            {"MPI_REAL", "reals", 24},
            {"MPI_REAL4", "reals", 24},
            {"MPI_REAL8", "doubles", 53},
            {"MPI_C_FLOAT_COMPLEX", "float complexes", 24},
            {"MPI_C_DOUBLE_COMPLEX", "double complexes", 53},
            {"MPI_C_LONG_DOUBLE_COMPLEX", "long double complexes", 64},
            {"MPI_COMPLEX", "complexes", 24},
            {"MPI_DOUBLE_COMPLEX", "double complexes", 53},
            {"MPI_CXX_FLOAT_COMPLEX", "float complexes", 24},
            {"MPI_CXX_DOUBLE_COMPLEX", "double complexes", 53},
            {"MPI_FLOAT_INT", "pairs of float and int", 24},
            {"MPI_DOUBLE_INT", "pairs of double and int", 53},
            {"MPI_LONG_DOUBLE_INT", "pairs of long double and int", 64},
            {"MPI_2REAL", "pairs of reals", 24},
            {"MPI_2DOUBLE_PRECISION", "pairs of doubles", 53},
            {"MPI_INT", "ints", 0},
            {"MPI_INTEGER", "integers", 0},
            {"MPI_LONG", "longs", 0},
            {"MPI_LONG_LONG_INT", "long longs", 0},
            {"MPI_LONG_LONG", "long longs", 0},
            {"MPI_UNSIGNED", "unsigned ints", 0},
            {"MPI_UNSIGNED_LONG", "unsigned longs", 0},
            {"MPI_CHAR", "chars", 0},
            {"MPI_BYTE", "bytes", 0}};

static const struct type_row *row_of(const char *type)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].type, type))
            return &rows[i];
    return NULL;
}

bool is_floating(const char *type)
{
    const struct type_row *row = row_of(type);
    return row && row->bits;
}

void words_of_count(long long count, const char *type, char *text, size_t room)
{
    const struct type_row *row = row_of(type);
    if (!row)
        snprintf(text, room, "%lld of %s", count, type);
    else if (count == 1 && !strchr(row->plural, ' '))
        snprintf(text, room, "1 %.*s", (int)strlen(row->plural) - 1, row->plural);
    else
        snprintf(text, room, "%lld %s", count, row->plural);
}

/* The distance in units in the last place of the larger number. */
static double ulps_between(const char *a, const char *b, int bits)
{
    char *end_a, *end_b;
    long double x = strtold(a, &end_a), y = strtold(b, &end_b);
    long double larger = fabsl(x) > fabsl(y) ? fabsl(x) : fabsl(y);
    int exponent;
    if (!bits || end_a == a || *end_a || end_b == b || *end_b || !isfinite(x) || !isfinite(y))
        return NAN;
    frexpl(larger, &exponent);
    /* Subnormal numbers have the ulp of the least normal one. */
    const int least = bits == 24 ? -125 : bits == 53 ? -1021 : -16381;
    exponent = exponent > least ? exponent : least;
    return (double)ldexpl(fabsl(x - y), bits - exponent);
}

static long long count_words(const char *text)
{
    long long words = 0;
    for (bool inside = false; *text; text++) {
        words += *text != ' ' && !inside;
        inside = *text != ' ';
    }
    return words;
}

long long values_compare(char *a, char *b, const char *type, long long *count,
                         struct value_pair pairs[VALUE_PAIRS], int *kept)
{
    const struct type_row *row = row_of(type);
    long long differing = 0;
    *kept = 0;
    if (!a || !b || (*count = count_words(a)) != count_words(b))
        return -1;
    char *rest_a = a, *rest_b = b;
    for (long long i = 0; i < *count; i++) {
        const char *x = strtok_r(i ? NULL : a, " ", &rest_a);
        const char *y = strtok_r(i ? NULL : b, " ", &rest_b);
        if (!x || !y || !strcmp(x, y))
            continue;
        differing++;
        if (*kept < VALUE_PAIRS)
            pairs[(*kept)++] =
                (struct value_pair){i, x, y, ulps_between(x, y, row ? row->bits : 0)};
    }
    return differing;
}

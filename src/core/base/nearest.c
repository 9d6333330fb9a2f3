/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

#include "base/extreme.h"

enum { LONGEST = 48 };

/* Number of letters to insert, delete, replace or swap with their neighbours (Damerau 1964, each
 * pair swapped at most once). */
static int distance(const char *a, const char *b)
{
    int rows[3][LONGEST + 1] = {{0}};
    int m = (int)strlen(a), n = (int)strlen(b);
    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    for (int j = 0; j <= n; j++)
        rows[0][j] = j;
    for (int i = 1; i <= m; i++) {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            row[j] = summand__lesser(above[j - 1] + (a[i - 1] != b[j - 1]),
                                     summand__lesser(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = summand__lesser(row[j], second[j - 2] + 1);
        }
    }
    return rows[m % 3][n];
}

struct summand__nearest summand__nearest_to(const char *word)
{
    /* Allows one wrong letter of three, two of four to seven, ... */
    return (struct summand__nearest){.word = word, .changes = 2 + (int)strlen(word) / 4};
}

void summand__nearest_try(struct summand__nearest *nearest, const char *name)
{
    size_t length = strlen(nearest->word);
    int changes = distance(nearest->word, name);
    if (length >= 3 && !strncmp(nearest->word, name, length)) /* a prefix of the name */
        changes = 1;
    if (changes < nearest->changes && changes < (int)strlen(name)) {
        nearest->changes = changes;
        snprintf(nearest->name, sizeof nearest->name, "%s", name);
    }
}

void summand__nearest_try_all(struct summand__nearest *nearest, const char *const *names)
{
    for (int i = 0; names[i]; i++)
        summand__nearest_try(nearest, names[i]);
}

struct summand__nearest_text summand__nearest_text(const struct summand__nearest *nearest)
{
    struct summand__nearest_text words = {""};
    if (*nearest->name)
        snprintf(words.text, sizeof words.text, " (did you mean '%s'?)", nearest->name);
    return words;
}

struct summand__nearest_text summand__nearest_of(const char *word, const char *const *names)
{
    struct summand__nearest nearest = summand__nearest_to(word);
    summand__nearest_try_all(&nearest, names);
    return summand__nearest_text(&nearest);
}

struct summand__nearest_text summand__nearest_in(const char *word, const char *names)
{
    static const char between[] = ", |";
    struct summand__nearest nearest = summand__nearest_to(word);
    while (*names) {
        char name[LONGEST + 1];
        const size_t length = strcspn(names, between);
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        summand__nearest_try(&nearest, name);
        names += length;
        names += strspn(names, between);
    }
    return summand__nearest_text(&nearest);
}

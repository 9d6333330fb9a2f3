/* SPDX-License-Identifier: BSD-3-Clause */
/* Suggests the name that an unknown word probably means. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A search for the name that needs the fewest changes to become `word`. */
struct summand__nearest {
    const char *word;
    char name[64]; /* the best so far; empty: none is near */
    int changes;
};

struct summand__nearest summand__nearest_to(const char *word);
void summand__nearest_try(struct summand__nearest *nearest, const char *name);
/* Tries all names of a NULL-terminated list. */
void summand__nearest_try_all(struct summand__nearest *nearest, const char *const *names);

/* " (did you mean 'NAME'?)", or an empty text if no name is near. */
struct summand__nearest_text {
    char text[96];
};
struct summand__nearest_text summand__nearest_text(const struct summand__nearest *nearest);

/* The same for a list of names, and for a text of names separated by commas, blanks or '|'. */
struct summand__nearest_text summand__nearest_of(const char *word, const char *const *names);
struct summand__nearest_text summand__nearest_in(const char *word, const char *names);

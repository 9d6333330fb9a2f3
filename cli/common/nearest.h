/* What a word that is not known was probably meant to be. */
#ifndef SUMMAND_CLI_COMMON_NEAREST_H
#define SUMMAND_CLI_COMMON_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

/* A search for the name that needs the fewest changes to become `word`. */
struct nearest {
    const char *word;
    char name[64]; /* the best so far; empty: none is near */
    int changes;
};

struct nearest nearest_to(const char *word);
void nearest_try(struct nearest *nearest, const char *name);
/* All of a NULL-terminated list. */
void nearest_try_all(struct nearest *nearest, const char *const *names);

/* " (did you mean 'NAME'?)", or an empty text where no name is near. */
struct nearest_text {
    char text[96];
};
struct nearest_text nearest_text(const struct nearest *nearest);

/* The same for a list of names, for a text of them with commas, blanks or '|' between, and for the
 * algorithms of the library. */
struct nearest_text nearest_of(const char *word, const char *const *names);
struct nearest_text nearest_in(const char *word, const char *names);
struct nearest_text nearest_algorithm(const char *word);

#endif

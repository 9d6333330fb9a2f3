/* The environment variables of the library and the command: one table, which drives the one reader
 * below, `summand info --env`, the manual page, and the warning about names that nobody reads. */
#ifndef SUMMAND_BASE_ENVIRONMENT_H
#define SUMMAND_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum summand__environment_kind {
    SUMMAND__CHOICE,  /* one of the words of `type` */
    SUMMAND__NUMBER,  /* from `least` to `most`; suffixes k, m, g are powers of 1024; or the word
                         that `type` has behind a '|', which is -1 */
    SUMMAND__SECONDS, /* from `least` to `most`, with a decimal point or without */
    SUMMAND__TEXT     /* whatever its reader makes of it */
};

struct summand__environment_row {
    const char *name;
    enum summand__environment_kind kind;
    const char *type;     /* for the reader: "generic|avx2|...", "number", "file" */
    const char *standard; /* what holds while it is unset or empty */
    const char *meaning;  /* one line */
    long long least, most;
};

/* Ended by a row without name. */
extern const struct summand__environment_row summand__environment[];

/* What a variable says. */
struct summand__setting {
    const char *text; /* NULL: unset or empty, so the default holds */
    long long number; /* of a number its value, of a choice the place of the word, from 0 */
    double seconds;
};

/* What is wrong with one, in one sentence. */
struct summand__complaint {
    char text[256];
};

/* Reads the variable of this row's name; false with a complaint if its value is none that the row
 * allows. The library reads its own variables here only. */
bool summand__environment_read(const char *name, struct summand__setting *setting,
                               struct summand__complaint *complaint);

/* What a variable says that others read too; NULL: unset or empty. */
const char *summand__environment_foreign(const char *name);

/* Reads all; false with the first complaint. */
bool summand__environment_check(struct summand__complaint *complaint);

/* A hash of all SUMMAND_* variables: another one where any of them has changed. */
uint64_t summand__environment_hash(void);

/* The SUMMAND_* variables that are set and not in the table, as a sentence; false if there are
 * none. */
bool summand__environment_unknown(struct summand__complaint *complaint);

#endif

/* The environment variables that the library reads: one table for `summand info`, for the
 * documentation and for the test that finds getenv calls of others. */
#ifndef SUMMAND_BASE_ENVIRONMENT_H
#define SUMMAND_BASE_ENVIRONMENT_H

struct summand__environment_row {
    const char *name;
    const char *type;     /* "generic|avx2|...", "number", ... */
    const char *standard; /* what holds while it is unset */
    const char *meaning;  /* one line */
};

/* Ended by a row without name. */
extern const struct summand__environment_row summand__environment[];

#endif

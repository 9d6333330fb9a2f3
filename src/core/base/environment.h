/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of the library and the command: one table, which drives the one reader below,
 * summand_setting_at, `summand info --env`, the manual page, and the warning about variables that
 * nobody reads. A program's value (summand_setting_set) wins over the environment's. Any thread may
 * call these. */
#ifndef SUMMAND_BASE_ENVIRONMENT_H
#define SUMMAND_BASE_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <summand/info.h>

/* Ended by a row without name. The word of a number's `allowed` behind its '|' is read as -1. */
extern const summand_setting summand__environment[];

/* What a variable says. */
struct summand__setting {
    const char *text; /* NULL: unset or empty, so the default holds */
    long long number; /* of a number its value, of a choice the place of the word, from 0 */
    double seconds;
};

/* What is wrong with it, in one sentence. */
struct summand__complaint {
    char text[256];
};

/* Reads the variable of this row's name; false with a complaint if its value is none that the row
 * allows. The library reads its own variables here only. */
bool summand__environment_read(const char *name, struct summand__setting *setting,
                               struct summand__complaint *complaint);

/* The same of a setting that is read once in a process: from now on its value stays, also if the
 * environment changes, and another one is refused. */
bool summand__environment_take(const char *name, struct summand__setting *setting,
                               struct summand__complaint *complaint);

/* The text of a setting, NULL if it is not set, empty or unknown; and where it is from, or NULL. */
const char *summand__environment_value(const char *name, enum summand_setting_from *from);

enum summand__set {
    SUMMAND__SET_DONE,
    SUMMAND__SET_BAD, /* the name or the value; the complaint says which, as for the next one */
    SUMMAND__SET_LATE,
    SUMMAND__SET_NO_MEMORY
};

/* Sets the program's value; NULL: there is none any more. */
enum summand__set summand__environment_set(const char *name, const char *value,
                                           struct summand__complaint *complaint);

/* What a variable says that others read too; NULL: unset or empty. */
const char *summand__environment_foreign(const char *name);

/* Reads all; false with the first complaint, also of a variable that was read once in the process
 * and has got another value since. */
bool summand__environment_check(struct summand__complaint *complaint);

/* A hash of all SUMMAND_* variables and of the program's changes: another one after a change. */
uint64_t summand__environment_hash(void);

/* The SUMMAND_* variables that are set and not in the table, as a sentence; false if there are
 * none. */
bool summand__environment_unknown(struct summand__complaint *complaint);

#endif

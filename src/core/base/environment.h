/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of the library and the command. One table drives the reader below,
 * summand_setting_at, `summand info --env`, the manual page, and the warning about unknown
 * variables. A program's value (summand_setting_set) overrides the environment. Any thread may call
 * these functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <summand/info.h>

/* Ends with a row without name. A word after '|' in a number's `allowed` is read as -1. */
extern const summand_setting summand__environment[];

/* The value of a variable. */
struct summand__setting {
    const char *text; /* NULL: unset or empty, so the default applies */
    long long number; /* a number's value, or the index of a choice's word */
    double seconds;
};

/* An error text of one sentence. */
struct summand__complaint {
    char text[256];
};

/* Reads the variable of this name; false with a complaint if its value is invalid. The library
 * reads its own variables only here. */
bool summand__environment_read(const char *name, struct summand__setting *setting,
                               struct summand__complaint *complaint);

/* The same for a setting that is read once in a process: its value is then fixed, even if the
 * environment changes, and setting another one is refused. */
bool summand__environment_take(const char *name, struct summand__setting *setting,
                               struct summand__complaint *complaint);

/* The text of a setting, NULL if it is unset, empty or unknown; `from`: its source, may be NULL. */
const char *summand__environment_value(const char *name, enum summand_setting_from *from);

enum summand__set {
    SUMMAND__SET_DONE,
    SUMMAND__SET_BAD, /* the name or the value, as the complaint says; so for the next one */
    SUMMAND__SET_LATE,
    SUMMAND__SET_NO_MEMORY
};

/* Sets the program's value; NULL removes it. */
enum summand__set summand__environment_set(const char *name, const char *value,
                                           struct summand__complaint *complaint);

/* The value of another program's variable; NULL: unset or empty. */
const char *summand__environment_foreign(const char *name);

/* Reads all; false with the first complaint, also about a variable that was read once in the
 * process and has changed since. */
bool summand__environment_check(struct summand__complaint *complaint);

/* A hash of all SUMMAND_* variables and of the program's changes; it differs after a change. */
uint64_t summand__environment_hash(void);

/* Lists SUMMAND_* variables that are set but not in the table, as a sentence; false if there are
 * none. */
bool summand__environment_unknown(struct summand__complaint *complaint);

/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of subcommands, and the search for one by its words. There are two programs: `summand`,
 * and `summand-study`, which reproduces papers. */
#pragma once

#include "cli/common/cli.h"

struct program {
    const char *name;
    const char *summary;
    const struct command *const
        *commands; /* each once, families with their members; the last is NULL */
};
extern const struct program program_summand, program_study;

/* Every program has these, in rows of its own with its examples. */
int help_run(struct parsing *parsing, int argc, char **argv);
int version_run(struct parsing *parsing, int argc, char **argv);

/* The body of main: finds the command and runs it, with an MPI if it needs one. Returns the exit
 * status. */
int program_main(const struct program *program, int argc, char **argv);

/* The running program; set by program_main, and by the writer of both programs' pages. */
extern const struct program *program;
void program_set(const struct program *now);

/* The last word of a command's name: "sum" of "bench sum". */
const char *command_word(const struct command *command);

/* The command that the first words name, and the number of these words; or the family, if no word
 * or --help follows. NULL after a complaint. */
const struct command *command_find(int argc, char **argv, int *words);

/* Calls `act` for each command except families, in order. */
void commands_each(const struct command *const *commands,
                   void (*act)(const struct command *command, void *context), void *context);

/* Prints the list of all commands (NULL), or of a family's members. */
void print_commands(const struct command *family, FILE *out);

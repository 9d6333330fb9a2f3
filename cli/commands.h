/* SPDX-License-Identifier: BSD-3-Clause */
/* A program of subcommands, and how one is found by its words. There are two: `summand`, and
 * `summand-study`, which holds what reproduces papers. */
#ifndef SUMMAND_CLI_COMMANDS_H
#define SUMMAND_CLI_COMMANDS_H

#include "cli/common/cli.h"

struct program {
    const char *name;
    const char *summary;
    const struct command *const
        *commands; /* each once, families with their members; ended by NULL */
};
extern const struct program program_summand, program_study;

/* What is in every program. */
extern const struct command command_help, command_version;

/* The body of main: finds the command and runs it, with an MPI if it needs one. The exit status. */
int program_main(const struct program *program, int argc, char **argv);

/* The program that runs; set by program_main, and by what writes the pages of both. */
extern const struct program *program;
void program_set(const struct program *now);

/* The last word of a command's name: "sum" of "bench sum". */
const char *command_word(const struct command *command);

/* The command that the first words name, and how many words that takes; or the family, if no word
 * follows or --help does. NULL after complaining. */
const struct command *command_find(int argc, char **argv, int *words);

/* Calls `act` for each command that is no family, in order. */
void commands_each(const struct command *const *commands,
                   void (*act)(const struct command *command, void *context), void *context);

/* The list on the screen: of all commands (NULL), or of a family's members. */
void print_commands(const struct command *family, FILE *out);

#endif

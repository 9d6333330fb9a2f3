/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of all subcommands, and how one is found by its words. */
#ifndef SUMMAND_CLI_COMMANDS_H
#define SUMMAND_CLI_COMMANDS_H

#include "cli/common/cli.h"

/* Every subcommand once, families with their members; ended by NULL. */
extern const struct command *const cli_commands[];

/* The last word of a command's name: "sum" of "bench sum". */
const char *command_word(const struct command *command);

/* The command that the first words name, and how many words that takes; or the family, where no
 * word follows or --help does. NULL after complaining. Names of the last release are answered with
 * a note that says the new one. */
const struct command *command_find(int argc, char **argv, int *words);

/* Calls `act` for each command that is no family, in order. */
void commands_each(const struct command *const *commands,
                   void (*act)(const struct command *command, void *context), void *context);

/* The list on the screen: of all commands (NULL), or of a family's members. */
void print_commands(const struct command *family, FILE *out);

#endif

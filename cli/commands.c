/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands.h"

#include <string.h>
#include <summand/version.h>

#include "base/nearest.h"
#include "cli/ranks/launched.h"

const struct program *program;

void program_set(const struct program *now)
{
    program = now;
    program_name = now->name;
}

const char *command_word(const struct command *command)
{
    const char *space = strrchr(command->name, ' ');
    return space ? space + 1 : command->name;
}

static const struct command *find_in(const struct command *const *commands, const char *word)
{
    for (int i = 0; commands[i]; i++)
        if (!strcmp(word, command_word(commands[i])))
            return commands[i];
    return NULL;
}

static void refuse(const struct command *family, const char *word)
{
    const struct command *const *commands = family ? family->members : program->commands;
    struct summand__nearest nearest = summand__nearest_to(word);
    launched_one_speaks();
    for (int i = 0; commands[i]; i++)
        summand__nearest_try(&nearest, command_word(commands[i]));
    fprintf(stderr, "%s%s%s: no such command '%s'%s; '%s help%s%s' lists them\n", program->name,
            family ? " " : "", family ? family->name : "", word,
            summand__nearest_text(&nearest).text, program->name, family ? " " : "",
            family ? family->name : "");
}

const struct command *command_find(int argc, char **argv, int *words)
{
    const struct command *found = NULL;
    *words = 0;
    while (*words < argc && (!found || found->members)) {
        const char *word = argv[*words];
        const struct command *next = find_in(found ? found->members : program->commands, word);
        if (!next && found && *word == '-')
            return found;
        if (!next) {
            refuse(found, word);
            return NULL;
        }
        found = next;
        ++*words;
    }
    return found;
}

void commands_each(const struct command *const *commands,
                   void (*act)(const struct command *command, void *context), void *context)
{
    for (int i = 0; commands[i]; i++)
        if (commands[i]->members)
            commands_each(commands[i]->members, act, context);
        else
            act(commands[i], context);
}

static void print_rows(const struct command *const *commands, FILE *out)
{
    for (int i = 0; commands[i]; i++) {
        fprintf(out, "  %-14s ", command_word(commands[i]));
        print_wrapped(commands[i]->summary, 17, out);
    }
}

void print_commands(const struct command *family, FILE *out)
{
    char text[200];
    int head;
    if (family) {
        head = fprintf(out, "%s %s: ", program->name, family->name);
        print_wrapped(family->summary, head, out);
        fprintf(out, "\nExamples:\n%s\nUsage: ", family->examples);
        snprintf(text, sizeof text, "%s %s", program->name, family->synopsis);
    } else {
        head = fprintf(out, "%s %s: ", program->name, summand_version());
        print_wrapped(program->summary, head, out);
        fputs("\nUsage: ", out);
        snprintf(text, sizeof text, "[mpirun -np P] %s COMMAND [options]", program->name);
    }
    print_wrapped(text, 7, out);
    fputs("\nCommands:\n", out);
    print_rows(family ? family->members : program->commands, out);
    snprintf(text, sizeof text, "'%s help%s%s COMMAND' shows examples and options.", program->name,
             family ? " " : "", family ? family->name : "");
    fputc('\n', out);
    print_wrapped(text, 0, out);
}

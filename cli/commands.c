/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/commands.h"

#include <string.h>
#include <summand/version.h>

#include "base/nearest.h"
#include "cli/common/launched.h"

#define COMMANDS(X)                                                                                \
    X(sum)                                                                                         \
    X(bench)                                                                                       \
    X(tune)                                                                                        \
    X(list)                                                                                        \
    X(predict)                                                                                     \
    X(draw)                                                                                        \
    X(record)                                                                                      \
    X(verify)                                                                                      \
    X(generate)                                                                                    \
    X(train)                                                                                       \
    X(gossip)                                                                                      \
    X(study)                                                                                       \
    X(info)                                                                                        \
    X(help)                                                                                        \
    X(version)

#define DECLARE(name) extern const struct command command_##name;
COMMANDS(DECLARE)
#undef DECLARE

const struct command *const cli_commands[] = {
#define ENTRY(name) &command_##name,
    COMMANDS(ENTRY)
#undef ENTRY
        NULL};

/* Names of the last release, for one release. */
static const struct {
    const char *family, *word; /* family: NULL for a command of its own */
    const char *now[3];
} moved[] = {{NULL, "spread", {"study", "spread", NULL}},
             {NULL, "distribution", {"study", "distribution", NULL}},
             {"gossip", "figure", {"study", "figure", NULL}},
             {"gossip", "table", {"study", "table", NULL}},
             {"gossip", "root", {"study", "root", NULL}},
             {"gossip", "rounds", {"study", "rounds", NULL}}};

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

static const struct command *find_moved(const struct command *family, const char *word)
{
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++) {
        bool here =
            family ? moved[i].family && !strcmp(family->name, moved[i].family) : !moved[i].family;
        if (!here || strcmp(word, moved[i].word))
            continue;
        if (launched_rank() <= 0)
            fprintf(stderr,
                    "summand: '%s%s%s' is now 'summand %s %s'; the old name goes with the "
                    "next release\n",
                    family ? family->name : "", family ? " " : "", word, moved[i].now[0],
                    moved[i].now[1]);
        return find_in(find_in(cli_commands, moved[i].now[0])->members, moved[i].now[1]);
    }
    return NULL;
}

static void refuse(const struct command *family, const char *word)
{
    const struct command *const *commands = family ? family->members : cli_commands;
    struct summand__nearest nearest = summand__nearest_to(word);
    launched_one_speaks();
    for (int i = 0; commands[i]; i++)
        summand__nearest_try(&nearest, command_word(commands[i]));
    fprintf(stderr, "summand%s%s: no such command '%s'%s; 'summand help%s%s' lists them\n",
            family ? " " : "", family ? family->name : "", word,
            summand__nearest_text(&nearest).text, family ? " " : "", family ? family->name : "");
}

const struct command *command_find(int argc, char **argv, int *words)
{
    const struct command *found = NULL;
    *words = 0;
    while (*words < argc && (!found || found->members)) {
        const char *word = argv[*words];
        const struct command *next = find_in(found ? found->members : cli_commands, word);
        if (!next)
            next = find_moved(found, word);
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
    if (family)
        fprintf(out, "summand %s: %s\n\nExamples:\n%s\nUsage: summand %s\n\nCommands:\n",
                family->name, family->summary, family->examples, family->synopsis);
    else
        fprintf(out,
                "summand %s: adding things up across processes\n\n"
                "Usage: [mpirun -np P] summand COMMAND [options]\n\nCommands:\n",
                summand_version());
    print_rows(family ? family->members : cli_commands, out);
    fprintf(out, "\n'summand help%s%s COMMAND' shows examples and options.\n", family ? " " : "",
            family ? family->name : "");
}

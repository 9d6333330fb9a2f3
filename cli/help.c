/* SPDX-License-Identifier: BSD-3-Clause */
/* summand help, summand version. */
#include "cli/output/json.h"
#include <string.h>
#include <summand/version.h>

#include "cli/commands.h"
#include "cli/output/setting.h"

extern const struct command command_help, command_version;

static json_t *default_json(const struct option_row *row)
{
    switch (row->kind) {
    case OPTION_FLAG:
        return json_boolean(*(bool *)row->target);
    case OPTION_INT: {
        long long value = *(long long *)row->target;
        return option_takes(row, (double)value) ? json_integer((json_int_t)value) : json_null();
    }
    case OPTION_REAL: {
        double value = *(double *)row->target;
        return option_takes(row, value) ? json_finite(value) : json_null();
    }
    case OPTION_CHOICE:
        return json_text(row->choices[*(int *)row->target]);
    case OPTION_MAYBE:
    case OPTION_TEXT:
    case OPTION_OUTPUT:
    case OPTION_FOLDER:
        break;
    }
    return json_text(*(const char **)row->target);
}

/* Replaces the help on the screen. */
static void options_to_json(const struct command *command, const struct option_row *rows,
                            void *options_list)
{
    (void)command;
    for (; rows->name; rows++) {
        char letter[2] = {rows->letter, 0};
        json_t *choices = rows->kind == OPTION_CHOICE ? json_array() : json_null();
        for (int i = 0; rows->kind == OPTION_CHOICE && rows->choices[i]; i++)
            json_array_append_new(choices, json_text(rows->choices[i]));
        bool number = rows->kind == OPTION_INT || rows->kind == OPTION_REAL;
        json_array_append_new(options_list,
                              json_make("ssssoooo", "name", rows->name, "letter", letter, "value",
                                        rows->metavar, "help", rows->help, "default",
                                        default_json(rows), "choices", choices, "least",
                                        number ? json_finite(rows->least) : json_null(), "most",
                                        number ? json_finite(rows->most) : json_null()));
    }
}

static void describe(const struct command *command, void *list)
{
    char word[80], ask[] = "--help", *argv[] = {word, ask, NULL};
    snprintf(word, sizeof word, "%s", command->name);
    json_t *options_list = json_array();
    struct parsing parsing = {.help = options_to_json, .context = options_list};
    command->run(&parsing, 2, argv);
    json_array_append_new(list, json_make("ssssbo", "name", command->name, "summary",
                                          command->summary, "synopsis", command->synopsis,
                                          "examples", command->examples, "parallel",
                                          command->parallel == true, "options", options_list));
}

static int run_json(void)
{
    json_t *list = json_array();
    commands_each(program->commands, describe, list);
    json_t *json = json_head(command_help.name);
    json_object_set_new(json, "commands", list);
    return write_json(command_help.name, json, NULL);
}

/* The program's own row of that name, with its examples. */
static const struct command *own(const char *name)
{
    const struct command *const *row = program->commands;
    while (strcmp((*row)->name, name))
        row++;
    return *row;
}

int help_run(struct parsing *parsing, int argc, char **argv)
{
    bool help, json = false;
    const struct option_row rows[] = {{"json", 'j', OPTION_FLAG, &json, NULL,
                                       "print all commands and their options as JSON", NULL},
                                      {0}};
    int words, first = parse_options(parsing, own("help"), rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (json)
        return first < argc ? misuse(command_help.name,
                                     "--json: describes all commands; no operand expected")
                            : run_json();
    if (first == argc) {
        print_commands(NULL, stdout);
        return 0;
    }
    const struct command *command = command_find(argc - first, argv + first, &words);
    if (!command)
        return 2;
    if (first + words < argc)
        return misuse(command_help.name, "%s: '%s %s' has no commands", argv[first + words],
                      program->name, command->name);
    if (command->members) {
        print_commands(command, stdout);
        return 0;
    }
    char word[80], ask[] = "--help", *ask_help[] = {word, ask, NULL};
    snprintf(word, sizeof word, "%s", command->name);
    struct parsing ask_parsing = {0};
    return command->run(&ask_parsing, 2, ask_help);
}

const struct command command_help = {.name = "help",
                                     .summary = "the commands, or examples and options of one",
                                     .synopsis = "help [COMMAND]",
                                     .examples = "  summand help bench allreduce\n"
                                                 "  summand help --json\n",
                                     .run = help_run};

int version_run(struct parsing *parsing, int argc, char **argv)
{
    bool help, json = false;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON instead of text", NULL}, {0}};
    int first = parse_options(parsing, own("version"), rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (first < argc)
        return misuse(command_version.name, "%s: no operand expected", argv[first]);
    if (json)
        return write_json(command_version.name, json_head(command_version.name), NULL);
    printf("%s %s\n", program->name, summand_version());
    return 0;
}

const struct command command_version = {.name = "version",
                                        .summary = "the version; 'summand info' says more",
                                        .synopsis = "version",
                                        .examples = "  summand version\n  summand -V\n",
                                        .run = version_run};

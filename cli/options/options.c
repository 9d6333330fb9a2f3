/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/common/cli.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/number.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/ranks/agree.h"
#include "cli/ranks/launched.h"

enum { FIRST = 256, MOST = OPTIONS_MOST };

static int choices_text(const struct option_row *row, char *text, size_t room)
{
    int used = 0;
    for (int i = 0; row->choices[i] && used < (int)room; i++)
        used += snprintf(text + used, room - (size_t)used, "%s%s", i ? "|" : "", row->choices[i]);
    return used;
}

bool option_takes(const struct option_row *row, double value)
{
    return value >= row->least && value <= row->most;
}

static bool option_is_text(const struct option_row *row)
{
    return row->kind == OPTION_TEXT || row->kind == OPTION_OUTPUT || row->kind == OPTION_FOLDER;
}

void option_default(const struct option_row *row, char *text, size_t room)
{
    text[0] = 0;
    if (row->kind == OPTION_INT && option_takes(row, (double)*(long long *)row->target))
        snprintf(text, room, "%lld", *(long long *)row->target);
    else if (row->kind == OPTION_REAL && option_takes(row, *(double *)row->target))
        snprintf(text, room, "%g", *(double *)row->target);
    else if (option_is_text(row) && *(const char **)row->target)
        snprintf(text, room, "%s", *(const char **)row->target);
    else if (row->kind == OPTION_CHOICE)
        snprintf(text, room, "%s", row->choices[*(int *)row->target]);
}

static void print_row(const struct option_row *row, FILE *out)
{
    enum { HEAD = 28 };
    char head[64], choices[512] = "", standard[256], words[1024];
    const char *between = !row->metavar ? "" : row->kind == OPTION_MAYBE ? "[=" : " ";
    snprintf(head, sizeof head, "%c%c%c --%s%s%s%s", row->letter ? '-' : ' ',
             row->letter ? row->letter : ' ', row->letter ? ',' : ' ', row->name, between,
             row->metavar ? row->metavar : "", *between == '[' ? "]" : "");
    if (row->kind == OPTION_CHOICE)
        choices_text(row, choices, sizeof choices);
    option_default(row, standard, sizeof standard);
    snprintf(words, sizeof words, "%s%s%s%s%s%s", row->help, *choices ? ": " : "", choices,
             *standard ? " [" : "", standard, *standard ? "]" : "");
    fprintf(out, "  %-*s%s", HEAD, head, strlen(head) > HEAD ? "\n" : " ");
    if (strlen(head) > HEAD)
        fprintf(out, "%*s", HEAD + 3, "");
    print_wrapped(words, HEAD + 3, out);
}

/* Commands stay as they are, to be copied; sentences are wrapped. */
static void print_examples(const char *text, FILE *out)
{
    while (*text) {
        const size_t length = strcspn(text, "\n");
        char line[256];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (*line && *line != ' ')
            print_wrapped(line, 0, out);
        else
            fprintf(out, "%s\n", line);
        text += length;
        text += *text == '\n';
    }
    fputc('\n', out);
}

static void print_help(const struct command *command, const struct option_row *rows, FILE *out)
{
    static const struct option_row help = {"help", 'h', OPTION_FLAG, NULL, NULL, "this help", NULL};
    int head = fprintf(out, "%s %s: ", program_name, command->name);
    print_wrapped(command->summary, head, out);
    fputs("\nExamples:\n", out);
    print_examples(command->examples, out);
    head = fprintf(out, "Usage: %s ", program_name);
    print_wrapped(command->synopsis, head, out);
    fputs("\nOptions:\n", out);
    for (const struct option_row *row = rows; row->name; row++)
        print_row(row, out);
    print_row(&help, out);
    if (command->exits) {
        head = fprintf(out, "\nExit status: ");
        print_wrapped(command->exits, head - 1, out);
    }
}

bool parse_integer(const char *text, long long *value)
{
    return summand__parse_integer(text, value);
}

static bool read_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

static bool read_choice(const struct option_row *row, const char *text)
{
    for (int i = 0; row->choices[i]; i++)
        if (!strcmp(text, row->choices[i])) {
            *(int *)row->target = i;
            return true;
        }
    return false;
}

static bool store(const struct option_row *row, const char *text)
{
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)row->target = true;
        return true;
    case OPTION_INT:
        return parse_integer(text, row->target);
    case OPTION_REAL:
        return read_real(text, row->target);
    case OPTION_TEXT:
    case OPTION_OUTPUT:
    case OPTION_FOLDER:
        *(const char **)row->target = text;
        return true;
    case OPTION_MAYBE:
        *(const char **)row->target = text ? text : "";
        return true;
    case OPTION_CHOICE:
        return read_choice(row, text);
    }
    return false;
}

/* The stored number. */
static double number_of(const struct option_row *row)
{
    return row->kind == OPTION_INT ? (double)*(long long *)row->target : *(double *)row->target;
}

static bool in_range(const struct option_row *row)
{
    return (row->kind != OPTION_INT && row->kind != OPTION_REAL) ||
           option_takes(row, number_of(row));
}

/* The option as it was typed, and its long name. */
struct typed {
    char text[80];
};

static struct typed typed_as(const struct option_row *row, bool letter)
{
    struct typed typed;
    if (letter)
        snprintf(typed.text, sizeof typed.text, "-%c (--%s)", row->letter, row->name);
    else
        snprintf(typed.text, sizeof typed.text, "--%s", row->name);
    return typed;
}

static void refuse_number(const struct command *command, const struct option_row *row,
                          const char *typed, const char *text)
{
    const double value = number_of(row);
    char most[32];
    bool above_zero = row->least == ABOVE_ZERO;
    snprintf(most, sizeof most, "%.15g", row->most);
    if (above_zero && value > row->most)
        misuse(command->name, "%s: %s is %s %s", typed, text,
               strtod(most, NULL) > row->most ? "not below" : "above", most);
    else if (row->most >= NO_MOST || above_zero)
        misuse(command->name, "%s: %s is not %s %.15g", typed, text,
               above_zero ? "above" : "at least", above_zero ? 0 : row->least);
    else
        misuse(command->name, "%s: %s is not between %.15g and %.15g", typed, text, row->least,
               row->most);
}

static void refuse(const struct command *command, const struct option_row *row, const char *typed,
                   const char *text)
{
    char choices[512];
    if (row->kind == OPTION_CHOICE) {
        choices_text(row, choices, sizeof choices);
        misuse(command->name, "%s: '%s' is not one of %s%s", typed, text, choices,
               summand__nearest_of(text, row->choices).text);
    } else {
        misuse(command->name, "%s: '%s' is not %s", typed, text,
               row->kind == OPTION_INT ? "an integer" : "a number");
    }
}

/* getopt returned `found`: ':' for a missing argument, else for an unknown option. */
static void refuse_unknown(const struct command *command, const struct option_row *rows, int found,
                           char **argv)
{
    char word[64], named[100] = "";
    struct summand__nearest nearest;
    snprintf(word, sizeof word, "%s", argv[optind - 1]);
    word[strcspn(word, "=")] = 0;
    if (optopt > 0 && optopt < FIRST) /* a letter, perhaps among others */
        snprintf(word, sizeof word, "-%c", optopt);
    for (const struct option_row *row = rows; row->name && found == '?' && optopt >= FIRST; row++)
        if (optopt == FIRST + (int)(row - rows)) {
            misuse(command->name, "--%s: takes no argument, but '%s' has one", row->name,
                   argv[optind - 1]);
            return;
        }
    nearest = summand__nearest_to(word + strspn(word, "-"));
    for (; rows->name && !strncmp(word, "--", 2); rows++)
        summand__nearest_try(&nearest, rows->name);
    if (*nearest.name && found != ':')
        snprintf(named, sizeof named, " (did you mean '--%s'?)", nearest.name);
    misuse(command->name, "%s: %s%s; '%s %s --help' lists the options", word,
           found == ':' ? "an argument is missing" : "no such option", named, program_name,
           command->name);
}

bool option_given(const struct parsing *parsing, const char *name)
{
    for (int i = 0; parsing->seen[i].name; i++)
        if (!strcmp(parsing->seen[i].name, name))
            return parsing->seen[i].given;
    return false;
}

const char *option_beyond(const struct parsing *parsing, const struct option_row *rows,
                          const char *const *taken)
{
    for (; rows->name; rows++) {
        int i = 0;
        while (taken[i] && strcmp(taken[i], rows->name))
            i++;
        if (!taken[i] && option_given(parsing, rows->name))
            return rows->name;
    }
    return NULL;
}

bool options_only_with(const struct parsing *parsing, const char *command, const char *with,
                       bool there, const char *const *names)
{
    for (int i = 0; !there && names[i]; i++)
        if (option_given(parsing, names[i]))
            return misuse(command, "--%s: goes with %s only", names[i], with), false;
    return true;
}

static int read_options(struct parsing *parsing, const struct command *command,
                        const struct option_row *rows, int argc, char **argv, bool *help)
{
    struct option longs[MOST + 2] = {{0}};
    char shorts[3 * MOST + 4] = ":h", *s = shorts + 2;
    int n = 0;
    for (; rows[n].name && n < MOST; n++) {
        int argument = rows[n].kind == OPTION_MAYBE  ? optional_argument
                       : rows[n].kind != OPTION_FLAG ? required_argument
                                                     : no_argument;
        longs[n] = (struct option){rows[n].name, argument, NULL, FIRST + n};
        if (rows[n].letter) {
            *s++ = rows[n].letter;
            for (int colon = 0; colon < argument; colon++) /* "r::" if it is optional */
                *s++ = ':';
        }
    }
    longs[n] = (struct option){"help", 0, NULL, 'h'};
    for (int i = 0; i <= n; i++) {
        parsing->seen[i].name = rows[i].name;
        parsing->seen[i].given = false;
    }
    opterr = 0;
    optind = 0; /* glibc: start again, also after an earlier parse */
    for (int c; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (c == 'h') {
            *help = true;
            if (parsing->help)
                parsing->help(command, rows, parsing->context);
            else if (cli_rank() == 0 && !parsing->idle)
                print_help(command, rows, stdout);
            return optind;
        }
        const struct option_row *row = NULL;
        for (int i = 0; i < n; i++)
            if (c == FIRST + i || (rows[i].letter && c == rows[i].letter))
                row = &rows[i];
        if (!row) {
            refuse_unknown(command, rows, c, argv);
            return -1;
        }
        if (!HAS_JSON && (!strcmp(row->name, "json") || !strcmp(row->name, "csv"))) {
            if (cli_rank() == 0)
                complain(command->name, NO_JSON);
            return -1;
        }
        if (parsing->seen[row - rows].given && row->kind != OPTION_FLAG &&
            !launched_again(argc, argv)) {
            misuse(command->name, "%s: given twice", typed_as(row, c < FIRST).text);
            return -1;
        }
        if (!store(row, optarg)) {
            refuse(command, row, typed_as(row, c < FIRST).text, optarg);
            return -1;
        }
        if (!in_range(row)) {
            refuse_number(command, row, typed_as(row, c < FIRST).text, optarg);
            return -1;
        }
        parsing->seen[row - rows].given = true;
    }
    return optind;
}

/* Rank 0 checks, because it writes. */
static bool can_write(const struct parsing *parsing, const struct command *command,
                      const struct option_row *rows)
{
    bool fine = true;
    for (int i = 0; rows[i].name && cli_rank() == 0; i++) {
        bool folder = rows[i].kind == OPTION_FOLDER;
        if (parsing->seen[i].given && (folder || rows[i].kind == OPTION_OUTPUT))
            fine = output_ready(command->name, *(const char **)rows[i].target, folder) && fine;
    }
    return fine;
}

int parse_options(struct parsing *parsing, const struct command *command,
                  const struct option_row *rows, int argc, char **argv, bool *help)
{
    *help = false; /* callers read it in any case */
    if (parsing->on_ranks && !agree_words(command->name, argc, argv))
        return -1;
    int first = read_options(parsing, command, rows, argc, argv, help);
    *help = *help || (parsing->idle && first >= 0);
    bool good = first >= 0, fine = good && (*help || can_write(parsing, command, rows));
    if (parsing->on_ranks)
        fine = agree_fine(fine);
    parsing->unwritable = good && !fine;
    return fine ? first : -1;
}

int command_run(const struct command *command, bool on_ranks, int argc, char **argv)
{
    struct parsing parsing = {.on_ranks = on_ranks,
                              .idle = !on_ranks && launched_idle() &&
                                      command->parallel != IN_EACH_PROCESS};
    int status = command->run(&parsing, argc, argv);
    if (!status && !on_ranks && command->parallel != true && command->parallel != IN_EACH_PROCESS &&
        launched_size() > 1)
        advise(command->name, "needs no ranks: one of %d processes ran it, the others ended",
               launched_size());
    return parsing.unwritable ? 1 : status;
}

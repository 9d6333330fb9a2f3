#include "cli.h"

#include <getopt.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "json.h"

enum { FIRST = 256, MOST = 64 };

int cli_rank(void)
{
    int up = 0, down = 0, rank = 0;
    MPI_Initialized(&up);
    MPI_Finalized(&down);
    if (up && !down)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int complain(const char *command, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    /* One write, so that lines of several ranks do not mix. */
    fprintf(stderr, "summand %s: %s\n", command, text);
    return 1;
}

static void print_choices(const struct option_row *row, FILE *out)
{
    for (int i = 0; row->choices[i]; i++)
        fprintf(out, "%s%s", i ? "|" : "", row->choices[i]);
}

static void print_default(const struct option_row *row, FILE *out)
{
    switch (row->kind) {
    case OPTION_INT:
        fprintf(out, " [%lld]", *(long long *)row->target);
        break;
    case OPTION_REAL:
        fprintf(out, " [%g]", *(double *)row->target);
        break;
    case OPTION_TEXT:
        if (*(const char **)row->target)
            fprintf(out, " [%s]", *(const char **)row->target);
        break;
    case OPTION_CHOICE:
        fprintf(out, " [%s]", row->choices[*(int *)row->target]);
        break;
    case OPTION_FLAG:
        break;
    }
}

void print_help(const struct command *command, const struct option_row *rows, FILE *out)
{
    fprintf(out, "summand %s: %s\n\nExamples:\n%s\nUsage: summand %s\n\nOptions:\n", command->name,
            command->summary, command->examples, command->synopsis);
    for (const struct option_row *row = rows; row->name; row++) {
        char head[64];
        snprintf(head, sizeof head, "%c%c%c --%s%s%s", row->letter ? '-' : ' ',
                 row->letter ? row->letter : ' ', row->letter ? ',' : ' ', row->name,
                 row->metavar ? " " : "", row->metavar ? row->metavar : "");
        fprintf(out, "  %-28s %s", head, row->help);
        if (row->kind == OPTION_CHOICE) {
            fputs(": ", out);
            print_choices(row, out);
        }
        print_default(row, out);
        fputc('\n', out);
    }
    fprintf(out, "  %-28s %s\n", "-h, --help", "this help");
}

void (*help_printer)(const struct command *command, const struct option_row *rows,
                     FILE *out) = print_help;

bool parse_whole(const char *text, long long *value)
{
    return summand__parse_whole(text, value);
}

static bool read_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && !*end;
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
        return parse_whole(text, row->target);
    case OPTION_REAL:
        return read_real(text, row->target);
    case OPTION_TEXT:
        *(const char **)row->target = text;
        return true;
    case OPTION_CHOICE:
        return read_choice(row, text);
    }
    return false;
}

static void refuse(const struct command *command, const struct option_row *row, const char *text)
{
    if (cli_rank())
        return;
    fprintf(stderr, "summand %s: --%s: '%s' is not ", command->name, row->name, text);
    if (row->kind == OPTION_CHOICE) {
        fputs("one of ", stderr);
        print_choices(row, stderr);
        fputc('\n', stderr);
    } else {
        fprintf(stderr, "%s\n", row->kind == OPTION_INT ? "a whole number" : "a number");
    }
}

/* getopt has found `found`: ':' a missing argument, else an unknown option. */
static void refuse_unknown(const struct command *command, int found, char **argv)
{
    if (cli_rank() == 0)
        complain(command->name, "%s: %s; 'summand %s --help' lists the options", argv[optind - 1],
                 found == ':' ? "an argument is missing" : "no such option", command->name);
}

int parse_options(const struct command *command, const struct option_row *rows, int argc,
                  char **argv, bool *help)
{
    struct option longs[MOST + 2] = {{0}};
    char shorts[2 * MOST + 4] = ":h", *s = shorts + 2;
    int n = 0;
    *help = false;
    for (; rows[n].name && n < MOST; n++) {
        bool argument = rows[n].kind != OPTION_FLAG;
        longs[n] = (struct option){rows[n].name, argument, NULL, FIRST + n};
        if (rows[n].letter) {
            *s++ = rows[n].letter;
            if (argument)
                *s++ = ':';
        }
    }
    longs[n] = (struct option){"help", 0, NULL, 'h'};
    opterr = 0;
    optind = 0; /* glibc: start again, also after an earlier parse */
    for (int c; (c = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        if (c == 'h') {
            *help = true;
            if (cli_rank() == 0)
                help_printer(command, rows, stdout);
            return optind;
        }
        const struct option_row *row = NULL;
        for (int i = 0; i < n; i++)
            if (c == FIRST + i || (rows[i].letter && c == rows[i].letter))
                row = &rows[i];
        if (!row) {
            refuse_unknown(command, c, argv);
            return -1;
        }
        if (!HAS_JSON && (!strcmp(row->name, "json") || !strcmp(row->name, "csv"))) {
            if (cli_rank() == 0)
                complain(command->name, NO_JSON);
            return -1;
        }
        if (!store(row, optarg)) {
            refuse(command, row, optarg);
            return -1;
        }
    }
    return optind;
}

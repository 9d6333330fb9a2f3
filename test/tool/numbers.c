/* SPDX-License-Identifier: BSD-3-Clause */
/* Every letter of an option has one meaning in all commands of both programs.
 *
 * Every numeric option of every command: a value out of range is refused with one line that names
 * the option, and with status 2; a value in range is accepted. Every option that names an output:
 * an unwritable one is refused with one line that names it, before any work. All run in one process
 * per rank, because launches are slow. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/common/cli.h"
#include "cli/output/json.h"

#define HUGE_NUMBER "99999999999999999999"
static const char huge[] = HUGE_NUMBER;
static const char *const attacks[] = {
    "0",  "-1",  ("-" HUGE_NUMBER), "9x", "x9", "1e400", "-1e400", "nan", "inf", "", "0x",
    "--", "1 2", HUGE_NUMBER};
enum { ATTACKS = sizeof attacks / sizeof *attacks };

/* Options that accept 0, with its meaning in their help: nothing, never, at once, rank 0. */
static const char *const take_zero[] = {
    "alpha",  "threshold",  "imbalance", "root",      "seed",        "data-seed",  "momentum",
    "decay",  "validation", "staleness", "loss",      "duplication", "rate",       "flips",
    "bit",    "after",      "stop-rank", "stop-time", "report",      "save-every", "eps",
    "tau",    "scale",      "n",         "t-send",    "t-add",       "count",      "launches",
    "values", "axis",       "shrinks",   NULL};
/* Options that accept negative values. */
static const char *const take_negative[] = {"scale", "axis", NULL};
/* ... unless the command is one of these. */
static const char *const takes_no_zero[] = {
    "bench compare alpha",    "train rate", "gossip allreduce eps",
    "gossip allreduce count", "judge n",    NULL};

/* Lists of numbers are parsed after the table, so the command is run with them. Its other needed
 * words; lists that accept 0. */
enum { ZERO = 1, REAL = 2 };
static const struct list {
    const char *command, *option, *with[2];
    int takes; /* of these */
} lists[] = {
    {"bench reduce", "sizes", {NULL}, 0},
    {"bench allreduce", "sizes", {NULL}, 0},
    {"bench reduce_scatter", "sizes", {NULL}, 0},
    {"bench scan", "sizes", {NULL}, 0},
    {"bench exscan", "sizes", {NULL}, 0},
    {"bench bcast", "sizes", {NULL}, 0},
    {"bench allgather", "sizes", {NULL}, 0},
    {"bench outer", "sizes", {NULL}, 0},
    {"bench outer", "shape", {NULL}, 0},
    {"bench outer", "pairs", {NULL}, ZERO},
    {"bench gemm", "sizes", {NULL}, 0},
    {"bench gemm", "blocks", {NULL}, ZERO},
    {"bench sum", "n", {NULL}, 0},
    {"bench sum", "terms", {NULL}, 0},
    {"bench matrix", "sizes", {NULL}, 0},
    {"bench notify", "sizes", {NULL}, ZERO},
    {"list", "nodes", {"--choose", "allreduce"}, 0},
    {"list", "bytes", {"--choose", "allreduce"}, ZERO},
    {"list", "set", {"--choose", "allreduce"}, 0},
    {"list", "pairs", {"--choose=outer", "--shape=7,5"}, ZERO},
    {"predict", "pairs", {"--collective=outer"}, ZERO},
    {"draw", "pairs", {"outer-grid", "--collective=outer"}, ZERO},
    {"predict", "ranks", {NULL}, 0},
    {"predict", "nodes", {NULL}, 0},
    {"predict", "count", {NULL}, ZERO},
    {"predict", "parameters", {NULL}, 0},
    {"predict", "set", {NULL}, 0},
    {"draw", "ranks", {"binomial"}, 0},
    {"draw", "nodes", {"binomial"}, 0},
    {"draw", "count", {"binomial"}, ZERO},
    {"draw", "parameters", {"binomial"}, 0},
    {"draw", "set", {"binomial"}, 0},
    {"verify", "nodes", {NULL}, 0},
    {"judge", "ranks", {"true"}, 0},
    {"train", "layers", {NULL}, 0},
    {"gossip run", "period", {NULL}, REAL},
    {"gossip run", "latency", {NULL}, ZERO | REAL},
    {"figure", "nodes", {"9", "--quick"}, 0},
    {"rounds", "flip-round", {NULL}, ZERO},
    {"scaling", "ranks", {"--n=9"}, 0},
    {"scaling", "flushes", {"--n=9", "--ranks=2"}, 0},
    {"gemm", "grids", {"--figure=5.5"}, 0},
    {"gemm", "sizes", {"--table=5.13", "--grids=1"}, 0},
};
enum { LISTS = sizeof lists / sizeof *lists };
/* Other options with lists as values, but lists of names. */
static const char *const of_names[] = {"algorithms", "methods", "moves",  "collectives",
                                       "faults",     "keep",    "ignore", NULL};

/* Options that name input files or folders. */
static const char *const of_inputs[] = {"train data",   "train evaluate", "train predict",
                                        "spread bench", "run record",     NULL};

/* A letter's meaning is a long name, in the singular; other names of the same thing. */
static const char *const same_things[][2] = {
    {"n", "count"}, {"type", "datatype"}, {"node-size", "per-node"}, {"predictions", "output"}};
static struct meaning {
    char name[64], first[160]; /* the first option that has the letter */
    bool flag;
} meanings[128];

static int rank, failed, checks, numbers, outputs, letters;
static FILE *said, *report;

static bool among(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names))
        names++;
    return *names != NULL;
}

static void check(bool good, const char *command, const char *option, const char *value,
                  const char *what)
{
    checks++;
    if (good || rank)
        return;
    failed++;
    fprintf(report, "%s %s --%s '%s': %s\n", program_name, command, option, value, what);
}

/* Standard error goes to a file; its lines are read back. */
static void listen(void)
{
    fflush(stderr);
    rewind(said);
    if (ftruncate(fileno(said), 0))
        abort();
}

/* The message names the option, and does not contain `wrong`. */
static void check_refused(const char *command, const char *option, const char *value,
                          const char *wrong)
{
    char line[512] = "", more[8] = "", named[80];
    fflush(stderr);
    rewind(said);
    snprintf(named, sizeof named, "--%s", option);
    char *first = fgets(line, sizeof line, said);
    if (rank)
        return;
    check(first != NULL, command, option, value, "nothing is said");
    check(!fgets(more, sizeof more, said), command, option, value, "more than a line is said");
    check(strstr(line, named) != NULL, command, option, value, line);
    check(!wrong || !strstr(line, wrong), command, option, value, line);
}

/* The ends of a range are accepted; twice the upper end is refused as out of range. */
static void attack_ends(const struct command *command, const struct option_row *rows,
                        const struct option_row *row)
{
    const bool integer = row->kind == OPTION_INT;
    const double ends[] = {row->least, row->most, 2 * row->most};
    for (int i = 0; i < 3; i++) {
        char word[80], option[80], value[64];
        char *argv[] = {word, option, value, NULL};
        struct parsing parsing = {0};
        bool help;
        if ((integer && fabs(ends[i]) >= 1e18) || fabs(ends[i]) > 1e300)
            continue; /* as many as the type has */
        snprintf(word, sizeof word, "%s", command->name);
        snprintf(option, sizeof option, "--%s", row->name);
        snprintf(value, sizeof value, integer ? "%.0f" : "%.17g", ends[i]);
        listen();
        int status = parse_options(&parsing, command, rows, 3, argv, &help);
        check((status >= 0) == (i < 2), command->name, row->name, value, "at an end of the range");
        if (i == 2)
            check_refused(command->name, row->name, value, "is not above 0");
    }
}

static void attack_number(const struct command *command, const struct option_row *rows,
                          const struct option_row *row)
{
    char word[80], option[80], value[64];
    numbers++;
    check(row->least < row->most, command->name, row->name, "", "has no range");
    snprintf(word, sizeof word, "%s %s", command->name, row->name);
    bool zero_too = among(row->name, take_zero) && !among(word, takes_no_zero);
    check((row->least <= 0) == zero_too, command->name, row->name, "", "range and 0");
    check((row->least >= 0) != among(row->name, take_negative), command->name, row->name, "",
          "range and below 0");
    for (int i = 0; i < ATTACKS; i++) {
        bool help, zero = !strcmp(attacks[i], "0"), negative = !strcmp(attacks[i], "-1");
        bool takes = (zero && row->least <= 0) || (negative && row->least < 0);
        snprintf(word, sizeof word, "%s", command->name);
        snprintf(option, sizeof option, "--%s", row->name);
        snprintf(value, sizeof value, "%s", attacks[i]);
        if (row->kind == OPTION_REAL && !strcmp(attacks[i], huge))
            takes = row->most >= 1e20;
        if (row->kind == OPTION_REAL && *attacks[i] == '-' && !strcmp(attacks[i] + 1, huge))
            takes = row->least <= -1e20;
        char *argv[] = {word, option, value, NULL};
        struct parsing parsing = {0};
        listen();
        int status = parse_options(&parsing, command, rows, 3, argv, &help);
        check((status < 0) != takes, command->name, row->name, value,
              takes ? "is refused" : "is taken");
        if (!takes)
            check_refused(command->name, row->name, value, NULL);
    }
    attack_ends(command, rows, row);
}

static void attack_list(const struct command *command, const struct list *list)
{
    for (int i = 0; i < ATTACKS; i++) {
        char word[80], option[80], value[64], with[2][32];
        char *argv[6] = {word, option, value};
        struct parsing parsing = {0};
        int argc = 3;
        if ((!strcmp(attacks[i], "0") && (list->takes & ZERO)) ||
            (!strcmp(attacks[i], huge) && (list->takes & REAL)))
            continue;
        snprintf(word, sizeof word, "%s", command->name);
        snprintf(option, sizeof option, "--%s", list->option);
        snprintf(value, sizeof value, "%s", attacks[i]);
        for (int k = 0; k < 2 && list->with[k]; k++) {
            snprintf(with[k], sizeof with[k], "%s", list->with[k]);
            argv[argc++] = with[k];
        }
        listen();
        int status = command->run(&parsing, argc, argv);
        check(status == 2, command->name, list->option, value, "the status is not 2");
        check_refused(command->name, list->option, value, NULL);
    }
}

static bool is_list(const struct option_row *row)
{
    const char *value = row->metavar ? row->metavar : "";
    return row->kind == OPTION_TEXT && !among(row->name, of_names) && !strchr(value, '|') &&
           (!strcmp(value, "LIST") || !strcmp(value, "D") || strstr(value, ",...") ||
            strstr(value, ".."));
}

static bool names_file(const struct option_row *row)
{
    return row->kind == OPTION_TEXT &&
           (!strcmp(row->metavar, "FILE") || !strcmp(row->metavar, "DIR"));
}

/* The command ends before any work, on each rank, and rank 0 gives the reason in one line. */
static void refuse_output(const struct command *command, const char *name, const char *value,
                          const char *why)
{
    char word[80], option[80], path[64], line[512] = "", more[8], words[80];
    char *argv[] = {word, option, path, NULL};
    struct parsing parsing = {.on_ranks = command->parallel == true};
    if (rank && !parsing.on_ranks)
        return;
    snprintf(word, sizeof word, "%s", command->name);
    snprintf(option, sizeof option, "--%s", name);
    snprintf(path, sizeof path, "%s", value);
    snprintf(words, sizeof words, "%s %s: %s: %s", program_name, command->name, value, why);
    listen();
    int status = command->run(&parsing, 3, argv);
    check(status && parsing.unwritable, command->name, name, value, "is not refused");
    fflush(stderr);
    rewind(said);
    bool spoken = fgets(line, sizeof line, said) && !strncmp(line, words, strlen(words));
    check(spoken, command->name, name, value, *line ? line : "nothing is said");
    check(!fgets(more, sizeof more, said), command->name, name, value, "more than a line is said");
}

/* A writable output is accepted, and the check does not create it. */
static void attack_output(const struct command *command, const struct option_row *rows,
                          const struct option_row *row)
{
    char word[80], option[80], path[] = "numbers-could-be-written";
    char *argv[] = {word, option, path, NULL};
    struct parsing parsing = {0};
    bool help, folder = row->kind == OPTION_FOLDER;
    if (!HAS_JSON && (!strcmp(row->name, "json") || !strcmp(row->name, "csv")))
        return;
    outputs++;
    snprintf(word, sizeof word, "%s", command->name);
    snprintf(option, sizeof option, "--%s", row->name);
    check(parse_options(&parsing, command, rows, 3, argv, &help) == 3 && !parsing.unwritable,
          command->name, row->name, path, "is refused");
    check(access(path, F_OK) != 0, command->name, row->name, path, "is made");
    refuse_output(command, row->name, "nowhere/x", "No such file");
    if (!folder)
        refuse_output(command, row->name, "/dev/full", "No space left");
    refuse_output(command, row->name, folder ? "/dev/null" : ".", folder ? "Not a" : "Is a");
}

static void singular(const char *name, char *text, size_t room)
{
    for (size_t i = 0; i < sizeof same_things / sizeof *same_things; i++)
        if (!strcmp(name, same_things[i][0]))
            name = same_things[i][1];
    const size_t length = strlen(name);
    snprintf(text, room, "%.*s", (int)(length - (name[length - 1] == 's')), name);
}

static void check_letter(const struct command *command, const struct option_row *row)
{
    struct meaning *meaning = &meanings[row->letter & 127];
    char name[64], words[320];
    if (!row->letter)
        return;
    letters++;
    singular(row->name, name, sizeof name);
    if (!*meaning->name) {
        memcpy(meaning->name, name, sizeof name);
        meaning->flag = !row->metavar;
        snprintf(meaning->first, sizeof meaning->first, "%s %s --%s", program_name, command->name,
                 row->name);
    }
    snprintf(words, sizeof words, "-%c means something else in %s", row->letter, meaning->first);
    check(!strcmp(name, meaning->name) && meaning->flag == !row->metavar && row->letter != 'h',
          command->name, row->name, "", words);
}

/* A letter that is typed is named in the answer. */
static void attack_letter(const struct command *command, const struct option_row *rows,
                          const struct option_row *row)
{
    char word[80], option[8], value[] = "9x", line[512] = "", named[80];
    char *argv[] = {word, option, value, NULL};
    struct parsing parsing = {0};
    bool help;
    if (!row->letter)
        return;
    snprintf(word, sizeof word, "%s", command->name);
    snprintf(option, sizeof option, "-%c", row->letter);
    snprintf(named, sizeof named, "-%c (--%s): '9x'", row->letter, row->name);
    listen();
    check(parse_options(&parsing, command, rows, 3, argv, &help) < 0, command->name, row->name,
          value, "is taken by its letter");
    fflush(stderr);
    rewind(said);
    char *first = fgets(line, sizeof line, said), more[8];
    check(rank || !fgets(more, sizeof more, said), command->name, row->name, value,
          "more than a line is said");
    check(rank || (first && strstr(line, named)), command->name, row->name, value, line);
}

/* Replaces the help: collects the rows of a command. */
static void attack(const struct command *command, const struct option_row *rows, void *context)
{
    char word[80];
    (void)context;
    for (const struct option_row *row = rows; row->name; row++) {
        bool known = !is_list(row);
        check_letter(command, row);
        if (row->kind == OPTION_INT || row->kind == OPTION_REAL) {
            attack_number(command, rows, row);
            attack_letter(command, rows, row);
        }
        if (row->kind == OPTION_OUTPUT || row->kind == OPTION_FOLDER)
            attack_output(command, rows, row);
        snprintf(word, sizeof word, "%s %s", command->name, row->name);
        check(!names_file(row) || among(word, of_inputs), command->name, row->name, "",
              "names a file, but is not in this test's list of what is read");
        for (int i = 0; i < LISTS && !known; i++)
            known = !strcmp(lists[i].command, command->name) && !strcmp(lists[i].option, row->name);
        check(known, command->name, row->name, "", "is not in this test's table of lists");
    }
}

static void attack_rows(const struct command *command, void *context)
{
    char word[80], ask[] = "--help", *argv[] = {word, ask, NULL};
    struct parsing parsing = {.help = attack, .context = context};
    snprintf(word, sizeof word, "%s", command->name);
    command->run(&parsing, 2, argv);
}

/* Commands that need no MPI are run on rank 0 alone. */
static void attack_lists(const struct command *command, void *context)
{
    (void)context;
    for (int i = 0; i < LISTS; i++)
        if (!strcmp(lists[i].command, command->name) && (command->parallel == true || !rank))
            attack_list(command, &lists[i]);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    said = tmpfile();
    FILE *told = fdopen(dup(STDOUT_FILENO), "w");
    if (!said || !told || dup2(fileno(said), STDERR_FILENO) < 0 ||
        !freopen("/dev/null", "w", stdout))
        abort();
    report = told;
    const struct program *const programs[] = {&program_summand, &program_study};
    for (int i = 0; i < 2; i++) {
        program_set(programs[i]);
        commands_each(program->commands, attack_rows, NULL);
        commands_each(program->commands, attack_lists, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (!rank) {
        if (numbers < 100)
            fprintf(report, "only %d options take numbers\n", numbers), failed++;
        if (outputs < (HAS_JSON ? 40 : 15))
            fprintf(report, "only %d options name what is written\n", outputs), failed++;
        if (letters < 60)
            fprintf(report, "only %d options have letters\n", letters), failed++;
        fprintf(report, "%d checks of %d numbers, %d lists and %d outputs, %d failed\n", checks,
                numbers, LISTS, outputs, failed);
    }
    MPI_Finalize();
    return !rank && failed;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages, from the tables of --help and `info --env`. */
#include <string.h>

#include "cli/commands.h"
#include "cli/options/variables.h"
#include "cli/output/output.h"
#include "cli/pages/roff.h"

extern const struct command page_manual;

#define EXITS                                                                                      \
    "0: done. 1: it could not be done, or not be written. 2: the call was wrong. 130: "            \
    "interrupted; the results so far were written."

/* The target of a command's --help: the page being written. */
struct page {
    FILE *file;
    const struct command *of; /* the command that has given its options */
};

static void examples(FILE *page, const char *lines)
{
    fputs(".SH EXAMPLES\n", page);
    roff_lines(page, lines);
}

/* "summand-bench-sum" of "bench sum" of `summand`. */
static void page_name(const struct command *command, char *name, size_t room)
{
    snprintf(name, room, "%s-%s", program->name, command->name);
    for (char *at = name; *at; at++)
        if (*at == ' ')
            *at = '-';
}

static void option(FILE *page, const struct option_row *row)
{
    char tag[64];
    const char *between = !row->metavar ? "" : row->kind == OPTION_MAYBE ? "[=" : " ";
    snprintf(tag, sizeof tag, "%c%c%s--%s%s%s%s", row->letter ? '-' : '-',
             row->letter ? row->letter : '-', row->letter ? ", " : "", row->name, between,
             row->metavar ? row->metavar : "", *between == '[' ? "]" : "");
    roff_tagged(page, row->letter ? tag : tag + 2, row->help);
    for (int i = 0; row->kind == OPTION_CHOICE && row->choices[i]; i++) {
        roff_text(page, i ? " | " : "(");
        roff_text(page, row->choices[i]);
        roff_text(page, row->choices[i + 1] ? "" : ")\n");
    }
    char standard[256];
    option_default(row, standard, sizeof standard);
    if (*standard) {
        /* The same pages for every MPI, in whatever folder it is. */
        const size_t launcher = sizeof SUMMAND_LAUNCHER - 1;
        const bool launches = launcher && !strncmp(standard, SUMMAND_LAUNCHER, launcher);
        fputs(launches ? ".br\nDefault: mpiexec" : ".br\nDefault: ", page);
        roff_text(page, standard + (launches ? launcher : 0));
        fputs(".\n", page);
    }
}

static bool writes_files(const struct option_row *rows)
{
    while (rows->name && rows->kind != OPTION_OUTPUT && rows->kind != OPTION_FOLDER)
        rows++;
    return rows->name != NULL;
}

static void calibrations(FILE *page)
{
    roff_tagged(page, "$XDG_CACHE_HOME/summand, or ~/.cache/summand",
                "Measured costs of this machine, a file per kind of machine. The end of a program "
                "makes them if they are missing. They may be deleted at any time; "
                "SUMMAND_CALIBRATION=off reads and writes none.");
}

/* What a page says of files, variables and the exit status, below its options. */
static void surroundings(FILE *page, const struct command *command, const struct option_row *rows)
{
    if (command->parallel || writes_files(rows))
        fputs(".SH FILES\n", page);
    if (writes_files(rows))
        roff_text(page,
                  "A file that an option names is written whole or not at all; what was there "
                  "before stays until then.\n");
    if (command->parallel)
        calibrations(page);
    roff_section(page, "ENVIRONMENT",
                 command->parallel
                     ? "The variables SUMMAND_* of summand-env(7), and those of the MPI."
                     : "The variables SUMMAND_* of summand-env(7), where they apply.");
    roff_section(page, "EXIT STATUS", command->exits ? command->exits : EXITS);
}

static void head_of(FILE *page, const struct command *command)
{
    char name[80], synopsis[200];
    page_name(command, name, sizeof name);
    roff_heading(page, name, 1, command->summary);
    snprintf(synopsis, sizeof synopsis, "%s%s %s", command->parallel == true ? "mpirun -np P " : "",
             program->name, command->synopsis);
    roff_section(page, "SYNOPSIS", synopsis);
}

/* Replaces the help on the screen. */
static void page_of_options(const struct command *command, const struct option_row *rows,
                            void *context)
{
    struct page *current = context;
    FILE *page = current->file;
    current->of = command;
    head_of(page, command);
    fputs(".SH OPTIONS\n", page);
    const struct option_row *of_rows = rows;
    for (; rows->name; rows++)
        option(page, rows);
    roff_tagged(page, "-h, --help", "shows examples and options");
    examples(page, command->examples);
    surroundings(page, command, of_rows);
    roff_section(page, "SEE ALSO", "summand(1)");
}

static void list(FILE *page, const char *name, const struct command *const *commands)
{
    fprintf(page, ".SH %s\n", name);
    for (int i = 0; commands[i]; i++)
        roff_tagged(page, command_word(commands[i]), commands[i]->summary);
}

static bool page_of(const char *directory, const struct command *command)
{
    const struct command *const *members = command->members;
    char name[80], word[80], ask[] = "--help", *argv[] = {word, ask, NULL};
    page_name(command, name, sizeof name);
    snprintf(word, sizeof word, "%s", command->name);
    struct output output;
    if (!roff_open(&output, directory, name, 1))
        return false;
    FILE *page = output.file;
    struct page current = {page, NULL};
    struct parsing parsing = {.help = page_of_options, .context = &current};
    if (members) {
        head_of(page, command);
        list(page, "COMMANDS", members);
        examples(page, command->examples);
        roff_section(page, "SEE ALSO", "summand(1)");
    } else {
        command->run(&parsing, 2, argv);
    }
    bool good = output_close(&output, true);
    if (good && !members && current.of != command)
        good = !complain("manual", "%s: its --help gave no page", command->name);
    for (int i = 0; good && members && members[i]; i++)
        good = page_of(directory, members[i]);
    return good;
}

/* Pages of the program's commands. */
static bool pages_of(const char *directory)
{
    bool good = true;
    for (int i = 0; good && program->commands[i]; i++)
        good = page_of(directory, program->commands[i]);
    return good;
}

static void main_of(FILE *page, const char *description)
{
    char synopsis[80];
    roff_heading(page, program->name, 1, program->summary);
    snprintf(synopsis, sizeof synopsis, "[mpirun -np P] %s COMMAND [options]", program->name);
    roff_section(page, "SYNOPSIS", synopsis);
    roff_section(page, "DESCRIPTION", description);
    list(page, "COMMANDS", program->commands);
}

static bool study_page(const char *directory)
{
    struct output output;
    if (!roff_open(&output, directory, program->name, 1))
        return false;
    main_of(output.file,
            "Reproduces figures and tables of papers. Each command has a page of its own, named "
            "summand-study-COMMAND.");
    roff_section(output.file, "SEE ALSO", "summand(1)");
    return output_close(&output, true);
}

static bool main_page(const char *directory)
{
    struct output output;
    if (!roff_open(&output, directory, program->name, 1))
        return false;
    FILE *page = output.file;
    main_of(page,
            "Sums and other reductions over the ranks of an MPI program: exact, in a fixed order, "
            "and by many algorithms. Each command has a page of its own, named summand-COMMAND.");
    roff_section(page, "ENVIRONMENT", "The variables SUMMAND_* of summand-env(7).");
    roff_section(
        page, "HANGS",
        "A rank that has waited for 60 s writes one line to stderr: the call, with its number on "
        "this communicator, the ranks that it waits for, and, if ranks share memory, where these "
        "are. SUMMAND_STALL sets the time. If ranks are at different calls, or give "
        "different arguments, run with SUMMAND_CHECK=on: it turns what differs into an error on "
        "all ranks. SUMMAND_TIMEOUT turns waiting itself into an error.");
    fputs(".SH FILES\n", page);
    calibrations(page);
    roff_tagged(page, "the file that SUMMAND_TUNING names",
                "Measured choices of algorithms and a model of the network (summand-tune(1)).");
    roff_tagged(
        page, "libsummand-mpi-openmpi.so, libsummand-mpi-mpich.so, libsummand-mpi-abi.so",
        "What summand-run(1) preloads, in the folder of the libraries; the library with -core "
        "in its name lies beside it.");
    roff_tagged(page, "share/doc/summand", "Pages for users, and examples of programs.");
    roff_section(page, "EXIT STATUS", EXITS);
    roff_section(page, "SEE ALSO", "summand-env(7)");
    return output_close(&output, true);
}

static bool variables_page(const char *directory)
{
    struct output output;
    if (!roff_open(&output, directory, "summand-env", 7))
        return false;
    FILE *page = output.file;
    roff_heading(page, "summand-env", 7, "environment variables of Summand");
    roff_section(page, "DESCRIPTION",
                 "The library reads these, the command too. A program can set them by itself: "
                 "summand_setting_set(3).");
    const summand_setting *row;
    for (int i = 0; (row = summand_setting_at(i)); i++) {
        char words[VARIABLE_ROOM];
        variable_words(row, words);
        roff_tagged(page, row->name, words);
    }
    roff_tagged(page, "XDG_CACHE_HOME, HOME", "Where calibrations lie (FILES).");
    roff_section(page, "SEE ALSO", "summand(1), summand_info(3)");
    return output_close(&output, true);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *directory = "man", *headers = NULL;
    bool help, good;
    const struct option_row rows[] = {
        {"output", 'o', OPTION_FOLDER, &directory, "DIR", "where the pages go", NULL},
        {"headers", 0, OPTION_TEXT, &headers, "DIR", "headers of the calls of section 3", NULL},
        {0}};
    int first = parse_options(parsing, &page_manual, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (first < argc)
        return misuse("manual", "%s: no operand expected", argv[first]);
    program_set(&program_summand);
    good = main_page(directory) && pages_of(directory) && variables_page(directory) &&
           (!headers || manual_calls(directory, headers));
    program_set(&program_study);
    good = good && study_page(directory) && pages_of(directory);
    return !good;
}

const struct command page_manual = {
    .name = "manual",
    .summary = "writes the manual pages",
    .synopsis = "manual [options]",
    .examples = "  summand-pages manual -o man && man -l man/man1/summand.1\n",
    .parallel = false,
    .run = run,
};

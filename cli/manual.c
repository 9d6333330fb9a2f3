/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages, from the tables of --help and `info --env`. */
#include <errno.h>
#include <string.h>
#include <summand/version.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/common/output.h"
#include "cli/common/variables.h"

extern const struct command page_manual;

#define EXITS                                                                                      \
    "0: done. 1: it could not be done, or not be written. 2: the call was wrong. 130: "            \
    "interrupted; the results so far were written."

/* The target of a command's --help: the page being written. */
struct page {
    FILE *file;
    const struct command *of; /* the command that has given its options */
};

/* Text for roff: no requests, and dashes that can be copied. */
static void text(FILE *page, const char *words)
{
    for (const char *at = words; *at; at++)
        if (*at == '-')
            fputs("\\-", page);
        else if (*at == '\\')
            fputs("\\e", page);
        else if ((*at == '.' || *at == '\'') && (at == words || at[-1] == '\n'))
            fprintf(page, "\\&%c", *at);
        else
            fputc(*at, page);
}

static void section(FILE *page, const char *name, const char *words)
{
    fprintf(page, ".SH %s\n", name);
    text(page, words);
    fputc('\n', page);
}

static void examples(FILE *page, const char *lines)
{
    fputs(".SH EXAMPLES\n.nf\n", page);
    text(page, lines);
    fputs(".fi\n", page);
}

/* "summand-bench-sum" of "bench sum" of `summand`. */
static void page_name(const struct command *command, char *name, size_t room)
{
    snprintf(name, room, "%s-%s", program->name, command->name);
    for (char *at = name; *at; at++)
        if (*at == ' ')
            *at = '-';
}

static void heading(FILE *page, const char *name, const char *summary)
{
    fprintf(page, ".TH %s 1 \"\" \"Summand %s\"\n", name, summand_version());
    fputs(".SH NAME\n", page);
    text(page, name);
    fputs(" \\- ", page);
    text(page, summary);
    fputc('\n', page);
}

static void tagged(FILE *page, const char *tag, const char *words)
{
    fputs(".TP\n.B ", page);
    text(page, tag);
    fputc('\n', page);
    text(page, words);
    fputc('\n', page);
}

static void option(FILE *page, const struct option_row *row)
{
    char tag[64];
    const char *between = !row->metavar ? "" : row->kind == OPTION_MAYBE ? "[=" : " ";
    snprintf(tag, sizeof tag, "%c%c%s--%s%s%s%s", row->letter ? '-' : '-',
             row->letter ? row->letter : '-', row->letter ? ", " : "", row->name, between,
             row->metavar ? row->metavar : "", *between == '[' ? "]" : "");
    tagged(page, row->letter ? tag : tag + 2, row->help);
    for (int i = 0; row->kind == OPTION_CHOICE && row->choices[i]; i++) {
        text(page, i ? " | " : "(");
        text(page, row->choices[i]);
        text(page, row->choices[i + 1] ? "" : ")\n");
    }
    char standard[256];
    option_default(row, standard, sizeof standard);
    if (*standard) {
        fputs(".br\nDefault: ", page);
        text(page, standard);
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
    tagged(
        page, "$XDG_CACHE_HOME/summand, or ~/.cache/summand",
        "Measured costs of this machine, a file per kind of machine. They are made when they are "
        "missing, and may be deleted at any time; SUMMAND_CALIBRATION=off reads and writes none.");
}

/* What a page says of files, variables and the exit status, below its options. */
static void surroundings(FILE *page, const struct command *command, const struct option_row *rows)
{
    if (command->parallel || writes_files(rows))
        fputs(".SH FILES\n", page);
    if (writes_files(rows))
        text(page, "A file that an option names is written whole or not at all; what was there "
                   "before stays until then.\n");
    if (command->parallel)
        calibrations(page);
    section(page, "ENVIRONMENT",
            command->parallel ? "The variables SUMMAND_* of summand(1), and those of the MPI."
                              : "The variables SUMMAND_* of summand(1), where they apply.");
    section(page, "EXIT STATUS", command->exits ? command->exits : EXITS);
}

static void head_of(FILE *page, const struct command *command)
{
    char name[80], synopsis[200];
    page_name(command, name, sizeof name);
    heading(page, name, command->summary);
    snprintf(synopsis, sizeof synopsis, "%s%s %s", command->parallel == true ? "mpirun -np P " : "",
             program->name, command->synopsis);
    section(page, "SYNOPSIS", synopsis);
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
    tagged(page, "-h, --help", "shows examples and options");
    examples(page, command->examples);
    surroundings(page, command, of_rows);
    section(page, "SEE ALSO", "summand(1)");
}

static void list(FILE *page, const char *name, const struct command *const *commands)
{
    fprintf(page, ".SH %s\n", name);
    for (int i = 0; commands[i]; i++)
        tagged(page, command_word(commands[i]), commands[i]->summary);
}

static bool open_page(struct output *output, const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.1", directory, name);
    return output_open(output, "manual", path);
}

static bool page_of(const char *directory, const struct command *command)
{
    const struct command *const *members = command->members;
    char name[80], word[80], ask[] = "--help", *argv[] = {word, ask, NULL};
    page_name(command, name, sizeof name);
    snprintf(word, sizeof word, "%s", command->name);
    struct output output;
    if (!open_page(&output, directory, name))
        return false;
    FILE *page = output.file;
    struct page current = {page, NULL};
    struct parsing parsing = {.help = page_of_options, .context = &current};
    if (members) {
        head_of(page, command);
        list(page, "COMMANDS", members);
        examples(page, command->examples);
        section(page, "SEE ALSO", "summand(1)");
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
    heading(page, program->name, program->summary);
    snprintf(synopsis, sizeof synopsis, "[mpirun -np P] %s COMMAND [options]", program->name);
    section(page, "SYNOPSIS", synopsis);
    section(page, "DESCRIPTION", description);
    list(page, "COMMANDS", program->commands);
}

static bool study_page(const char *directory)
{
    struct output output;
    if (!open_page(&output, directory, program->name))
        return false;
    main_of(output.file,
            "Reproduces figures and tables of papers. Each command has a page of its own, named "
            "summand-study-COMMAND.");
    section(output.file, "SEE ALSO", "summand(1)");
    return output_close(&output, true);
}

static bool main_page(const char *directory)
{
    struct output output;
    if (!open_page(&output, directory, program->name))
        return false;
    FILE *page = output.file;
    main_of(page,
            "Sums and other reductions over the ranks of an MPI program: exact, in a fixed order, "
            "and by many algorithms. Each command has a page of its own, named summand-COMMAND.");
    fputs(".SH ENVIRONMENT\nThe library reads these, the command too. A program can set them by "
          "itself: summand_setting_set in summand/info.h.\n",
          page);
    const summand_setting *row;
    for (int i = 0; (row = summand_setting_at(i)); i++) {
        char words[VARIABLE_ROOM];
        variable_words(row, words);
        tagged(page, row->name, words);
    }
    tagged(page, "XDG_CACHE_HOME, HOME", "Where calibrations lie (FILES).");
    section(
        page, "HANGS",
        "A rank that has waited for 60 s writes one line to stderr: the call, with its number on "
        "this communicator, the ranks that it waits for, and, if ranks share memory, where these "
        "are. SUMMAND_STALL sets the time. If ranks are at different calls, or give "
        "different arguments, run with SUMMAND_CHECK=on: it turns what differs into an error on "
        "all ranks. SUMMAND_TIMEOUT turns waiting itself into an error.");
    fputs(".SH FILES\n", page);
    calibrations(page);
    tagged(page, "the file that SUMMAND_TUNING names",
           "Measured choices of algorithms and a model of the network (summand-tune(1)).");
    tagged(page, "libsummand-mpi-openmpi.so, libsummand-mpi-mpich.so, libsummand-mpi-abi.so",
           "What summand-run(1) preloads, in the folder of the libraries; the library with -core "
           "in its name lies beside it.");
    tagged(page, "share/doc/summand", "Pages for users, and examples of programs.");
    section(page, "EXIT STATUS", EXITS);
    return output_close(&output, true);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *directory = "man";
    bool help, good;
    const struct option_row rows[] = {
        {"output", 'o', OPTION_FOLDER, &directory, "DIR", "where the pages go", NULL}, {0}};
    int first = parse_options(parsing, &page_manual, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (first < argc)
        return misuse("manual", "%s: no operand expected", argv[first]);
    if (mkdir(directory, 0777) && errno != EEXIST)
        return complain("manual", "%s: %s", directory, strerror(errno));
    program_set(&program_summand);
    good = main_page(directory) && pages_of(directory);
    program_set(&program_study);
    good = good && study_page(directory) && pages_of(directory);
    return !good;
}

const struct command page_manual = {
    .name = "manual",
    .summary = "writes the manual pages",
    .synopsis = "manual [options]",
    .examples = "  summand-pages manual -o man && man -l man/summand.1\n",
    .parallel = false,
    .run = run,
};

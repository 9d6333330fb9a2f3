/* SPDX-License-Identifier: BSD-3-Clause */
/* summand judge: does somebody's sum depend on ranks, order or run, and how right is it? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/judge/judge.h"
#include "cli/options/numbers.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "cli/output/table.h"
#include "cli/ranks/interrupt.h"

extern const struct command command_judge;

enum { RANKS_MOST = 8, PAIRS = 7, WIDEST = 64 };

struct asked {
    const char *ranks, *output, *plot, *beside, *data;
    long long terms, columns, shrinks;
    double timeout;
    int format;
    bool json, each_row;
};

/* The data sets that a list leaves out; false after a complaint. */
static bool choose_data(const char *list, uint64_t *left_out, int *sets)
{
    char *names = need(strdup(list)), *rest = NULL;
    bool good = true;
    *left_out = UINT64_MAX;
    *sets = 0;
    for (char *name = strtok_r(names, ",", &rest); name && good;
         name = strtok_r(NULL, ",", &rest)) {
        int i = 0;
        while (summand__judge_data[i].name && strcmp(summand__judge_data[i].name, name))
            i++;
        good = summand__judge_data[i].name;
        if (good) {
            *sets += (*left_out >> i & 1) != 0;
            *left_out &= ~(UINT64_C(1) << i);
        } else
            complain(command_judge.name,
                     "--data: no data set is called '%s'; 'summand judge --data list' "
                     "lists them",
                     name);
    }
    free(names);
    if (good && !*sets)
        complain(command_judge.name, "--data names no data set");
    return good && *sets;
}

static int list_data(void)
{
    struct table table;
    table_begin(&table, "<data|<what is hard about it");
    for (const struct summand__judge_data *data = summand__judge_data; data->name; data++) {
        table_cell(&table, "%s", data->name);
        table_cell(&table, "%s", data->what);
    }
    table_end(&table, stdout);
    return 0;
}

/* The ratio of seconds to those of another program on the same data, in pairs. NAN after a
 * complaint. */
static double ratio_beside(struct judged *judged, const char *beside,
                           const struct summand__judge_trial *trial)
{
    const size_t terms = trial->rows * trial->columns;
    double ratios[PAIRS], *x = need(malloc(terms * sizeof *x));
    char *words[] = {(char *)"sh", (char *)"-c", (char *)beside, NULL}, **theirs = judged->words;
    const struct summand__judge_input input = {
        .rows = trial->rows, .columns = trial->columns, .parts = trial->parts[0], .x = x};
    summand__judge_data[0].fill(x, terms, 1);
    bool good = judged_write(judged, judged->file, x, terms);
    free(x);
    for (int i = 0; i < PAIRS && good; i++) {
        const double first = judged_seconds(judged, &input);
        judged->words = words;
        const double second = first < 0 ? -1 : judged_seconds(judged, &input);
        judged->words = theirs;
        good = first >= 0 && second > 0;
        ratios[i] = first / second;
    }
    if (!good)
        return NAN;
    measure_sort(ratios, PAIRS);
    return ratios[PAIRS / 2];
}

static int answer(const struct asked *asked, const struct judged *judged,
                  const summand_judge_report *report, size_t columns)
{
    char *line = judged_line(judged, 1, "FILE");
    bool good = true;
    if (asked->json) {
        json_t *object = json_head(command_judge.name);
        json_object_update_new(object, json_make("sbi", "program", line, "takes_ranks",
                                                 !judged->without_ranks, "digits", judged->digits));
        json_object_update_new(object, judge_json(report, columns));
        good = write_json(command_judge.name, object, NULL) == 0;
    } else {
        judge_print(report);
        if (judged->without_ranks)
            print_line("One process: no word of the program is {ranks}.");
        if (judged->digits && judged->digits < 16)
            print_line("\nThe program prints %d digits; 17 tell all doubles apart, so other "
                       "differences are hidden.",
                       judged->digits);
        good = judge_write_witnesses(judged, report, columns, asked->output);
    }
    if (asked->plot)
        good = judge_plot(command_judge.name, report, line, asked->plot) && good;
    free(line);
    return good ? report->faults != 0 : 2;
}

static int judge(const struct asked *asked, struct judged *judged, const struct numbers *ranks)
{
    size_t parts[RANKS_MOST];
    summand_judge_report *report;
    const size_t columns = asked->each_row ? (size_t)asked->columns : 1;
    struct summand__judge_trial trial = {.run = judged_run,
                                         .of = judged,
                                         .rows = (size_t)asked->terms,
                                         .columns = columns,
                                         .parts = parts,
                                         .parts_count = ranks->count,
                                         .row_each = asked->each_row,
                                         .shrinks = (int)asked->shrinks};
    for (int i = 0; i < ranks->count; i++)
        parts[i] = (size_t)ranks->value[i];
    int sets = 0;
    if (asked->data && !choose_data(asked->data, &trial.left_out, &sets))
        return 2;
    while (!asked->data && summand__judge_data[sets].name)
        sets++;
    judged->runs_expected = sets * (ranks->count + (ranks->count > 1 ? 9 : 5));
    const enum summand__judge_end end = summand__judge_try(&trial, &report);
    progress_hide();
    if (end == SUMMAND__JUDGE_MEMORY)
        need(NULL);
    int status = 2;
    if (end == SUMMAND__JUDGE_DONE) {
        if (asked->beside)
            report->ratio = ratio_beside(judged, asked->beside, &trial);
        status = interrupted() ? INTERRUPTED : answer(asked, judged, report, columns);
    } else if (interrupted())
        status = INTERRUPTED;
    summand_judge_free(&report);
    return status;
}

/* False after a complaint. */
static bool ready(struct asked *asked, struct judged *judged, struct numbers *ranks)
{
    const char *const command = command_judge.name;
    if (!asked->ranks)
        asked->ranks = asked->each_row ? "4" : "1,2,3,4";
    if (!read_numbers(asked->ranks, 1, 1 << 20, ranks) || ranks->count > RANKS_MOST) {
        complain(command,
                 "--ranks is a list of at most %d numbers of ranks, such as 1,2,3,4; not %s",
                 RANKS_MOST, asked->ranks);
        return false;
    }
    if (asked->each_row && ranks->count > 1) {
        complain(command, "with --each-row one rank has one row, so --ranks is one number");
        return false;
    }
    if (asked->each_row && ranks->value[0] < 4) {
        complain(command, "with --each-row, --ranks is at least 4: each rank has one row");
        return false;
    }
    if (asked->each_row)
        asked->terms = ranks->value[0];
    judged->without_ranks = !judged_holds(judged, "{ranks}");
    if (judged->without_ranks)
        ranks->count = 1;
    judged->format = format_chosen(asked->format, "terms.txt");
    if (!judged->format->write_values || !strcmp(judged->format->name, "f32")) {
        complain(command,
                 "--format %s does not keep all doubles, or is not written; text, csv, psllh, "
                 "binpsllh, npy and f64 are",
                 judged->format->name);
        return false;
    }
    judged->timeout = asked->timeout;
    return true;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct asked asked = {
        .output = "judge-witness", .terms = 1000, .columns = 3, .shrinks = 60, .timeout = 60};
    struct judged judged = {.command = command_judge.name};
    struct numbers ranks;
    bool help;
    const struct option_row rows[] = {
        {"ranks", 'p', OPTION_TEXT, &asked.ranks, "LIST",
         "numbers of ranks (default 1,2,3,4; with --each-row 4)", NULL},
        {"n", 'n', OPTION_INT, &asked.terms, "N", "terms of each data set", NULL, 4, 1 << 24},
        {"data", 0, OPTION_TEXT, &asked.data, "NAMES",
         "these data sets alone, joined by commas; list: lists them", NULL},
        {"each-row", 0, OPTION_FLAG, &asked.each_row, NULL,
         "each rank has a row of the file; the program prints a sum for each column", NULL},
        {"columns", 0, OPTION_INT, &asked.columns, "N", "columns of --each-row", NULL, 1, WIDEST},
        {"format", 0, OPTION_CHOICE, &asked.format, "NAME",
         "what the program reads; auto: text, a number a line", format_choices},
        {"timeout", 0, OPTION_REAL, &asked.timeout, "SECONDS", "most seconds of a run", NULL, 0.1,
         1e6},
        {"shrinks", 0, OPTION_INT, &asked.shrinks, "N", "most runs to make a witness smaller", NULL,
         0, 100000},
        {"beside", 0, OPTION_TEXT, &asked.beside, "COMMAND",
         "another sum: its time is 1 ({ranks} and {file} stand for values)", NULL},
        {"output", 'o', OPTION_FOLDER, &asked.output, "FOLDER", "where files of witnesses go",
         NULL},
        {"plot", 0, OPTION_OUTPUT, &asked.plot, "FILE", "draw the right digits by data as SVG",
         NULL},
        {"json", 'j', OPTION_FLAG, &asked.json, NULL, "print JSON", NULL},
        {0}};
    const int first = parse_options(parsing, &command_judge, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first >= 0 && asked.data && !strcmp(asked.data, "list"))
        return list_data();
    if (first == argc)
        complain(command_judge.name, "no program is given; 'summand judge --help' shows how");
    if (first < 0 || first == argc)
        return 2;
    judged.words = argv + first;
    if (!ready(&asked, &judged, &ranks))
        return 2;
    interrupt_listen();
    if (!judged_begin(&judged))
        return 2;
    const int status = judge(&asked, &judged, &ranks);
    judged_end(&judged);
    return status;
}

const struct command command_judge = {
    "judge",
    "does a program's sum depend on ranks, order or run, and how right is it",
    "judge [options] -- PROGRAM...",
    "  summand judge -- mpirun -np {ranks} ./program {file}\n"
    "  summand judge --ranks 1,2,7 -n 1e5 -- mpirun -np {ranks} ./program {file}\n"
    "  summand judge -n 1000 -- python3 -c 'import sys; print(sum(map(float, sys.stdin)))'\n"
    "  summand judge --each-row -p 5 -- mpirun -np {ranks} ./program {file}\n",
    false,
    run,
    NULL,
    "0: the exact sum, rounded once, in every case. 1: a fault was found. 2: the call was wrong, "
    "or the program could not be judged."};

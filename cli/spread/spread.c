/* SPDX-License-Identifier: BSD-3-Clause */
/* summand spread: tests if the sum depends on the number of ranks. (Table 4.2 of Stelz 2022.) */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/setting.h"
#include "cli/output/table.h"
#include "cli/output/text.h"
#include "cli/spread/spread.h"

extern const struct command command_spread;

static void spread_cell(struct table *table, const struct spread_method *method)
{
    if (!method->runs)
        table_cell(table, "-");
    else if (spread_of(method) == 0)
        table_cell(table, "0.0");
    else
        table_cell(table, "%.1e", spread_of(method));
}

static void time_cell(struct table *table, const struct spread_method *method)
{
    if (isnan(method->seconds))
        table_cell(table, "-");
    else
        table_cell(table, "%.2f%s", 1e6 * method->seconds, method->settled ? " " : "*");
}

/* Plain first, because readers know it. */
static const int columns[METHODS] = {2, 0, 1};

static void print_table(const struct spread *spread)
{
    struct table table;
    bool times = spread->bench_ranks > 0;
    table_begin(&table, times
                            ? "<file|N|MPI_Allreduce|exact|tree||naive call/us|fast call/us|exact "
                              "plan/us|tree plan/us"
                            : "<file|N|MPI_Allreduce|exact|tree");
    for (int i = 0; i < spread->files; i++) {
        const struct spread_file *file = &spread->file[i];
        table_cell(&table, "%s", base_name(file->path));
        table_cell(&table, "%" PRIu64, file->n);
        for (int m = 0; m < METHODS; m++)
            spread_cell(&table, &file->method[columns[m]]);
        if (times)
            table_cell(&table, "  ");
        for (int m = 0; times && m < METHODS; m++) {
            time_cell(&table, &file->method[columns[m]]);
            if (!m)
                time_cell(&table, &file->method[SPREAD_FAST]);
        }
    }
    table_end(&table, stdout);
}

static void print_head(const struct spread *spread)
{
    const struct spread_method *runs = &spread->file[0].method[0];
    char ranks[SPREAD_RUNS * 12 + 1] = "", times[400] = "";
    for (int i = 0, used = 0; i < runs->runs; i++)
        used += snprintf(ranks + used, sizeof ranks - (size_t)used, "%s %d", i ? "," : "",
                         runs->ranks[i]);
    if (spread->bench_ranks)
        snprintf(times, sizeof times,
                 "; right: median time of one sum on %d rank%s, blocking calls and starts of "
                 "plans; naive: a plain loop; fast: the same compiled with -ffast-math for this "
                 "processor; * marks times that did not settle (95 %% interval wider than 2 %%)",
                 spread->bench_ranks, text_plural(spread->bench_ranks));
    char *head = NULL;
    need(
        asprintf(&head,
                 "How far apart are the sums on p =%s ranks? Largest minus smallest result (%s)%s.",
                 ranks, spread->mpi, times) < 0
            ? NULL
            : head);
    print_wrapped(head, 0, stdout);
    free(head);
    putchar('\n');
}

/* Counts files whose results differ between rank counts; `missing`: files without results. */
static int count_moved(const struct spread *spread, int method, int *missing)
{
    int moved = 0;
    *missing = 0;
    for (int i = 0; i < spread->files; i++) {
        const struct spread_method *results = &spread->file[i].method[method];
        *missing += !results->runs;
        moved += results->runs && spread_of(results) != 0;
    }
    return moved;
}

/* True if the methods that promise the same bits keep it; complains otherwise. */
static bool kept(const struct spread *spread)
{
    bool moved = false;
    int missing, lacking = 0;
    for (int m = 0; m < METHODS; m++)
        if (methods[m].fixed) {
            moved = count_moved(spread, m, &missing) || moved;
            lacking += missing;
        }
    if (moved)
        complain(command_spread.name, "a method that promises the same bits broke its promise");
    else if (lacking)
        complain(command_spread.name, "results of methods are missing; 'summand sum --method all "
                                      "--json' writes those of all");
    return !moved && !lacking;
}

static int print_verdict(const struct spread *spread)
{
    printf("\n");
    for (int i = 0; i < METHODS; i++) {
        int m = columns[i], missing, moved = count_moved(spread, m, &missing);
        const char *name = methods[m].fixed ? methods[m].name : "MPI_Allreduce";
        const char *files = text_plural(spread->files), *what = methods[m].summary;
        if (moved)
            print_line("%-14s %s: the result moves for %d of %d file%s.", name, what, moved,
                       spread->files, files);
        else if (missing)
            print_line("%-14s %s: no result for %d of %d file%s.", name, what, missing,
                       spread->files, files);
        else
            print_line("%-14s %s: the same bits on every number of ranks.", name, what);
    }
    return !kept(spread);
}

static json_t *method_json(const struct spread_method *results, const char *name)
{
    double spread = results->runs ? spread_of(results) : NAN;
    return json_make("sioob", "method", name, "runs", results->runs, "spread", json_finite(spread),
                     "seconds", json_finite(results->seconds), "settled", results->settled);
}

static int print_json(const struct spread *spread)
{
    json_t *files = json_array(), *object = json_head(command_spread.name);
    const bool good = kept(spread);
    for (int i = 0; i < spread->files; i++) {
        const struct spread_file *file = &spread->file[i];
        json_t *list = json_array();
        for (int m = 0; m < METHODS; m++)
            json_array_append_new(list, method_json(&file->method[m], methods[m].name));
        if (spread->bench_ranks)
            json_array_append_new(list, method_json(&file->method[SPREAD_FAST], "fast"));
        json_array_append_new(files, json_make("ssIo", "file", file->path, "op", file->op, "n",
                                               (json_int_t)file->n, "methods", list));
    }
    json_object_update_new(object, json_make("sibo", "mpi", spread->mpi, "bench_ranks",
                                             spread->bench_ranks, "kept", good, "files", files));
    int status = write_json(command_spread.name, object, NULL);
    return good ? status : 1;
}

static int report(struct spread *spread, int files, char **paths, const char *bench,
                  const char *plot, bool json)
{
    for (int i = 0; i < files; i++)
        if (!spread_add(spread, command_spread.name, paths[i]))
            return 1;
    if (bench && !spread_add_bench(spread, command_spread.name, bench))
        return 1;
    int status;
    if (json) {
        status = print_json(spread);
    } else {
        print_head(spread);
        print_table(spread);
        status = print_verdict(spread);
    }
    if (plot && !spread_plot(spread, command_spread.name, plot))
        status = 1;
    return status;
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *bench = NULL, *plot = NULL;
    bool help, json = false;
    const struct option_row rows[] = {
        {"json", 'j', OPTION_FLAG, &json, NULL, "print JSON instead of a table", NULL},
        {"bench", 0, OPTION_TEXT, &bench, "FILE", "times from the JSON of 'bench sum'", NULL},
        {"plot", 0, OPTION_OUTPUT, &plot, "FILE", "draw the results against p as SVG", NULL},
        {0}};
    int first = parse_options(parsing, &command_spread, rows, argc, argv, &help);
    if (help)
        return 0;
    if (first == argc)
        complain(command_spread.name, "no file given; 'summand spread --help' shows how");
    if (first < 0 || first == argc)
        return 2;
    struct spread spread = {0};
    int status = report(&spread, argc - first, argv + first, bench, plot, json);
    spread_free(&spread);
    return status;
}

const struct command command_spread = {
    "spread",
    "how far results of 'sum' on several rank counts lie apart",
    "spread [options] RESULT.json...",
    "  summand generate psllh --output x.npy\n"
    "  for p in 1 2 3 4; do mpirun -np $p summand sum --method all --json x.npy > $p.json; done\n"
    "  summand spread 1.json 2.json 3.json 4.json\n",
    false,
    run,
    NULL,
    "0: every method kept its promise. 1: one did not, or a file could not be read or written. 2: "
    "the call was wrong."};

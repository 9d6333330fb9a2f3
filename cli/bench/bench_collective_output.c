/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of a collective, in the style of the OSU benchmarks, and its summary. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/output/table.h"

static const struct bench_key keys[] = {
    {"bytes", BENCH_WHOLE, offsetof(struct bench_row, bytes)},
    {"count", BENCH_WHOLE, offsetof(struct bench_row, n)},
    {"algorithm", BENCH_TEXT, offsetof(struct bench_row, method)},
    {0}};

static void print_rows(const struct bench_report *report)
{
    struct table table;
    bench_table_begin(&table, report, "# Size|Median(us)|CI95|P99|<Algorithm|vs-mpi|<");
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        table_cell(&table, "%" PRIu64, row->bytes);
        bench_number_cell(&table, 1e-6, row->time.median);
        bench_interval_cell(&table, row, 1e-6, row->time);
        bench_time_cell(&table, row, 1e-6, row->p99);
        table_cell(&table, "%s%s%s%s", row->method, row->chosen[0] ? " (" : "", row->chosen,
                   row->chosen[0] ? ")" : "");
        bench_ratio_cell(&table, row->ratio[0].median);
        table_cell(&table, "%s", row->settled ? "" : "*");
    }
    table_end(&table, stdout);
}

/* One line per algorithm, in the order of the first rows. */
static void print_means(const struct bench_report *report)
{
    struct table table;
    table_begin(&table, "# Algorithm|geometric mean|least|at size|sizes");
    table.left[0] = true;
    int rows = 0;
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *least = NULL;
        double logarithms = 0;
        int sizes = 0, before = 0;
        for (int k = 0; k < report->rows; k++) {
            const struct bench_row *row = &report->row[k];
            if (strcmp(row->method, report->row[i].method) || isnan(row->ratio[0].median))
                continue;
            before += k < i;
            logarithms += log(row->ratio[0].median);
            least = !least || row->ratio[0].median < least->ratio[0].median ? row : least;
            sizes++;
        }
        if (before || !sizes || !strcmp(report->row[i].method, "mpi"))
            continue;
        table_cell(&table, "# %s", report->row[i].method);
        table_cell(&table, "%.3f", exp(logarithms / sizes));
        table_cell(&table, "%.3f", least->ratio[0].median);
        table_cell(&table, "%" PRIu64, least->bytes);
        table_cell(&table, "%d", sizes);
        rows++;
    }
    if (rows) {
        puts("#");
        print_remark("vs-mpi over all sizes (times as fast as the MPI):");
    }
    table_end(&table, rows ? stdout : NULL);
}

/* Compares the choice with a promise or checks to the free choice, round by round. */
static void print_promised(const struct bench_report *report)
{
    struct table table;
    bench_table_begin(&table, report, "# Algorithm|Size|vs-auto|CI95");
    table.left[0] = true;
    int rows = 0;
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        if (strncmp(row->method, "auto:", 5) || isnan(row->ratio[1].median))
            continue;
        table_cell(&table, "# %s", row->method);
        table_cell(&table, "%" PRIu64, row->bytes);
        bench_ratio_cell(&table, row->ratio[1].median);
        bench_interval_cell(&table, row, 1, row->ratio[1]);
        rows++;
    }
    if (rows)
        printf("#\n# vs-auto (times as fast as auto alone, by rounds):\n");
    table_end(&table, rows ? stdout : NULL);
}

/* With --plan: all but the MPI's own function. */
bool bench_by_plan(const struct bench_report *report, const char *method)
{
    const char *calls = json_string_value(json_object_get(report->options, "calls"));
    return calls && !strcmp(calls, "plan") && strncmp(method, "mpi", 3);
}

static void print(const struct bench_report *report)
{
    bench_print_head(report);
    print_rows(report);
    bench_print_foot(report);
    print_means(report);
    print_promised(report);
}

const struct bench_form bench_collective_form = {.references = {"mpi", "auto"},
                                                 .ratios = {"vs_mpi", "vs_auto"},
                                                 .x = offsetof(struct bench_row, bytes),
                                                 .x_label = "bytes",
                                                 .plan = bench_by_plan,
                                                 .keys = keys,
                                                 .print = print};

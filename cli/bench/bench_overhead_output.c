/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of "bench overhead". */
#include <math.h>
#include <stdlib.h>

#include "bench/need.h"
#include "cli/bench/bench_overhead.h"
#include "cli/common/cli.h"

/* For a launch the median of the differences; for several launches, their median and interval. */
static struct measure_interval difference(const struct bench_row *row,
                                          const struct bench_row *reference)
{
    struct measure_interval interval = {NAN, NAN, NAN};
    double *medians = need(malloc((size_t)row->launches * sizeof *medians));
    for (int l = 0; l < row->launches; l++) {
        int rounds = row->launch[l].rounds;
        double *differences = need(malloc(((size_t)rounds + 1) * sizeof *differences));
        for (int r = 0; r < rounds; r++)
            differences[r] = row->launch[l].seconds[r] - reference->launch[l].seconds[r];
        interval = measure_median(differences, rounds);
        medians[l] = interval.median;
        free(differences);
    }
    if (row->launches > 1)
        interval = measure_median(medians, row->launches);
    free(medians);
    return interval;
}

static void print_row(struct table *table, const struct bench_report *report,
                      const struct bench_row *row, double unit)
{
    const struct bench_row *bare = bench_reference(report, row, *row->data != 0);
    if (*row->data)
        table_cell(table, "%s", row->data);
    table_cell(table, "%s", row->method);
    bench_number_cell(table, unit, row->time.median);
    bench_interval_cell(table, row, unit, row->time);
    if (!bare || row == bare) {
        table_cell(table, "-");
        table_cell(table, "-");
    } else {
        const struct measure_interval over = difference(row, bare);
        bench_number_cell(table, unit, over.median);
        bench_interval_cell(table, row, unit, over);
    }
    table_cell(table, "%s", row->settled ? "" : "*");
}

static const struct look {
    const char *heads;
    double unit; /* seconds */
    const char *remark;
} looks[] = {{"# subject|per call/ns|CI95|overhead/ns|CI95|<", 1e-9,
              "messages: the schedule's sends, receives and completions, bare. Overhead: median of "
              "the differences to them within a round; it holds the reduction itself. mpi: for "
              "scale, its messages are its own."},
             {"# case|subject|per call/us|CI95|overhead/us|CI95|<", 1e-6,
              "first: the program's first all-reduce, once per launch; processor: its processor "
              "time, mean of the ranks. duplicate, split: a communicator is made, used for one "
              "all-reduce, and freed. Overhead: median of the differences to the MPI alone within "
              "a round."}};

void bench_overhead_print(const struct bench_report *report)
{
    const bool cases = *report->row[0].data != 0;
    const struct look *look = &looks[cases];
    struct table table;
    bench_print_head(report);
    bench_table_begin(&table, report, look->heads);
    table.left[0] = true;
    table.left[1] = cases;
    for (int i = 0; i < report->rows; i++)
        print_row(&table, report, &report->row[i], look->unit);
    table_end(&table, stdout);
    print_remark("%s", look->remark);
    bench_print_foot(report);
}

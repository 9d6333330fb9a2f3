/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of `summand bench sum`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/bench/bench_sum.h"
#include "cli/output/table.h"

static const struct bench_key keys[] = {{"data", BENCH_TEXT, offsetof(struct bench_row, data)},
                                        {"n", BENCH_WHOLE, offsetof(struct bench_row, n)},
                                        {"terms", BENCH_INT, offsetof(struct bench_row, terms)},
                                        {"method", BENCH_TEXT, offsetof(struct bench_row, method)},
                                        {0}};

/* "exact-call" is the blocking call of exact, "exact" its plan; plain loops have calls only. */
static bool by_plan(const struct bench_report *report, const char *method)
{
    (void)report;
    return !strcmp(method, "exact") || !strcmp(method, "tree");
}

static void method_cells(struct table *table, const char *method)
{
    size_t length = strlen(method);
    bool call = length > 5 && !strcmp(method + length - 5, "-call");
    table_cell(table, "%.*s", (int)(call ? length - 5 : length), method);
    table_cell(table, "%s", by_plan(NULL, method) ? "plan" : "call");
}

static void print(const struct bench_report *report)
{
    struct table table;
    bench_print_head(report);
    bench_table_begin(&table, report,
                      "<data|N|terms|<method|<by|median/us|CI95|p99|vs-naive|vs-fast|rounds|<");
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        table_cell(&table, "%s", row->data);
        table_cell(&table, "%" PRIu64, row->n);
        table_cell(&table, "%d", row->terms);
        method_cells(&table, row->method);
        bench_number_cell(&table, 1e-6, row->time.median);
        bench_interval_cell(&table, row, 1e-6, row->time);
        bench_time_cell(&table, row, 1e-6, row->p99);
        bench_ratio_cell(&table, row->ratio[0].median);
        bench_ratio_cell(&table, row->ratio[1].median);
        table_cell(&table, "%d", row->rounds);
        table_cell(&table, "%s", row->settled ? "" : "*");
    }
    table_end(&table, stdout);
    print_remark("vs-naive, vs-fast: times as fast as that call, median of the ratios within a "
                 "round. plan: start and wait; call: blocking.");
    bench_print_foot(report);
}

const struct bench_form bench_sum_form = {.references = {"naive", "fast"},
                                          .ratios = {"vs_naive", "vs_fast"},
                                          .values = true,
                                          .x = offsetof(struct bench_row, n),
                                          .x_label = "N, elements on all ranks",
                                          .type = "double",
                                          .plan = by_plan,
                                          .keys = keys,
                                          .print = print};

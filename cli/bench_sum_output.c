/* The table of `summand bench sum`. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "bench_sum.h"
#include "table.h"

static const struct bench_key keys[] = {{"data", BENCH_TEXT, offsetof(struct bench_row, data)},
                                        {"n", BENCH_WHOLE, offsetof(struct bench_row, n)},
                                        {"terms", BENCH_INT, offsetof(struct bench_row, terms)},
                                        {"method", BENCH_TEXT, offsetof(struct bench_row, method)},
                                        {0}};

static void ratio_cell(struct table *table, double ratio)
{
    if (isnan(ratio))
        table_cell(table, "-");
    else
        table_cell(table, "%.2f", ratio);
}

static void print(const struct bench_report *report)
{
    struct table table;
    bench_print_head(report);
    table_begin(&table, "<data|N|terms|<method|median/us|95% low|95% high|p99|x naive|x fast|"
                        "rounds|<");
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        table_cell(&table, "%s", row->data);
        table_cell(&table, "%" PRIu64, row->n);
        table_cell(&table, "%d", row->terms);
        table_cell(&table, "%s", row->method);
        table_cell(&table, "%.2f", 1e6 * row->time.median);
        table_cell(&table, "%.2f", 1e6 * row->time.low);
        table_cell(&table, "%.2f", 1e6 * row->time.high);
        table_cell(&table, "%.2f", 1e6 * row->p99);
        ratio_cell(&table, row->ratio[0]);
        ratio_cell(&table, row->ratio[1]);
        table_cell(&table, "%d", row->rounds);
        table_cell(&table, "%s", row->settled ? "" : "*");
    }
    table_end(&table, stdout);
    printf("# x naive, x fast: median of the ratios within a round.\n");
    bench_print_foot(report);
}

const struct bench_form bench_sum_form = {.references = {"naive", "fast"},
                                          .ratios = {"ratio_naive", "ratio_fast"},
                                          .x = offsetof(struct bench_row, n),
                                          .x_label = "N, elements on all ranks",
                                          .keys = keys,
                                          .print = print};

/* The table of `summand bench outer`. */
#include <math.h>
#include <stdlib.h>

#include "bench/need.h"
#include "cli/bench/bench_outer.h"
#include "cli/common/table.h"

static const struct bench_key keys[] = {
    {"shape", BENCH_TEXT, offsetof(struct bench_row, data)},
    {"pairs", BENCH_INT, offsetof(struct bench_row, terms)},
    {"bytes", BENCH_WHOLE, offsetof(struct bench_row, bytes)},
    {"algorithm", BENCH_TEXT, offsetof(struct bench_row, method)},
    {0}};

/* Nine in ten repetitions were faster; of several launches the median. */
static double p90(const struct bench_row *row)
{
    double *of_launches = need(malloc((size_t)row->launches * sizeof *of_launches));
    for (int l = 0; l < row->launches; l++)
        of_launches[l] = measure_quantile(row->launch[l].seconds, row->launch[l].rounds, 0.9);
    double median = measure_median(of_launches, row->launches).median;
    free(of_launches);
    return median;
}

static void print(const struct bench_report *report)
{
    struct table table;
    char heads[160];
    bench_print_head(report);
    snprintf(heads, sizeof heads, "# Shape|Pairs|Median(us)|CI95|P90|<Algorithm|vs-%s|<",
             report->form->references[0]);
    bench_table_begin(&table, report, heads);
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        table_cell(&table, "%s", row->data);
        table_cell(&table, "%d", row->terms);
        table_cell(&table, "%.1f", 1e6 * row->time.median);
        bench_interval_cell(&table, row, 1e-6, row->time);
        bench_time_cell(&table, row, 1e-6, p90(row));
        table_cell(&table, "%s%s%s%s", row->method, row->chosen[0] ? " (" : "", row->chosen,
                   row->chosen[0] ? ")" : "");
        bench_ratio_cell(&table, row->ratio[0].median);
        table_cell(&table, "%s", row->settled ? "" : "*");
    }
    table_end(&table, stdout);
    print_remark("vs-%s: times as fast, median of the ratios within a round; above 1 is better.",
                 report->form->references[0]);
    print_remark("All matrices are allocated and written before the first repetition. Pairs: of "
                 "each rank.");
    bench_print_foot(report);
}

#define FORM(rival, ratio)                                                                         \
    {                                                                                              \
        .references = {rival, NULL}, .ratios = {ratio, NULL},                                      \
        .x = offsetof(struct bench_row, bytes), .x_label = "bytes of G",                           \
        .terms = "pairs of each rank", .keys = keys, .print = print                                \
    }

const struct bench_form outer_forms[] = {
    [SUMMAND_OUTER_ALL] = FORM("mpi-allreduce", "vs_mpi_allreduce"),
    [SUMMAND_OUTER_ROWS] = FORM("mpi-reduce-scatter", "vs_mpi_reduce_scatter"),
    [SUMMAND_OUTER_BLOCKS] = FORM("mpi-reduce-scatter", "vs_mpi_reduce_scatter"),
    [SUMMAND_OUTER_ROOT] = FORM("mpi-reduce", "vs_mpi_reduce")};

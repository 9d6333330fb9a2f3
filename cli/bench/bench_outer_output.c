/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of `summand bench outer`. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/algorithm.h"
#include "bench/need.h"
#include "cli/bench/bench_outer.h"
#include "cli/output/table.h"

static const struct bench_key keys[] = {
    {"shape", BENCH_TEXT, offsetof(struct bench_row, data)},
    {"pairs", BENCH_INT, offsetof(struct bench_row, terms)},
    {"bytes", BENCH_WHOLE, offsetof(struct bench_row, bytes)},
    {"algorithm", BENCH_TEXT, offsetof(struct bench_row, method)},
    {0}};

/* The 90th percentile; for several launches, the median of theirs. */
static double p90(const struct bench_row *row)
{
    double *of_launches = need(malloc((size_t)row->launches * sizeof *of_launches));
    for (int l = 0; l < row->launches; l++)
        of_launches[l] = measure_quantile(row->launch[l].seconds, row->launch[l].rounds, 0.9);
    double median = measure_median(of_launches, row->launches).median;
    free(of_launches);
    return median;
}

enum { RIVAL, AUTO }; /* the form's references */

/* True if the library might have chosen it: an algorithm of the table that adds in the requested
 * order. */
static bool may_be_chosen(const struct bench_report *report, const struct bench_row *row)
{
    const bool any_order = json_is_true(json_object_get(report->options, "any_order"));
    char name[sizeof row->method];
    snprintf(name, sizeof name, "%s", row->method);
    name[strcspn(name, ":")] = '\0';
    const struct summand__algorithm *algorithm = summand__algorithm_named(name);
    return algorithm && algorithm->promises & SUMMAND__SAME_BITS &&
           (any_order || algorithm->promises & SUMMAND__PAIR_ORDER);
}

/* The fastest row of the same case as `own`. */
static const struct bench_row *best_of_case(const struct bench_report *report,
                                            const struct bench_row *own)
{
    const struct bench_row *best = NULL;
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        if (bench_reference(report, row, AUTO) == own && may_be_chosen(report, row) &&
            !isnan(row->ratio[AUTO].median) &&
            (!best || row->ratio[AUTO].median > best->ratio[AUTO].median))
            best = row;
    }
    return best;
}

/* Prints how much slower the choice is than the best measured algorithm. */
static void print_losses(const struct bench_report *report)
{
    struct table table;
    int cases = 0;
    bench_table_begin(&table, report, "# Shape|Pairs|Longer(%)|CI95|<Chosen|<Best");
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *own = &report->row[i], *best = NULL;
        if (own->chosen[0])
            best = best_of_case(report, own);
        if (!best)
            continue;
        struct measure_interval longer = best->ratio[AUTO];
        longer.median -= 1;
        longer.low -= 1;
        longer.high -= 1;
        table_cell(&table, "# %s", own->data);
        table_cell(&table, "%d", own->terms);
        table_cell(&table, "%.1f", 100 * longer.median);
        bench_interval_cell(&table, own, 0.01, longer);
        table_cell(&table, "%s", own->chosen);
        table_cell(&table, "%s", best->method);
        cases++;
    }
    if (cases)
        printf("#\n# What the choice takes longer than the best of the algorithms beside it, by "
               "rounds:\n");
    table_end(&table, cases ? stdout : NULL);
}

static void print(const struct bench_report *report)
{
    struct table table;
    bench_print_head(report);
    bench_table_begin(&table, report,
                      "# Shape|Pairs|Median(us)|CI95|P90|<Algorithm|vs-mpi|vs-auto|<");
    for (int i = 0; i < report->rows; i++) {
        const struct bench_row *row = &report->row[i];
        table_cell(&table, "%s", row->data);
        table_cell(&table, "%d", row->terms);
        table_cell(&table, "%.1f", 1e6 * row->time.median);
        bench_interval_cell(&table, row, 1e-6, row->time);
        bench_time_cell(&table, row, 1e-6, p90(row));
        table_cell(&table, "%s%s%s%s", row->method, row->chosen[0] ? " (" : "", row->chosen,
                   row->chosen[0] ? ")" : "");
        bench_ratio_cell(&table, row->ratio[RIVAL].median);
        bench_ratio_cell(&table, row->ratio[AUTO].median);
        table_cell(&table, "%s", row->settled ? "" : "*");
    }
    table_end(&table, stdout);
    print_remark("vs-mpi, vs-auto: times as fast, median of the ratios within a round; above 1 is "
                 "better. MPI: %s.",
                 report->form->references[RIVAL]);
    print_remark("All matrices are allocated and written before the first repetition. Pairs: of "
                 "each rank.");
    bench_print_foot(report);
    print_losses(report);
}

#define FORM(rival, ratio)                                                                         \
    {                                                                                              \
        .references = {rival, "auto"}, .ratios = {ratio, "vs_auto"}, .violins = true,              \
        .x = offsetof(struct bench_row, bytes), .x_label = "bytes of G",                           \
        .terms = "pairs of each rank", .plan = bench_by_plan, .keys = keys, .print = print         \
    }

const struct bench_form outer_forms[] = {
    [SUMMAND__OUTER_ALL] = FORM("mpi-allreduce", "vs_mpi_allreduce"),
    [SUMMAND__OUTER_ROWS] = FORM("mpi-reduce-scatter", "vs_mpi_reduce_scatter"),
    [SUMMAND__OUTER_BLOCKS] = FORM("mpi-reduce-scatter", "vs_mpi_reduce_scatter"),
    [SUMMAND__OUTER_ROOT] = FORM("mpi-reduce", "vs_mpi_reduce")};

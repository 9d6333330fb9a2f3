/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench sum: sums over all ranks by every method, side by side. */
#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench/baseline.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_sum.h"
#include "cli/common/cli.h"
#include "cli/output/text.h"
#include "cli/ranks/interrupt.h"
#include "cli/sum/dataset.h"
#include "cli/sum/source.h"
#include "lab/index_tree/distribution.h"

extern const struct command benchmark_sum;

struct bench_sum_options {
    struct dataset_options data;
    struct bench_common common;
    const char *sizes, *terms, *methods;
    int files;
    char **file;
};

static bool bench_case(const struct bench_sum_options *o, const struct dataset *slices, int count,
                       struct bench_report *report)
{
    struct sum_case c = {.slice = slices, .terms = count, .methods = o->methods};
    struct bench_row row = {.n = slices[0].n, .terms = count};
    const char *base = strrchr(slices[0].name, '/');
    text_fit(row.data, sizeof row.data, base ? base + 1 : slices[0].name);
    const struct timing_options how = bench_timing(&o->common);
    return bench_measure(report, &sum_kind, &c, &row, &how, 1);
}

/* k slices of generated numbers, each with its own seed, or k times the file's. */
static bool bench_data(const struct bench_sum_options *o, const char *path, uint64_t n, int k,
                       struct bench_report *report)
{
    struct dataset *terms = calloc((size_t)k, sizeof *terms);
    struct trouble trouble = {""};
    int made = 0;
    if (!terms)
        trouble_note(&trouble, "out of memory");
    bool fine = agree(benchmark_sum.name, &trouble);
    for (; fine && made < (path ? 1 : k); made++)
        fine = path ? dataset_read(&terms[made], benchmark_sum.name, &o->data, path,
                                   (struct dataset_how){.part = -1})
                    : dataset_generate(&terms[made], benchmark_sum.name, &o->data, "generated", n,
                                       (uint64_t)made + 1);
    for (int i = made; fine && i < k; i++)
        terms[i] = terms[0];
    fine = fine && bench_case(o, terms, k, report);
    for (int i = 0; terms && i < made; i++)
        dataset_free(&terms[i]);
    free(terms);
    return fine;
}

static int bench_all(const struct bench_sum_options *o, const struct numbers *sizes,
                     const struct numbers *terms)
{
    struct bench_report report;
    int cases = o->files ? o->files : sizes->count;
    bool fine = true;
    bench_report_begin(&report, benchmark_sum.name, &bench_sum_form, &o->common,
                       json_make("s", "methods", o->methods));
    for (int t = 0; t < terms->count; t++)
        for (int i = 0; i < cases && fine && !interrupt_agreed(); i++)
            fine =
                bench_data(o, o->files ? o->file[i] : NULL,
                           o->files ? 0 : (uint64_t)sizes->value[i], (int)terms->value[t], &report);
    return bench_report_end(&report, fine);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct bench_sum_options o = {
        .data.alpha = SUMMAND__ALPHA,
        .sizes = "460,1602,16k,64k,239763,504850,1000000",
        .terms = "1",
        .methods = SUM_METHODS_ALL,
        .common = {.budget = 2, .launcher = BENCH_LAUNCHER, .start = BENCH_START_BARRIER}};
    const struct option_row rows[] = {
        {"n", 'n', OPTION_TEXT, &o.sizes, "N,...", "sizes of generated data, all ranks together",
         NULL},
        {"terms", 0, OPTION_TEXT, &o.terms, "K,...", "sums per call", NULL},
        {"methods", 0, OPTION_TEXT, &o.methods, "M,...",
         "exact, tree: starts of plans; exact-call, tree-call: blocking calls", NULL},
        DATASET_OPTIONS(o.data),
        BENCH_OPTIONS(o.common),
        {0}};
    struct numbers sizes = {0}, terms = {0};
    struct trouble trouble = {""};
    int status, first;
    if (!bench_parse(parsing, &benchmark_sum, &bench_sum_form, &o.common, rows, argc, argv, &first,
                     &status))
        return status;
    o.files = argc - first;
    o.file = argv + first;
    bench_numbers("n", o.sizes, 1, 1ll << 60, &sizes, &trouble);
    bench_numbers("terms", o.terms, 1, INT_MAX, &terms, &trouble);
    sum_methods_check(o.methods, &trouble);
    dataset_options_check(&o.data, parsing, &trouble);
    return agree(benchmark_sum.name, &trouble) ? bench_all(&o, &sizes, &terms) : 2;
}

const struct command benchmark_sum = {
    "bench sum",
    "sums over all ranks: exact and tree against MPI_Allreduce",
    "bench sum [options] [FILE...]",
    "  mpirun -np 2 summand bench sum --n 460,64k --json sum.json\n"
    "  mpirun -np 2 summand bench sum --n 64k --terms 1,64 --plot sum.svg\n"
    "  mpirun -np 2 summand bench sum --methods exact,naive --csv - data.npy\n",
    true,
    run,
    NULL};

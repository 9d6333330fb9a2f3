/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench sum: sums over all ranks by every method, side by side. */
#include <inttypes.h>
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

enum { LIST = 64 };

/* "460,64k,1m" */
static int parse_list(const char *option, const char *text, long long least, long long *list,
                      struct trouble *trouble)
{
    char word[32];
    int count = 0;
    for (; *text && count < LIST; text += strspn(text, ",")) {
        size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (length >= sizeof word || !parse_integer(word, &list[count]) || list[count] < least)
            trouble_note(trouble, "--%s: '%.*s' is not an integer >= %lld", option, (int)length,
                         text, least);
        count++;
        text += length;
    }
    if (!count || *text)
        trouble_note(trouble, "--%s: 1 to %d numbers expected, with commas between them", option,
                     LIST);
    return count;
}

/* Measures one case and adds it to the report. */
static bool bench_case(const struct bench_sum_options *o, const struct dataset *terms, int count,
                       struct bench_report *report)
{
    struct timing_subject subjects[TIMING_SUBJECTS];
    struct timing timings[TIMING_SUBJECTS];
    double values[TIMING_SUBJECTS];
    struct bench_row common = {.n = terms[0].n, .terms = count};
    struct trouble trouble = {""};
    char label[192];
    const char *base = strrchr(terms[0].name, '/');
    text_fit(common.data, sizeof common.data, base ? base + 1 : terms[0].name);
    snprintf(label, sizeof label, "%s, N = %" PRIu64 ", %d per call", common.data, common.n, count);
    struct sum_case *c = sum_case_new(terms, count, &trouble);
    bool fine = agree(benchmark_sum.name, &trouble);
    if (fine) {
        int n = sum_case_subjects(c, o->methods, subjects);
        struct timing_options how = bench_timing(&o->common, label);
        bench_time(report, &common, n, subjects, &how, 1, timings, &trouble);
        sum_case_values(c, subjects, n, values, &trouble);
        if (!trouble.text[0] && timings[0].rounds &&
            !bench_report_add(report, &common, n, subjects, timings, values))
            trouble_note(&trouble, "out of memory");
        bench_time_over(report, timings, n);
        fine = agree(benchmark_sum.name, &trouble);
    }
    sum_case_free(c);
    return fine;
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

static int bench_all(const struct bench_sum_options *o, const long long *sizes, int size_count,
                     const long long *terms, int term_count)
{
    struct bench_report report;
    int cases = o->files ? o->files : size_count;
    bool fine = true;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    bench_report_begin(&report, benchmark_sum.name, &bench_sum_form, &o->common,
                       json_make("s", "methods", o->methods));
    for (int t = 0; t < term_count; t++)
        for (int i = 0; i < cases && fine && !interrupt_agreed(); i++)
            fine = bench_data(o, o->files ? o->file[i] : NULL, o->files ? 0 : (uint64_t)sizes[i],
                              (int)terms[t], &report);
    int status = bench_report_end(&report);
    return fine ? status : 1;
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
    long long sizes[LIST], terms[LIST];
    struct trouble trouble = {""};
    int status, first;
    if (!bench_parse(parsing, &benchmark_sum, &bench_sum_form, &o.common, rows, argc, argv, &first,
                     &status))
        return status;
    o.files = argc - first;
    o.file = argv + first;
    int size_count = parse_list("n", o.sizes, 1, sizes, &trouble);
    int term_count = parse_list("terms", o.terms, 1, terms, &trouble);
    sum_methods_check(o.methods, &trouble);
    dataset_options_check(&o.data, parsing, &trouble);
    bench_launcher_check(parsing, &trouble);
    if (!agree(benchmark_sum.name, &trouble))
        return 2;
    return bench_all(&o, sizes, size_count, terms, term_count);
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

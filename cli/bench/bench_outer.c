/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench outer: sums of outer products by every algorithm, and as the local product with the
 * MPI's reduction of the whole matrix. Protocol of Enderlin et al., "Distributed sum of outer
 * products" (ETH): 25 repetitions after warming up, the slowest rank counts. Here matrices exist
 * before, and competitors take turns. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/bench/bench_outer.h"
#include "cli/common/cli.h"
#include "cli/ranks/interrupt.h"

extern const struct command benchmark_outer;

static const char *const result_names[] = {"all", "rows", "blocks", "root", NULL};
static const char *const type_names[] = {"double", "float", "bfloat16", "float16", NULL};

enum { SHAPES = NUMBERS_MOST, MOST_SIDE = 1 << 24, MOST_PAIRS = 1 << 20 };

struct outer_options {
    struct bench_common common;
    const char *sizes, *shapes, *pairs, *algorithms;
    int result, type;
    bool plan, any_order;
    long long repetitions;
};

struct outer_setup {
    struct outer_call call;
    struct bench_choices choices;
    struct numbers pairs;
    int shapes;
    long long rows[SHAPES], columns[SHAPES];
};

static void add_shape(struct outer_setup *setup, long long rows, long long columns,
                      struct trouble *trouble)
{
    for (int i = 0; i < setup->shapes; i++)
        if (setup->rows[i] == rows && setup->columns[i] == columns)
            return;
    if (setup->shapes == SHAPES) {
        trouble_note(trouble, "--shape: more than %d", SHAPES);
        return;
    }
    setup->rows[setup->shapes] = rows;
    setup->columns[setup->shapes++] = columns;
}

/* "784x512,4096x4096" */
static void read_shapes(const char *list, struct outer_setup *setup, struct trouble *trouble)
{
    char *copy = need(strdup(list)), *rest = NULL;
    for (char *word = strtok_r(copy, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        char *x = strchr(word, 'x');
        long long rows = 0, columns = 0;
        if (x)
            *x = '\0';
        if (!x || !parse_integer(word, &rows) || !parse_integer(x + 1, &columns) || rows < 1 ||
            columns < 1 || rows > MOST_SIDE || columns > MOST_SIDE) {
            trouble_note(trouble, "--shape: '%s' is not a list of shapes NxM from 1x1 to %dx%d",
                         list, MOST_SIDE, MOST_SIDE);
            break;
        }
        add_shape(setup, rows, columns, trouble);
    }
    free(copy);
}

static void read_setup(const struct outer_options *o, const struct parsing *parsing,
                       struct outer_setup *setup, struct trouble *trouble)
{
    struct numbers sizes = {0};
    *setup = (struct outer_setup){.call = {.type = (enum summand__outer_type)o->type,
                                           .result = (enum summand__outer_result)o->result,
                                           .plan = o->plan,
                                           .any_order = o->any_order}};
    bool squares = !o->shapes || option_given(parsing, "sizes");
    if (squares)
        bench_numbers("sizes", o->sizes, 1, MOST_SIDE, &sizes, trouble);
    for (int i = 0; squares && i < sizes.count; i++)
        add_shape(setup, sizes.value[i], sizes.value[i], trouble);
    if (o->shapes)
        read_shapes(o->shapes, setup, trouble);
    if (!setup->shapes)
        trouble_note(trouble, "--shape: the list is empty");
    bench_numbers("pairs", o->pairs, 0, MOST_PAIRS, &setup->pairs, trouble);
    bench_choices_read(o->algorithms, SUMMAND_PROMISE_DEFAULT, outer_rival(setup->call.result),
                       &setup->choices, trouble);
}

static bool measure(const struct outer_setup *setup, int shape, long long pairs,
                    const struct timing_options *how, struct bench_report *report)
{
    struct outer_case c = {.call = &setup->call,
                           .choices = &setup->choices,
                           .rows = (size_t)setup->rows[shape],
                           .columns = (size_t)setup->columns[shape],
                           .pairs = (size_t)pairs};
    struct bench_row row = {.n = c.rows,
                            .bytes = (uint64_t)c.rows * c.columns * (setup->call.type ? 4 : 8),
                            .terms = (int)pairs};
    snprintf(row.data, sizeof row.data, "%zux%zu", c.rows, c.columns);
    return bench_measure(report, &outer_kind, &c, &row, how, 1);
}

static int measure_all(const struct outer_options *o, const struct outer_setup *setup)
{
    struct bench_report report;
    bool fine = true;
    bench_report_begin(&report, benchmark_outer.name, &outer_forms[o->result], &o->common,
                       json_make("sssbi", "result", result_names[o->result], "type",
                                 type_names[o->type], "calls", o->plan ? "plan" : "blocking",
                                 "any_order", o->any_order, "repetitions", (int)o->repetitions));
    struct timing_options how = bench_timing(&o->common);
    how.most = (int)o->repetitions;
    for (int k = 0; k < setup->pairs.count; k++)
        for (int s = 0; fine && s < setup->shapes && !interrupt_agreed(); s++)
            fine = measure(setup, s, setup->pairs.value[k], &how, &report);
    return bench_report_end(&report, fine);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct outer_options o = {.common = {.budget = 10, .launcher = BENCH_LAUNCHER},
                              .sizes = "1000,2000,4000",
                              .pairs = "1",
                              .algorithms = "auto,mpi",
                              .repetitions = 25};
    struct outer_setup setup;
    struct trouble trouble = {""};
    const struct option_row rows[] = {
        {"sizes", 0, OPTION_TEXT, &o.sizes, "LIST", "N of square matrices, such as 1000,2000",
         NULL},
        {"shape", 0, OPTION_TEXT, &o.shapes, "LIST", "matrices NxM, such as 784x512", NULL},
        {"pairs", 0, OPTION_TEXT, &o.pairs, "LIST", "pairs of vectors of each rank", NULL},
        {"result", 0, OPTION_CHOICE, &o.result, "WHO",
         "which ranks get which part; blocks: of a grid of ranks", result_names},
        {"type", 't', OPTION_CHOICE, &o.type, "TYPE", "type of the factors", type_names},
        {"algorithms", 'a', OPTION_TEXT, &o.algorithms, "LIST",
         "auto, mpi (local product, then MPI_Allreduce, MPI_Reduce_scatter or MPI_Reduce), all, "
         "and names of 'summand list', as outer-allreduce:ring (inside)",
         NULL},
        {"any-order", 0, OPTION_FLAG, &o.any_order, NULL, "pairs may be added in any order", NULL},
        {"plan", 0, OPTION_FLAG, &o.plan, NULL, "start and wait for plans; mpi: blocking", NULL},
        {"repetitions", 0, OPTION_INT, &o.repetitions, "N", "most repetitions, after warming up",
         NULL, 1, 10000},
        BENCH_OPTIONS(o.common),
        {0}};
    int status;
    if (!bench_parse(parsing, &benchmark_outer, &outer_forms[o.result], &o.common, rows, argc, argv,
                     NULL, &status))
        return status;
    read_setup(&o, parsing, &setup, &trouble);
    return agree(benchmark_outer.name, &trouble) ? measure_all(&o, &setup) : 2;
}

const struct command benchmark_outer = {
    "bench outer",
    "sums of outer products, by any algorithm, against reductions of the matrix",
    "bench outer [options]",
    "  mpirun -np 2 summand bench outer --sizes 500 --algorithms all --budget 2\n"
    "  mpirun -np 2 summand bench outer --shape 784x512 --pairs 1,16 --result blocks --budget 2\n"
    "  summand bench outer --sizes 500 --launches 3 --budget 1 --plot outer.svg\n"
    "  mpirun -np 2 summand-study bench outer --sizes 500 -a outer-bruck --budget 1 # a paper's\n",
    true,
    run,
    NULL};

/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench reduce, allreduce, ...: collectives by every algorithm and by the MPI. */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "base/permutation.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_case.h"
#include "cli/common/cli.h"
#include "cli/options/promises.h"
#include "cli/ranks/interrupt.h"

struct collective_options {
    struct bench_common common;
    const char *sizes, *type, *op, *algorithms;
    int promise;
    bool in_place, plan, write, plain;
    long long root;
    double imbalance; /* microseconds */
};

/* The options, parsed. */
struct collective_setup {
    struct bench_call call;
    struct bench_choices choices;
    struct numbers sizes; /* elements */
};

/* Converts bytes to elements; each count stays once. */
static void read_sizes(const struct collective_options *o, struct collective_setup *setup,
                       struct trouble *trouble)
{
    struct numbers bytes;
    long long extent = (long long)setup->call.type->extent;
    setup->sizes.count = 0;
    if (!read_numbers_by(o->sizes, 1, (long long)INT_MAX * extent, 2, &bytes)) {
        trouble_note(
            trouble,
            "--sizes: '%s' is not a list of at most %d sizes from 1 to %lld bytes, such as "
            "8..16m:8",
            o->sizes, NUMBERS_MOST, (long long)INT_MAX * extent);
        return;
    }
    for (int i = 0; i < bytes.count; i++) {
        long long count = (bytes.value[i] + extent - 1) / extent;
        bool known = false;
        for (int k = 0; k < setup->sizes.count; k++)
            known = known || setup->sizes.value[k] == count;
        if (!known)
            setup->sizes.value[setup->sizes.count++] = count;
    }
}

static void read_operator(const struct collective_options *o, struct bench_call *call,
                          struct trouble *trouble)
{
    char names[256];
    call->op = element_op_named(o->op);
    if (!call->op) {
        element_op_names(names, sizeof names);
        trouble_note(trouble, "--op: '%s' is not one of %s%s", o->op, names,
                     summand__nearest_in(o->op, names).text);
    } else if (call->type) {
        call->handle = element_op_make(call->op, call->type);
        if (call->handle == MPI_OP_NULL)
            trouble_note(trouble, "--op: %s does not go with %s", o->op, o->type);
        call->of_mpi = call->handle == MPI_OP_NULL
                           ? MPI_OP_NULL
                           : element_op_of_mpi(call->op, call->type, call->handle);
    }
}

static void read_setup(const struct collective_options *o,
                       const struct bench_collective *collective, struct collective_setup *setup,
                       struct trouble *trouble)
{
    char names[256];
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    setup->call = (struct bench_call){.collective = collective,
                                      .type = element_type_named(o->type),
                                      .handle = MPI_OP_NULL,
                                      .of_mpi = MPI_OP_NULL,
                                      .root = (int)o->root,
                                      .in_place = o->in_place,
                                      .plain = o->plain,
                                      .plan = o->plan,
                                      .promise = promise_of_word[o->promise]};
    if (!setup->call.type) {
        element_type_names(names, sizeof names);
        trouble_note(trouble, "--datatype: '%s' is not one of %s%s", o->type, names,
                     summand__nearest_in(o->type, names).text);
    } else {
        read_sizes(o, setup, trouble);
    }
    if (summand__has_operator(collective->collective))
        read_operator(o, &setup->call, trouble);
    if (o->root >= ranks)
        trouble_note(trouble, "--root: no rank %lld among %d", o->root, ranks);
    bench_choices_read(o->algorithms, promise_of_word[o->promise], NULL, &setup->choices, trouble);
    for (int i = 0; i < setup->choices.count; i++)
        if (setup->choices.choice[i].options.promise != setup->call.promise &&
            !summand__has_operator(collective->collective))
            trouble_note(trouble, "--algorithms: %s: a promise is for what has an operator",
                         setup->choices.choice[i].label);
}

static json_t *options_json(const struct collective_options *o,
                            const struct bench_collective *collective)
{
    json_t *json = json_make("s", "datatype", o->type);
    if (summand__has_operator(collective->collective)) {
        json_object_set_new(json, "op", json_text(o->op));
        json_object_set_new(json, "promise", json_text(promise_words_and_exact[o->promise]));
    }
    if (summand__has_root(collective->collective))
        json_object_set_new(json, "root", json_integer(o->root));
    if (summand__collectives[collective->collective].in_place)
        json_object_set_new(json, "in_place", json_boolean(o->in_place));
    json_object_set_new(json, "calls", json_text(o->plan ? "plan" : "blocking"));
    if (o->write)
        json_object_set_new(json, "operands", json_text("written"));
    if (o->plain)
        json_object_set_new(json, "buffers", json_text("from malloc"));
    json_object_set_new(json, "size", json_text(collective->size));
    json_object_set_new(json, "imbalance_us", json_finite(o->imbalance));
    return json;
}

static bool measure(const struct collective_options *o, const struct collective_setup *setup,
                    int count, struct bench_report *report)
{
    struct bench_case c = {.call = &setup->call, .choices = &setup->choices, .count = count};
    const struct bench_row row = {
        .n = (uint64_t)count, .bytes = (uint64_t)count * setup->call.type->extent, .terms = 1};
    struct timing_options how = bench_timing(&o->common);
    how.imbalance = 1e-6 * o->imbalance;
    how.most = 10000; /* every repetition goes to the file */
    how.before = o->write ? bench_case_write : NULL;
    how.context = &c;
    return bench_measure(report, &bench_case_kind, &c, &row, &how, 1);
}

static int ascending(const void *a, const void *b)
{
    const struct bench_row *p = a, *q = b;
    return (p->bytes > q->bytes) - (p->bytes < q->bytes);
}

static int measure_all(const struct collective_options *o, const struct collective_setup *setup,
                       const struct command *command)
{
    struct bench_report report;
    struct summand__permutation order; /* of the sizes, the same on all ranks */
    bool fine = true;
    bench_report_begin(&report, command->name, &bench_collective_form, &o->common,
                       options_json(o, setup->call.collective));
    summand__permutation_make(&order, (uint64_t)setup->sizes.count, (uint64_t)o->common.seed, 0);
    for (uint64_t i = 0; fine && i < order.n && !interrupt_agreed(); i++)
        fine =
            measure(o, setup, (int)setup->sizes.value[summand__permutation_at(&order, i)], &report);
    interrupt_hold();
    if (report.rows)
        qsort(report.row, (size_t)report.rows, sizeof *report.row, ascending);
    interrupt_release();
    return bench_report_end(&report, fine);
}

/* Options that do not apply to a collective are refused as unknown. */
static void fill_rows(struct collective_options *o, const struct bench_collective *collective,
                      struct option_row *row)
{
    const struct option_row always[] = {
        {"sizes", 0, OPTION_TEXT, &o->sizes, "LIST",
         "bytes, such as 8,1k,64k..16m:4 (times 4; else times 2), rounded up to elements", NULL},
        {"datatype", 't', OPTION_TEXT, &o->type, "TYPE",
         "int32, double, float, float16, bfloat16, ..., double_int (mpi adds those of 16 bits by a "
         "user's "
         "operator with our kernel)",
         NULL},
        {"algorithms", 'a', OPTION_TEXT, &o->algorithms, "LIST",
         "auto, auto:promise=canonical, mpi, memory, all, and names of 'summand list', as "
         "chain:segment=8k (elements); behind auto or a name :check=detect or correct",
         NULL},
        {"plan", 0, OPTION_FLAG, &o->plan, NULL,
         "start and wait for plans instead of blocking calls; mpi: blocking", NULL},
        {"write", 'w', OPTION_FLAG, &o->write, NULL,
         "each rank writes its operand before each repetition, as programs do"},
        {"malloc", 0, OPTION_FLAG, &o->plain, NULL,
         "buffers as malloc gives them, as in programs; else they begin at the edges of pages"},
        {"imbalance", 0, OPTION_REAL, &o->imbalance, "US",
         "each rank begins late by 0 to US microseconds, at random; 0: all begin together", NULL, 0,
         1e6}};
    const struct option_row reducing[] = {
        {"op", 0, OPTION_TEXT, &o->op, "OP",
         "sum, prod, min, ..., maxloc; affine: of the user, not commutative", NULL},
        {"promise", 0, OPTION_CHOICE, &o->promise, "WHAT", "what the call must promise of the bits",
         promise_words_and_exact}};
    const struct option_row root = {"root",      'r',  OPTION_INT, &o->root, "R",
                                    "root rank", NULL, 0,          INT_MAX};
    const struct option_row in_place = {"in-place",          'I', OPTION_FLAG, &o->in_place, NULL,
                                        "pass MPI_IN_PLACE", NULL};
    const struct option_row common[] = {BENCH_OPTIONS(o->common)};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        *row++ = always[i];
    for (size_t i = 0;
         summand__has_operator(collective->collective) && i < sizeof reducing / sizeof *reducing;
         i++)
        *row++ = reducing[i];
    if (summand__has_root(collective->collective))
        *row++ = root;
    if (summand__collectives[collective->collective].in_place)
        *row++ = in_place;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        *row++ = common[i];
    *row = (struct option_row){0};
}

static int run_collective(struct parsing *parsing, const struct command *command, int argc,
                          char **argv)
{
    struct collective_options o = {.common = {.budget = 1, .launcher = BENCH_LAUNCHER},
                                   .sizes = "8..16m:8",
                                   .type = "int32",
                                   .op = "sum",
                                   .algorithms = "auto,mpi"};
    struct option_row rows[32];
    struct collective_setup setup;
    struct trouble trouble = {""};
    int status;
    const struct bench_collective *collective = bench_collectives;
    while (
        strcmp(summand__collective_name(collective->collective), command->name + strlen("bench ")))
        collective++;
    fill_rows(&o, collective, rows);
    if (!bench_parse(parsing, command, &bench_collective_form, &o.common, rows, argc, argv, NULL,
                     &status))
        return status;
    read_setup(&o, collective, &setup, &trouble);
    status = agree(command->name, &trouble) ? measure_all(&o, &setup, command) : 2;
    if (setup.call.op)
        element_op_free(setup.call.op, &setup.call.handle, &setup.call.of_mpi);
    return status;
}

#define EXAMPLES(name)                                                                             \
    "  mpirun -np 2 summand bench " name " --sizes 8,4k,1m\n"                                      \
    "  mpirun -np 2 summand bench " name " --algorithms all --sizes 8,1k,64k --plot a.svg\n"       \
    "  summand bench " name " --launches 3 --sizes 8 --launcher 'mpirun -np 2'\n"

#define COMMAND(name, what)                                                                        \
    static int run_##name(struct parsing *parsing, int argc, char **argv);                         \
    extern const struct command benchmark_##name;                                                  \
    const struct command benchmark_##name =                                                        \
        {"bench " #name, what, "bench " #name " [options]", EXAMPLES(#name), true,                 \
         run_##name,     NULL};                                                                    \
    static int run_##name(struct parsing *parsing, int argc, char **argv)                          \
    {                                                                                              \
        return run_collective(parsing, &benchmark_##name, argc, argv);                             \
    }

COMMAND(reduce, "reductions to one rank, by any algorithm, against MPI_Reduce")
COMMAND(allreduce, "reductions to all ranks, by any algorithm, against MPI_Allreduce")
COMMAND(reduce_scatter, "reductions in blocks, by any algorithm, against MPI_Reduce_scatter")
COMMAND(scan, "combinations of the ranks up to each rank, against MPI_Scan")
COMMAND(exscan, "combinations of the ranks below each rank, against MPI_Exscan")
COMMAND(bcast, "broadcasts, by any algorithm, against MPI_Bcast")
COMMAND(allgather, "gatherings on all ranks, by any algorithm, against MPI_Allgather")

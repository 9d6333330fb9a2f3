/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench overhead: what a call costs besides its messages. Per call of an all-reduce of a
 * few bytes, in loops of many calls, which keep the ranks in step by themselves:
 *
 *   messages  the sends, receives and completions of the call's own schedule, made from a list
 *             through the same transport; nothing is checked, looked up, copied or combined
 *   plan      summand_plan_start and _wait
 *   call      summand_allreduce
 *   mpi       MPI_Allreduce, for scale
 *
 * The overhead is the median of the differences to `messages` within a round: arguments, plan
 * look-up, walking the schedule, and the reduction itself. With --first: what a first call costs
 * (bench_first.c). */
#include <mpi.h>
#include <stdlib.h>
#include <summand/reduce.h>

#include "algorithm/nearest.h"
#include "cli/bench/bench_overhead.h"
#include "cli/common/cli.h"
#include "cli/output/table.h"
#include "plan/plan.h"

extern const struct command benchmark_overhead;

enum { MOST_BYTES = 1 << 20, MOST_CALLS = 1000000 };

/* A message step of the schedule, or the completion of earlier ones. */
struct posted {
    int (*post)(struct summand__link *link, const struct summand__message *message);
    struct summand__message message;
};

struct overhead {
    int calls, count;
    int *send, *recv;
    summand_options options;
    MPI_Comm comm[4]; /* one per subject, so none evicts another's plans */
    summand_plan *plan, *bare;
    struct posted *message;
    size_t messages;
};

static int post_send(struct summand__link *link, const struct summand__message *message)
{
    return link->transport->send(link, message);
}

static int post_recv(struct summand__link *link, const struct summand__message *message)
{
    return link->transport->recv(link, message);
}

static int complete(struct summand__link *link, const struct summand__message *message)
{
    bool done;
    return link->transport->complete(link, message->group, true, &done);
}

/* Lists the messages of the plan's schedule, with a completion behind each round. */
static bool list_messages(struct overhead *o)
{
    const struct summand__instructions *instructions = &o->bare->execution.instructions;
    o->message = malloc((instructions->length + 1) * sizeof *o->message);
    for (size_t i = instructions->first; o->message && i < instructions->length;
         i += instructions->of[i].leap) {
        const struct summand__instruction *instruction = &instructions->of[i];
        struct posted posted = {.post = instruction->kind == SUMMAND__OP_SEND   ? post_send
                                        : instruction->kind == SUMMAND__OP_RECV ? post_recv
                                        : instruction->kind == SUMMAND__OP_WAIT ? complete
                                                                                : NULL,
                                .message = instruction->message};
        posted.message.combine = NULL;
        if (posted.post)
            o->message[o->messages++] = posted;
    }
    return o->message != NULL;
}

static int run_messages(void *context)
{
    struct overhead *o = context;
    struct summand__link *link = o->bare->execution.link;
    int code = MPI_SUCCESS;
    for (int i = 0; i < o->calls && code == MPI_SUCCESS; i++)
        for (size_t m = 0; m < o->messages && code == MPI_SUCCESS; m++) {
            const struct posted *posted = &o->message[m];
            code = posted->post(link, &posted->message);
        }
    return code;
}

static int run_plan(void *context)
{
    struct overhead *o = context;
    int code = MPI_SUCCESS;
    for (int i = 0; i < o->calls && code == MPI_SUCCESS; i++) {
        code = summand_plan_start(o->plan);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(o->plan);
    }
    return code;
}

static int run_call(void *context)
{
    struct overhead *o = context;
    int code = MPI_SUCCESS;
    for (int i = 0; i < o->calls && code == MPI_SUCCESS; i++)
        code = summand_allreduce(o->send, o->recv, o->count, MPI_INT, MPI_SUM, o->comm[2],
                                 &o->options);
    return code;
}

static int run_mpi(void *context)
{
    struct overhead *o = context;
    int code = MPI_SUCCESS;
    for (int i = 0; i < o->calls && code == MPI_SUCCESS; i++)
        code = MPI_Allreduce(o->send, o->recv, o->count, MPI_INT, MPI_SUM, o->comm[3]);
    return code;
}

static const struct bench_key keys[] = {{"bytes", BENCH_WHOLE, offsetof(struct bench_row, bytes)},
                                        {"count", BENCH_WHOLE, offsetof(struct bench_row, n)},
                                        {"case", BENCH_TEXT, offsetof(struct bench_row, data)},
                                        {"subject", BENCH_TEXT, offsetof(struct bench_row, method)},
                                        {0}};

static const struct bench_form form = {.references = {"messages", "mpi"},
                                       .ratios = {"vs_messages", "vs_mpi"},
                                       .x = offsetof(struct bench_row, bytes),
                                       .x_label = "bytes",
                                       .type = "int32",
                                       .keys = keys,
                                       .print = bench_overhead_print};

static void open_all(void *context, struct trouble *trouble)
{
    struct overhead *o = context;
    o->send = calloc((size_t)o->count, sizeof *o->send);
    o->recv = calloc((size_t)o->count, sizeof *o->recv);
    if (!o->send || !o->recv)
        trouble_note(trouble, "out of memory");
    for (int i = 0; i < 4; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &o->comm[i]);
    summand_plan **plans[] = {&o->bare, &o->plan};
    for (int i = 0; i < 2; i++)
        trouble_note_mpi(trouble, "summand_allreduce_init",
                         summand_allreduce_init(o->send, o->recv, o->count, MPI_INT, MPI_SUM,
                                                o->comm[i], &o->options, plans[i]));
    if (!trouble->text[0] && !list_messages(o))
        trouble_note(trouble, "out of memory");
}

static int list_subjects(void *o, struct timing_subject *subjects, struct trouble *trouble)
{
    (void)trouble;
    subjects[0] = (struct timing_subject){"messages", run_messages, o};
    subjects[1] = (struct timing_subject){"plan", run_plan, o};
    subjects[2] = (struct timing_subject){"call", run_call, o};
    subjects[3] = (struct timing_subject){"mpi", run_mpi, o};
    return 4;
}

static void close_all(void *context)
{
    struct overhead *o = context;
    summand_plan_free(&o->bare);
    summand_plan_free(&o->plan);
    for (int i = 0; i < 4; i++)
        MPI_Comm_free(&o->comm[i]);
    free(o->message);
    free(o->send);
    free(o->recv);
}

static const struct bench_kind kind = {
    .make = open_all, .subjects = list_subjects, .drop = close_all};

static int measure(struct overhead *o, const struct bench_common *common)
{
    struct bench_report report;
    const struct bench_row row = {.n = (uint64_t)o->count,
                                  .bytes = (uint64_t)o->count * sizeof(int)};
    bench_report_begin(
        &report, benchmark_overhead.name, &form, common,
        json_make("is", "calls_per_repetition", o->calls, "algorithm", o->options.algorithm));
    struct timing_options how = bench_timing(common);
    how.most = 10000;
    return bench_report_end(&report, bench_measure(&report, &kind, o, &row, &how, o->calls));
}

static void check(const struct parsing *parsing, const char *algorithm, bool first,
                  struct trouble *trouble)
{
    if (first && option_given(parsing, "calls"))
        trouble_note(trouble, "--calls: goes without --first, which times each call alone");
    if (algorithm && !summand__algorithm_named(algorithm))
        trouble_note(trouble, "--algorithm: '%s' is not an algorithm of 'summand list'%s",
                     algorithm, summand__nearest_algorithm(algorithm).text);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    struct bench_common common = {.budget = 2, .launcher = BENCH_LAUNCHER};
    struct overhead o = {.calls = 0};
    struct trouble trouble = {""};
    long long bytes = 8, calls = 200;
    bool first = false;
    const struct option_row rows[] = {
        {"bytes", 0, OPTION_INT, &bytes, "B", "bytes of the vector, which holds ints", NULL, 1,
         MOST_BYTES},
        {"calls", 0, OPTION_INT, &calls, "K", "calls of a repetition", NULL, 1, MOST_CALLS},
        {"algorithm", 'a', OPTION_TEXT, &o.options.algorithm, "NAME",
         "algorithm, in place of the library's choice", NULL},
        {"first", 0, OPTION_FLAG, &first, NULL,
         "the first call of the program, and of communicators that live for one call", NULL},
        BENCH_OPTIONS(common),
        {0}};
    int status;
    if (!bench_parse(parsing, &benchmark_overhead, &form, &common, rows, argc, argv, NULL, &status))
        return status;
    check(parsing, o.options.algorithm, first, &trouble);
    if (!agree(benchmark_overhead.name, &trouble))
        return 2;
    if (first)
        return bench_first(benchmark_overhead.name, &form, &common, (int)bytes, &o.options);
    o.calls = (int)calls;
    o.count = ((int)bytes + (int)sizeof(int) - 1) / (int)sizeof(int);
    return measure(&o, &common);
}

const struct command benchmark_overhead = {
    "bench overhead",
    "what a call of an all-reduce costs besides its messages, or a first call",
    "bench overhead [options]",
    "  mpirun -np 2 summand bench overhead\n"
    "  mpirun -np 2 summand bench overhead --bytes 1k --algorithm binomial\n"
    "  mpirun -np 2 summand bench overhead --first\n",
    true,
    run,
    NULL};

/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench overhead --first: what the library's set-up costs.
 *
 *   first         the first all-reduce of the program, on MPI_COMM_WORLD; once per launch
 *   processor     the processor time of this call, user and system: the mean of the ranks. It
 *                 tells more than the time if other programs run.
 *   duplicate     MPI_Comm_dup, an all-reduce, MPI_Comm_free
 *   split         the same by MPI_Comm_split, with the ranks in reverse order
 *
 * by `summand`, and by `mpi` alone: the same with the MPI's all-reduce. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <summand/reduce.h>
#include <time.h>

#include "cli/bench/bench_overhead.h"
#include "cli/common/cli.h"

enum { MOST_ROUNDS = 2000 };

struct communicator {
    int (*make)(MPI_Comm *comm);
    bool native;
    const summand_options *options;
    int *send, *recv, count;
};

static int all_reduce(const struct communicator *c, MPI_Comm comm)
{
    return c->native
               ? MPI_Allreduce(c->send, c->recv, c->count, MPI_INT, MPI_SUM, comm)
               : summand_allreduce(c->send, c->recv, c->count, MPI_INT, MPI_SUM, comm, c->options);
}

static int duplicate(MPI_Comm *comm)
{
    return MPI_Comm_dup(MPI_COMM_WORLD, comm);
}

static int split_reversed(MPI_Comm *comm)
{
    return MPI_Comm_split(MPI_COMM_WORLD, 0, -cli_rank(), comm);
}

static int use_once(void *context)
{
    const struct communicator *c = context;
    MPI_Comm comm;
    int code = c->make(&comm);
    if (code != MPI_SUCCESS)
        return code;
    code = all_reduce(c, comm);
    int freed = MPI_Comm_free(&comm);
    return code == MPI_SUCCESS ? freed : code;
}

static double seconds(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* times [out]: the slowest rank's time, and the ranks' mean processor time. */
static int time_first(const struct communicator *c, double times[2])
{
    int ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    double mine[] = {seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
    int code = all_reduce(c, MPI_COMM_WORLD);
    mine[0] = seconds(CLOCK_MONOTONIC) - mine[0];
    mine[1] = seconds(CLOCK_PROCESS_CPUTIME_ID) - mine[1];
    MPI_Allreduce(&mine[0], &times[0], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&mine[1], &times[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    times[1] /= ranks;
    return code;
}

static struct bench_row row_of(const struct communicator *c, const char *name)
{
    struct bench_row row = {.n = (uint64_t)c->count, .bytes = (uint64_t)c->count * sizeof(int)};
    snprintf(row.data, sizeof row.data, "%s", name);
    return row;
}

/* Adds what was timed once. */
static void add_once(struct bench_report *report, const char *name,
                     const struct timing_subject subjects[2], const double times[2],
                     struct trouble *trouble)
{
    const struct communicator *c = subjects[0].context;
    struct timing timings[2] = {{0}};
    struct bench_row row = row_of(c, name);
    bool room = true;
    for (int s = 0; s < 2; s++) {
        timings[s] =
            (struct timing){.rounds = 1, .settled = true, .seconds = malloc(sizeof(double))};
        room = room && timings[s].seconds;
        if (timings[s].seconds)
            *timings[s].seconds = times[s];
    }
    if (!room || !bench_report_add(report, &row, 2, subjects, timings, NULL))
        trouble_note(trouble, "out of memory");
    timing_free(timings, 2);
}

static int list_subjects(void *context, struct timing_subject *subjects, struct trouble *trouble)
{
    struct communicator *c = context;
    (void)trouble;
    subjects[0] = (struct timing_subject){"mpi", use_once, &c[0]};
    subjects[1] = (struct timing_subject){"summand", use_once, &c[1]};
    return 2;
}

static bool measure_all(struct bench_report *report, struct communicator c[2],
                        const struct timing_options *how, double first[2][2])
{
    static const struct {
        const char *name;
        int (*make)(MPI_Comm *comm);
    } ways[] = {{"duplicate", duplicate}, {"split", split_reversed}};
    static const struct bench_kind kind = {.subjects = list_subjects};
    struct timing_subject subjects[2];
    static const char *const once[] = {"first", "processor"};
    struct trouble trouble = {""};
    list_subjects(c, subjects, &trouble);
    for (int i = 0; i < 2; i++)
        add_once(report, once[i], subjects, (double[]){first[0][i], first[1][i]}, &trouble);
    bool fine = agree(report->command, &trouble);
    for (size_t w = 0; fine && w < sizeof ways / sizeof *ways; w++) {
        const struct bench_row row = row_of(c, ways[w].name);
        c[0].make = c[1].make = ways[w].make;
        fine = bench_measure(report, &kind, c, &row, how, 1);
    }
    return fine;
}

int bench_first(const char *command, const struct bench_form *form,
                const struct bench_common *common, int bytes, const summand_options *options)
{
    struct communicator c[2] = {{.native = true, .options = options}};
    struct bench_report report;
    struct trouble trouble = {""};
    double first[2][2];
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    c[0].count = (bytes + (int)sizeof(int) - 1) / (int)sizeof(int);
    c[0].send = calloc((size_t)c[0].count, sizeof *c[0].send);
    c[0].recv = calloc((size_t)c[0].count, sizeof *c[0].recv);
    c[1] = c[0];
    c[1].native = false;
    if (!c[0].send || !c[0].recv)
        trouble_note(&trouble, "out of memory");
    bool fine = agree(command, &trouble);
    for (int i = 0; i < 2 && fine; i++)
        trouble_note_mpi(&trouble, "the first call", time_first(&c[i], first[i]));
    struct timing_options how = bench_timing(common);
    bench_report_begin(&report, command, form, common,
                       json_make("bs", "first", true, "algorithm", options->algorithm));
    how.most = MOST_ROUNDS;
    fine = fine && agree(command, &trouble) && measure_all(&report, c, &how, first);
    free(c[0].send);
    free(c[0].recv);
    return bench_report_end(&report, fine);
}

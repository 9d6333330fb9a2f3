/* SPDX-License-Identifier: BSD-3-Clause */
/* Times collectives of int32 vectors: ours by any algorithm, and the MPI's. Made for SimGrid's
 * simulated MPI (bench/scale.sh), which gives exact and repeatable figures; runs on any MPI.
 *
 *     scale CASES [PLATFORM [MPI-NAME [REPEAT]]]
 *
 * CASES is a file of lines as in scale_case.h. A case's time lasts from a common start to the last
 * rank's end. Results are checked against a sequential reduction, unless SCALE_UNCHECKED is set. It
 * is for runs whose buffers share memory to save space (smpi/auto-shared-malloc-thresh). Rank 0
 * writes CSV to standard output. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/scale_case.h"
#include "bench/scale_clock.h"

enum { CHECKED_PLACES = 64, MOST_REPEATS = 1000 };

struct scale {
    MPI_Comm comm;
    int rank, ranks, repeat;
    bool unchecked;
    const char *platform, *mpi_name;
};

struct result {
    double median;  /* seconds of the last rank */
    int trouble[2]; /* wrong places, errors; of all ranks */
    char chosen[160];
};

struct buffers {
    uint32_t *send, *recv;
    size_t sent, received; /* elements */
};

static uint32_t value_at(int rank, size_t i)
{
    return (uint32_t)(((unsigned)rank * 2654435761u) ^ ((unsigned)i * 40503u + 12345u));
}

static bool make_buffers(const struct scale *scale, const struct scale_case *c, struct buffers *b)
{
    size_t count = (size_t)c->count, ranks = (size_t)scale->ranks;
    b->sent = c->collective->scatters ? count * ranks : count;
    b->received = c->collective->all || scale->rank == 0 ? count : 0;
    if (c->collective->gathers)
        b->received = count * ranks;
    b->send = malloc(b->sent * sizeof *b->send + 1);
    b->recv = malloc(b->received * sizeof *b->recv + 1);
    for (size_t i = 0; b->send && i < b->sent && !scale->unchecked; i++)
        b->send[i] = value_at(scale->rank, i);
    return b->send && b->recv;
}

/* The correct value at a place of this rank's result. */
static uint32_t expected_at(const struct scale *scale, const struct scale_case *c, size_t i)
{
    size_t count = (size_t)c->count,
           first = c->collective->scatters ? (size_t)scale->rank * count : 0;
    if (c->collective->gathers)
        return value_at((int)(i / count), i % count);
    uint32_t expected = value_at(0, first + i);
    for (int r = 1; r < scale->ranks && !c->collective->moves; r++)
        expected = c->operator->combine(expected, value_at(r, first + i));
    return expected;
}

/* Wrong places of this rank's result, among those that are checked. */
static int count_wrong(const struct scale *scale, const struct scale_case *c,
                       const struct buffers *b)
{
    size_t step = b->received / CHECKED_PLACES + 1;
    int wrong = 0;
    for (size_t i = 0; i < b->received; i += step)
        wrong += b->recv[i] != expected_at(scale, c, i);
    return wrong;
}

static int run_once(const struct scale *scale, const struct scale_case *c, MPI_Op op,
                    struct buffers *b, summand_plan *plan, double *seconds)
{
    scale_start_together(scale->comm);
    double begin = MPI_Wtime();
    int code = plan ? summand_plan_start(plan)
                    : c->collective->mpi(b->send, b->recv, c->count, op, scale->comm);
    if (plan && code == MPI_SUCCESS)
        code = summand_plan_wait(plan);
    *seconds = MPI_Wtime() - begin;
    scale_settle();
    return code;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Describes the library's choice as a case would name it. */
static void describe(const summand_plan *plan, char *text, size_t room)
{
    summand_options options;
    *text = 0;
    if (!plan || summand_plan_describe(plan, &options, NULL) != MPI_SUCCESS || !options.algorithm)
        return;
    const struct {
        const char *name;
        long value;
    } parameters[] = {{"segment", (long)options.segment},
                      {"radix", options.radix},
                      {"node", options.node_size},
                      {"leaders", options.leaders},
                      {"between", options.radix_between}};
    snprintf(text, room, "%s", options.algorithm);
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
        if (parameters[i].value) {
            size_t used = strlen(text);
            snprintf(text + used, room - used, "%c%s=%ld", strchr(text, ':') ? ';' : ':',
                     parameters[i].name, parameters[i].value);
        }
}

/* The median of the last rank's times is valid on rank 0. */
static void measure(const struct scale *scale, const struct scale_case *c, MPI_Op op,
                    struct buffers *b, struct result *result)
{
    static double seconds[MOST_REPEATS], longest[MOST_REPEATS];
    summand_plan *plan = NULL;
    summand_options options = c->options;
    int mine[2] = {0, 0}, code = MPI_SUCCESS;
    options.algorithm = strcmp(c->algorithm, "auto") ? c->algorithm : NULL;
    if (strcmp(c->algorithm, "mpi"))
        code = c->collective->init(b->send, b->recv, c->count, op, scale->comm, &options, &plan);
    for (int i = 0; i < scale->repeat && code == MPI_SUCCESS; i++) {
        memset(b->recv, 0, b->received * sizeof *b->recv);
        if (c->collective->moves && !c->collective->gathers && scale->rank == 0) /* the root's */
            memcpy(b->recv, b->send, b->received * sizeof *b->recv);
        code = run_once(scale, c, op, b, plan, &seconds[i]);
        mine[0] += scale->unchecked ? 0 : count_wrong(scale, c, b);
    }
    mine[1] = code != MPI_SUCCESS;
    describe(plan, result->chosen, sizeof result->chosen);
    summand_plan_free(&plan);
    MPI_Reduce(seconds, longest, scale->repeat, MPI_DOUBLE, MPI_MAX, 0, scale->comm);
    MPI_Allreduce(mine, result->trouble, 2, MPI_INT, MPI_SUM, scale->comm);
    qsort(longest, (size_t)scale->repeat, sizeof *longest, compare);
    result->median = longest[scale->repeat / 2];
}

static void print(const struct scale *scale, const struct scale_case *c, const struct result *r)
{
    bool mpi = !strcmp(c->algorithm, "mpi");
    if (r->trouble[1]) {
        fprintf(stderr, "scale: %s %d %s %s:%s: refused\n", c->collective->name, c->count,
                c->operator->name, c->algorithm, c->parameters);
        return;
    }
    printf("%s,%s,%d,%d,%s,%s%s%s%s%s,%.3f,%s,%s\n", scale->platform, c->collective->name,
           scale->ranks, c->count, c->operator->name, c->algorithm, mpi ? "-" : "",
           mpi ? scale->mpi_name : "", *c->parameters ? ":" : "", c->parameters, r->median * 1e6,
           scale->unchecked ? "unchecked"
           : r->trouble[0]  ? "wrong"
                            : "right",
           r->chosen);
    fflush(stdout);
}

/* Some MPIs make inner communicators at the first call of a collective. */
static void warm_up(const struct scale *scale, const struct scale_collective *c)
{
    static bool done[8];
    int32_t *send = calloc((size_t)scale->ranks, sizeof *send);
    int32_t *recv = calloc((size_t)scale->ranks, sizeof *recv);
    if (send && recv && !done[c - scale_collectives])
        c->mpi(send, recv, 1, MPI_SUM, scale->comm);
    done[c - scale_collectives] = true;
    free(send);
    free(recv);
}

static bool run_case(const struct scale *scale, const struct scale_case *c)
{
    struct buffers b;
    struct result result;
    MPI_Op op = c->operator->make();
    if (!make_buffers(scale, c, &b)) {
        fprintf(stderr, "scale: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (!strcmp(c->algorithm, "mpi"))
        warm_up(scale, c->collective);
    measure(scale, c, op, &b, &result);
    if (scale->rank == 0)
        print(scale, c, &result);
    free(b.send);
    free(b.recv);
    if (op != MPI_SUM)
        MPI_Op_free(&op);
    return !result.trouble[0] && !result.trouble[1];
}

int main(int argc, char **argv)
{
    struct scale scale = {.platform = argc > 2 ? argv[2] : "here",
                          .mpi_name = argc > 3 ? argv[3] : "default",
                          .repeat = argc > 4 ? atoi(argv[4]) : 1,
                          .unchecked = getenv("SCALE_UNCHECKED")};
    char line[256];
    bool good = true;
    MPI_Init(&argc, &argv);
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file || scale.repeat < 1 || scale.repeat > MOST_REPEATS) {
        fprintf(stderr, "usage: scale CASES [PLATFORM [MPI-NAME [REPEAT]]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &scale.comm);
    MPI_Comm_set_errhandler(scale.comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(scale.comm, &scale.rank);
    MPI_Comm_size(scale.comm, &scale.ranks);
    while (fgets(line, sizeof line, file)) {
        struct scale_case c;
        line[strcspn(line, "\n")] = 0;
        if (!*line || *line == '#')
            continue;
        good = scale_case_read(line, &c) && run_case(&scale, &c) && good;
    }
    fclose(file);
    MPI_Comm_free(&scale.comm);
    MPI_Finalize();
    return !good;
}

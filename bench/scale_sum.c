/* SPDX-License-Identifier: BSD-3-Clause */
/* Times sums of N doubles over all ranks on a simulated cluster (SimGrid's SMPI), figure 4.4 of
 * Stelz (2022):
 *
 *     scale-sum N ADD
 *
 * by the index tree of the thesis, which sends the values of nodes; by the library's index tree and
 * exact sum, as plans; and by a loop and the MPI's all-reduce. In a simulation computing takes no
 * time, so a rank sleeps ADD seconds for each of its elements before. Elements are small integers,
 * so that all four have one result, which is checked. Rank 0 writes a line of CSV for each method:
 * method, ranks, N, microseconds from a common start to the last rank's end, right or wrong. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand.h>

#include "bench/scale_clock.h"
#include "lab/index_tree/distribution.h"
#include "lab/index_tree/mpi/study.h"
#include "sum/calls.h"

enum { CYCLE = 8, MOST_RANKS = 1 << 16 };

struct job {
    uint64_t n, first, count; /* elements of all, and this rank's */
    double add, *x, result;
    int rank, ranks;
};

static double loop(const struct job *job)
{
    double sum = 0;
    for (uint64_t i = 0; i < job->count; i++)
        sum += job->x[i];
    return sum;
}

/* The sum of 0, 1, ... 7, 0, 1, ... */
static double expected(uint64_t n)
{
    const uint64_t rest = n % CYCLE;
    return (double)(n / CYCLE * (CYCLE * (CYCLE - 1) / 2) + rest * (rest - !!rest) / 2);
}

/* A plan of a sum; NULL: a loop and an all-reduce. */
static int make(const char *method, struct job *job, summand_plan **plan)
{
    const summand_term term = {.x = job->x,
                               .count = (MPI_Count)job->count,
                               .displacement = (MPI_Count)job->first,
                               .kind = SUMMAND_KIND_SUM};
    summand_options options = summand_options_default();
    *plan = NULL;
    if (!strcmp(method, "nodes"))
        return summand__sums_init_by(&summand__study, 1, &term, &job->result, MPI_DOUBLE,
                                     SUMMAND_ROOT_ALL, MPI_COMM_WORLD, plan);
    options.promise = strcmp(method, "tree") ? SUMMAND_PROMISE_EXACT : SUMMAND_PROMISE_INDEX;
    return strcmp(method, "loop")
               ? summand_sums_init(1, &term, &job->result, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                                   MPI_COMM_WORLD, &options, plan)
               : MPI_SUCCESS;
}

static int run(struct job *job, summand_plan *plan)
{
    scale_sleep(job->add * (double)job->count);
    if (plan) {
        const int code = summand_plan_start(plan);
        return code == MPI_SUCCESS ? summand_plan_wait(plan) : code;
    }
    const double own = loop(job);
    return MPI_Allreduce(&own, &job->result, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static bool time_of(const char *method, struct job *job)
{
    summand_plan *plan;
    double seconds = 0, longest;
    int bad = make(method, job, &plan) != MPI_SUCCESS, any;
    for (int turn = 0; turn < 2 && !bad; turn++) { /* the first one makes communicators */
        job->result = -1;
        scale_start_together(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        bad = run(job, plan) != MPI_SUCCESS;
        seconds = MPI_Wtime() - begin;
        bad = bad || job->result < expected(job->n) || job->result > expected(job->n);
    }
    summand_plan_free(&plan);
    MPI_Reduce(&seconds, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (!job->rank)
        printf("%s,%d,%llu,%.3f,%s\n", method, job->ranks, (unsigned long long)job->n,
               longest * 1e6, any ? "wrong" : "right");
    fflush(stdout);
    return !any;
}

int main(int argc, char **argv)
{
    static const char *const methods[] = {"nodes", "tree", "exact", "loop"};
    static uint64_t starts[MOST_RANKS + 1];
    struct job job = {.n = argc == 3 ? strtoull(argv[1], NULL, 10) : 0,
                      .add = argc == 3 ? strtod(argv[2], NULL) : 0};
    bool good = true;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
    if (!job.n || job.ranks > MOST_RANKS) {
        fprintf(stderr, "usage: scale-sum N ADD\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    summand__distribution(SUMMAND__EVEN_LOWER, 0, job.n, job.ranks, starts);
    job.first = starts[job.rank];
    job.count = starts[job.rank + 1] - job.first;
    job.x = malloc((size_t)job.count * sizeof *job.x + 1);
    if (!job.x) {
        fprintf(stderr, "scale-sum: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (uint64_t i = 0; i < job.count; i++)
        job.x[i] = (double)((job.first + i) % CYCLE);
    for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
        good = time_of(methods[m], &job) && good;
    free(job.x);
    MPI_Finalize();
    return !good;
}

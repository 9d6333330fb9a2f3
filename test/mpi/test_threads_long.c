/* np: 2 3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Long vectors on two communicators at once, in two threads of each rank: all algorithms, with and
 * without segments. The threads go through the table from opposite ends, so concurrent calls have
 * different algorithms, at different places of their vectors. */
#include <pthread.h>
#include <stdlib.h>
#include <summand/reduce.h>

#include "algorithm/call.h"
#include "mpi/threads.h"
#include "mpi/used.h"

enum { THREADS = 2, COUNT = 45000, SEGMENT = 7001 };

struct job {
    MPI_Comm comm;
    int thread, calls, bad;
    int *send, *recv;
    char last_bad[64];
};

static int element(int rank, int call, int i)
{
    return rank * 1000003 + call * 1009 + i;
}

static int sum(int call, int i)
{
    int p = harness_ranks;
    return p * element(0, call, i) + p * (p - 1) / 2 * 1000003;
}

/* Elements of a vector, or of each block. */
static int blocks(void)
{
    return COUNT / harness_ranks;
}

static int run_reduce(const struct job *job, int root, const summand_options *options)
{
    return summand_reduce(job->send, job->recv, COUNT, MPI_INT, MPI_SUM, root, job->comm, options);
}

static int want_reduce(int root, int call, int i)
{
    return harness_rank == root ? sum(call, i) : -1;
}

static int run_allreduce(const struct job *job, int root, const summand_options *options)
{
    (void)root;
    return summand_allreduce(job->send, job->recv, COUNT, MPI_INT, MPI_SUM, job->comm, options);
}

static int want_allreduce(int root, int call, int i)
{
    (void)root;
    return sum(call, i);
}

static int run_bcast(const struct job *job, int root, const summand_options *options)
{
    return summand_bcast(harness_rank == root ? job->send : job->recv, COUNT, MPI_INT, root,
                         job->comm, options);
}

static int want_bcast(int root, int call, int i)
{
    return harness_rank == root ? -1 : element(root, call, i);
}

static int run_scatter(const struct job *job, int root, const summand_options *options)
{
    (void)root;
    return summand_reduce_scatter_block(job->send, job->recv, blocks(), MPI_INT, MPI_SUM, job->comm,
                                        options);
}

static int want_scatter(int root, int call, int i)
{
    (void)root;
    return i < blocks() ? sum(call, harness_rank * blocks() + i) : -1;
}

static int run_gather(const struct job *job, int root, const summand_options *options)
{
    (void)root;
    return summand_allgather(job->send, blocks(), MPI_INT, job->recv, blocks(), MPI_INT, job->comm,
                             options);
}

static int want_gather(int root, int call, int i)
{
    (void)root;
    return i < blocks() * harness_ranks ? element(i / blocks(), call, i % blocks()) : -1;
}

/* The calls, and the expected value of element i; -1 if nothing is written. */
static const struct kind {
    enum summand__collective collective;
    int (*run)(const struct job *job, int root, const summand_options *options);
    int (*want)(int root, int call, int i);
} kinds[] = {{SUMMAND__COLL_REDUCE, run_reduce, want_reduce},
             {SUMMAND__COLL_ALLREDUCE, run_allreduce, want_allreduce},
             {SUMMAND__COLL_BCAST, run_bcast, want_bcast},
             {SUMMAND__COLL_REDUCE_SCATTER_BLOCK, run_scatter, want_scatter},
             {SUMMAND__COLL_ALLGATHER, run_gather, want_gather}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void check(struct job *job, const struct kind *kind, const char *algorithm, int segment)
{
    int call = job->calls++, root = call % harness_ranks, wrong = 0;
    summand_options options =
        only_used((summand_options){.algorithm = algorithm, .segment = segment});
    for (int i = 0; i < COUNT; i++) {
        job->send[i] = element(harness_rank, call, i);
        job->recv[i] = -1;
    }
    wrong += kind->run(job, root, &options) != MPI_SUCCESS;
    for (int i = 0; i < COUNT; i++)
        wrong += job->recv[i] != kind->want(root, call, i);
    if (wrong)
        snprintf(job->last_bad, sizeof job->last_bad, "%s %s segment %d",
                 summand__collective_name(kind->collective), algorithm, segment);
    job->bad += wrong != 0;
}

static void *work(void *context)
{
    struct job *job = context;
    int n = 0;
    while (summand__algorithms[n])
        n++;
    for (int i = 0; i < n * KINDS; i++) {
        int at = job->thread ? n * KINDS - 1 - i : i;
        const struct summand__algorithm *algorithm = summand__algorithms[at / KINDS];
        const struct kind *kind = &kinds[at % KINDS];
        struct summand__call call = {
            .collective = kind->collective, .ranks = harness_ranks, .count = COUNT};
        for (int segment = 0; segment <= SEGMENT; segment += SEGMENT)
            if (summand__algorithm_does(algorithm, &call))
                check(job, kind, algorithm->name, segment);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int multiple = threads_begin(&argc, &argv);
    pthread_t thread[THREADS];
    struct job job[THREADS] = {{.thread = 0}, {.thread = 1}};
    for (int t = 0; t < THREADS; t++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &job[t].comm);
        MPI_Comm_set_errhandler(job[t].comm, MPI_ERRORS_RETURN);
        job[t].send = malloc(COUNT * sizeof(int));
        job[t].recv = malloc(COUNT * sizeof(int));
    }
    for (int t = 0; multiple && t < THREADS; t++)
        pthread_create(&thread[t], NULL, work, &job[t]);
    for (int t = 0; multiple && t < THREADS; t++) {
        pthread_join(thread[t], NULL);
        CHECK(!job[t].bad && job[t].calls, "thread %d: %d of %d calls, the last %s", t, job[t].bad,
              job[t].calls, job[t].last_bad);
    }
    for (int t = 0; t < THREADS; t++) {
        MPI_Comm_free(&job[t].comm);
        free(job[t].send);
        free(job[t].recv);
    }
    return harness_end();
}

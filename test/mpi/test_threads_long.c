/* np: 2 3 */
/* Long vectors on two communicators at once, in two threads of each rank: all algorithms, whole and
 * in segments. The threads go through the table from its two ends, so that neighbours in time are
 * different algorithms, and at different places of their vectors. */
#include <pthread.h>
#include <stdlib.h>
#include <summand/reduce.h>

#include "mpi/threads.h"
#include "reduce/call.h"

enum { THREADS = 2, COUNT = 45000, SEGMENT = 7001 };

struct job {
    MPI_Comm comm;
    int thread, calls, bad;
    int *send, *recv;
    char last_bad[64];
};

static const enum summand__collective collectives[] = {
    SUMMAND__COLL_REDUCE, SUMMAND__COLL_ALLREDUCE, SUMMAND__COLL_BCAST,
    SUMMAND__COLL_REDUCE_SCATTER_BLOCK, SUMMAND__COLL_ALLGATHER};

enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

static int element(int rank, int call, int i)
{
    return rank * 1000003 + call * 1009 + i;
}

static int sum(int call, int i)
{
    int p = harness_ranks;
    return p * element(0, call, i) + p * (p - 1) / 2 * 1000003;
}

static int call_it(const struct job *job, enum summand__collective collective, int root,
                   const summand_options *options)
{
    int n = COUNT / harness_ranks;
    if (collective == SUMMAND__COLL_REDUCE)
        return summand_reduce(job->send, job->recv, COUNT, MPI_INT, MPI_SUM, root, job->comm,
                              options);
    if (collective == SUMMAND__COLL_ALLREDUCE)
        return summand_allreduce(job->send, job->recv, COUNT, MPI_INT, MPI_SUM, job->comm, options);
    if (collective == SUMMAND__COLL_BCAST)
        return summand_bcast(harness_rank == root ? job->send : job->recv, COUNT, MPI_INT, root,
                             job->comm, options);
    if (collective == SUMMAND__COLL_REDUCE_SCATTER_BLOCK)
        return summand_reduce_scatter_block(job->send, job->recv, n, MPI_INT, MPI_SUM, job->comm,
                                            options);
    return summand_allgather(job->send, n, MPI_INT, job->recv, n, MPI_INT, job->comm, options);
}

/* What stands at i of the result; -1 where nothing was written. */
static int wanted(enum summand__collective collective, int root, int call, int i)
{
    int n = COUNT / harness_ranks;
    switch (collective) {
    case SUMMAND__COLL_REDUCE:
        return harness_rank == root ? sum(call, i) : -1;
    case SUMMAND__COLL_ALLREDUCE:
        return sum(call, i);
    case SUMMAND__COLL_BCAST:
        return harness_rank == root ? -1 : element(root, call, i);
    case SUMMAND__COLL_REDUCE_SCATTER_BLOCK:
        return i < n ? sum(call, harness_rank * n + i) : -1;
    default:
        return i < n * harness_ranks ? element(i / n, call, i % n) : -1;
    }
}

static void check(struct job *job, enum summand__collective collective, const char *algorithm,
                  int segment)
{
    int call = job->calls++, root = call % harness_ranks, wrong = 0;
    summand_options options = {.algorithm = algorithm, .segment = segment};
    for (int i = 0; i < COUNT; i++) {
        job->send[i] = element(harness_rank, call, i);
        job->recv[i] = -1;
    }
    wrong += call_it(job, collective, root, &options) != MPI_SUCCESS;
    for (int i = 0; i < COUNT; i++)
        wrong += job->recv[i] != wanted(collective, root, call, i);
    if (wrong)
        snprintf(job->last_bad, sizeof job->last_bad, "%s %s segment %d",
                 summand__collective_name(collective), algorithm, segment);
    job->bad += wrong != 0;
}

static void *work(void *context)
{
    struct job *job = context;
    int n = 0;
    while (summand__algorithms[n])
        n++;
    for (int i = 0; i < n * COLLECTIVES; i++) {
        int at = job->thread ? n * COLLECTIVES - 1 - i : i;
        const struct summand__algorithm *algorithm = summand__algorithms[at / COLLECTIVES];
        struct summand__call call = {
            .collective = collectives[at % COLLECTIVES], .ranks = harness_ranks, .count = COUNT};
        for (int segment = 0; segment <= SEGMENT; segment += SEGMENT)
            if (summand__algorithm_does(algorithm, &call))
                check(job, call.collective, algorithm->name, segment);
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

/* np: 2 3; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Threads use communicators of the same ranks for the first time at once, and free them. No context
 * is taken twice, and no message meets another communicator's. */
#include <pthread.h>
#include <summand.h>

#include "mpi/threads.h"

enum { MOST_THREADS = 4, COMMUNICATORS = 60, LIVING = 5 };

struct job {
    MPI_Comm comm[COMMUNICATORS]; /* in the order of their use, the same on all ranks */
    pthread_barrier_t *together;
    int thread, bad;
};

static void use(struct job *job, int i, int call)
{
    int rank, ranks;
    MPI_Comm_rank(job->comm[i], &rank);
    MPI_Comm_size(job->comm[i], &ranks);
    long x[3] = {rank + 1, i + 1, job->thread + call}, sum[3] = {0};
    int code = summand_allreduce(x, sum, 3, MPI_LONG, MPI_SUM, job->comm[i], NULL);
    job->bad += code != MPI_SUCCESS || sum[0] != ranks * (ranks + 1) / 2 ||
                sum[1] != ranks * (i + 1) || sum[2] != ranks * (job->thread + call);
}

static void *work(void *context)
{
    struct job *job = context;
    for (int i = 0; i < COMMUNICATORS; i++) {
        pthread_barrier_wait(job->together);
        use(job, i, 0);
        for (int j = i < LIVING ? 0 : i - LIVING; j < i; j++)
            use(job, j, i);
        if (i >= LIVING)
            MPI_Comm_free(&job->comm[i - LIVING]);
    }
    return NULL;
}

static void run(int threads)
{
    static struct job jobs[MOST_THREADS];
    pthread_t thread[MOST_THREADS];
    pthread_barrier_t together;
    pthread_barrier_init(&together, NULL, (unsigned)threads);
    for (int i = 0; i < COMMUNICATORS; i++)
        for (int t = 0; t < threads; t++) { /* every third one in reverse order */
            MPI_Comm_split(MPI_COMM_WORLD, 0, i % 3 ? harness_rank : -harness_rank,
                           &jobs[t].comm[i]);
            MPI_Comm_set_errhandler(jobs[t].comm[i], MPI_ERRORS_RETURN);
        }
    for (int t = 0; t < threads; t++) {
        jobs[t].together = &together;
        jobs[t].thread = t;
        pthread_create(&thread[t], NULL, work, &jobs[t]);
    }
    for (int t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        CHECK(!jobs[t].bad, "thread %d: %d calls are wrong", t, jobs[t].bad);
        for (int i = COMMUNICATORS - LIVING; i < COMMUNICATORS; i++)
            MPI_Comm_free(&jobs[t].comm[i]);
    }
    pthread_barrier_destroy(&together);
}

int main(int argc, char **argv)
{
    if (threads_begin(&argc, &argv)) {
        double one = 1, sum = 0; /* the first fabric is there */
        summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
        CHECK(sum == harness_ranks, "sum %g", sum);
        run(MOST_THREADS);
    }
    return harness_end();
}

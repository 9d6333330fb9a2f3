/* np: 1 2; also: read/2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Different communicators in different threads at once, from the first call on: making the
 * library's own state, error codes and plans is no race. */
#include <math.h>
#include <pthread.h>
#include <summand.h>

#include "mpi/threads.h"

enum { THREADS = 4 };

struct job {
    MPI_Comm comm;
    pthread_barrier_t *together;
    double wrong[4]; /* last wrong result of each kind of call, or 0 */
    int code;
};

static void note(struct job *job, int which, int code, double result, double want)
{
    if (code != MPI_SUCCESS)
        job->code = code;
    if (result != want)
        job->wrong[which] = result;
}

enum { ROWS = 70, COLUMNS = 9 };

static double factor(int which, int rank, int turn, int i)
{
    return (which ? 0.3 : 0.7) * (i + 1) + 0.1 * rank + 0.01 * turn;
}

/* A sum of outer products; returns how many elements differ in bits from the chain. */
static double outer(int turn, MPI_Comm comm, int *code)
{
    double a[ROWS], b[COLUMNS], g[ROWS * COLUMNS], wrong = 0;
    const summand_outer_matrix matrix = {.rows = ROWS, .columns = COLUMNS, .a = a, .b = b, .g = g};
    for (int i = 0; i < ROWS; i++)
        a[i] = factor(0, harness_rank, turn, i);
    for (int j = 0; j < COLUMNS; j++)
        b[j] = factor(1, harness_rank, turn, j);
    *code = summand_outer(1, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
    for (int i = 0; i < ROWS * COLUMNS && *code == MPI_SUCCESS; i++) {
        double sum = 0;
        for (int r = 0; r < harness_ranks; r++)
            sum = fma(factor(0, r, turn, i / COLUMNS), factor(1, r, turn, i % COLUMNS), sum);
        wrong += harness_bits(sum) != harness_bits(g[i]);
    }
    return wrong;
}

static void *work(void *context)
{
    struct job *job = context;
    const summand_options tree = {.promise = SUMMAND_PROMISE_INDEX};
    /* Few if ranks wait for one another: there are more threads than cores, and some spin. */
    int turns = harness_ranks == 1 ? 50000 : 25;
    pthread_barrier_wait(job->together);
    for (int turn = 1; turn <= turns; turn++) {
        double x[3] = {1, 2, turn}, want = harness_ranks * (3.0 + turn), result[3] = {0};
        int code = summand_sum(x, &result[0], 3, MPI_DOUBLE, SUMMAND_ROOT_ALL, job->comm, NULL);
        note(job, 0, code, result[0], want);
        code = summand_sum(x, &result[1], 3, MPI_DOUBLE, SUMMAND_ROOT_ALL, job->comm, &tree);
        note(job, 1, code, result[1], want);
        code = summand_ordered_reduce(x, &result[2], 3, SUMMAND_DISPLACEMENT_APPEND, MPI_DOUBLE,
                                      MPI_SUM, SUMMAND_ROOT_ALL, job->comm, NULL);
        note(job, 2, code, result[2], want);
        double wrong = turn % 25 == 0 || harness_ranks > 1 ? outer(turn, job->comm, &code) : 0;
        note(job, 3, code, wrong, 0);
    }
    return NULL;
}

/* Two threads of each rank start a plan each, and each waits for the other's. The first may still
 * progress the plan that the second takes over; the second waits for ever if the first keeps it. */
enum { PLANS = 2, LENGTH = 50000 };

struct handover {
    pthread_barrier_t *together;
    summand_plan **plans; /* of both threads */
    double *x, *results;
    int thread, turns, bad;
};

static void *hand_over(void *context)
{
    struct handover *job = context;
    for (int turn = 0; turn < job->turns; turn++) {
        int mine = job->thread, other = 1 - job->thread, done = 0;
        pthread_barrier_wait(job->together);
        job->bad += summand_plan_start(job->plans[mine]) != MPI_SUCCESS;
        job->bad += summand_plan_test(job->plans[mine], &done) != MPI_SUCCESS;
        pthread_barrier_wait(job->together);
        if (turn)
            job->bad += summand_plan_wait(job->plans[PLANS + mine]) != MPI_SUCCESS;
        job->bad += summand_plan_wait(job->plans[other]) != MPI_SUCCESS;
        /* Active when the next turn begins. */
        job->bad += summand_plan_start(job->plans[PLANS + mine]) != MPI_SUCCESS;
        const double *result = job->results + other * LENGTH;
        for (int i = 0; i < LENGTH; i++)
            job->bad += result[i] != harness_ranks * (double)i;
    }
    pthread_barrier_wait(job->together);
    job->bad += summand_plan_wait(job->plans[PLANS + job->thread]) != MPI_SUCCESS;
    return NULL;
}

static void test_handover(void)
{
    static double x[LENGTH], results[2 * PLANS * LENGTH];
    summand_plan *plans[2 * PLANS];
    MPI_Comm comms[2 * PLANS];
    pthread_barrier_t together;
    pthread_t thread;
    struct handover jobs[2];
    for (int i = 0; i < LENGTH; i++)
        x[i] = i;
    for (int i = 0; i < 2 * PLANS; i++) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
        summand_allreduce_init(x, results + i * LENGTH, LENGTH, MPI_DOUBLE, MPI_SUM, comms[i], NULL,
                               &plans[i]);
    }
    pthread_barrier_init(&together, NULL, 2);
    for (int t = 0; t < 2; t++)
        jobs[t] = (struct handover){.together = &together,
                                    .plans = plans,
                                    .results = results,
                                    .thread = t,
                                    .turns = harness_ranks == 1 ? 200 : 20};
    pthread_create(&thread, NULL, hand_over, &jobs[1]);
    hand_over(&jobs[0]);
    pthread_join(thread, NULL);
    for (int t = 0; t < 2; t++)
        CHECK(!jobs[t].bad, "thread %d: %d bad", t, jobs[t].bad);
    pthread_barrier_destroy(&together);
    for (int i = 0; i < 2 * PLANS; i++) {
        summand_plan_free(&plans[i]);
        MPI_Comm_free(&comms[i]);
    }
}

/* A thread starts plans while another one lists and removes its communicators beside it. */
static void *come_and_go(void *context)
{
    struct job *job = context;
    const int turns = harness_ranks == 1 ? 1000 : 10;
    double one = 1, sum = 0;
    pthread_barrier_wait(job->together);
    for (int turn = 0; turn < turns; turn++) {
        MPI_Comm own;
        summand_plan *plan;
        MPI_Comm_dup(job->comm, &own);
        int code = summand_allreduce_init(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, own, NULL, &plan);
        for (int start = 0; start < 20 && code == MPI_SUCCESS; start++) {
            code = summand_plan_start(plan);
            if (code == MPI_SUCCESS)
                code = summand_plan_wait(plan);
            note(job, 0, code, sum, harness_ranks);
        }
        summand_plan_free(&plan);
        MPI_Comm_free(&own);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    pthread_barrier_t together;
    struct job job[THREADS];
    int threads = threads_begin(&argc, &argv) ? THREADS : 1;
    pthread_barrier_init(&together, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
        job[t] = (struct job){.together = &together, .code = MPI_SUCCESS};
        MPI_Comm_dup(MPI_COMM_WORLD, &job[t].comm);
        MPI_Comm_set_errhandler(job[t].comm, MPI_ERRORS_RETURN);
    }
    for (int t = 0; t < threads; t++)
        pthread_create(&thread[t], NULL, work, &job[t]);
    for (int t = 0; t < threads; t++)
        pthread_join(thread[t], NULL);
    for (int t = 0; t < threads; t++)
        pthread_create(&thread[t], NULL, come_and_go, &job[t]);
    for (int t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        CHECK(job[t].code == MPI_SUCCESS, "thread %d: code %d", t, job[t].code);
        for (int i = 0; i < 4; i++)
            CHECK(job[t].wrong[i] == 0, "thread %d, call %d: %g", t, i, job[t].wrong[i]);
        MPI_Comm_free(&job[t].comm);
    }
    pthread_barrier_destroy(&together);
    if (threads == THREADS)
        test_handover();
    return harness_end();
}

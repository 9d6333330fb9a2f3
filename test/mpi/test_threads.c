/* np: 1 2 */
/* Different communicators in different threads at once, from the first call on: making the
 * library's own state, error codes and plans is no race. */
#include <pthread.h>
#include <sched.h>
#include <summand.h>

#include "mpi/harness.h"

enum { THREADS = 4 };

struct job {
    MPI_Comm comm;
    pthread_barrier_t *together;
    double wrong[3]; /* last wrong result of each kind of call, or 0 */
    int code;
};

static void note(struct job *job, int which, int code, double result, double want)
{
    if (code != MPI_SUCCESS)
        job->code = code;
    if (result != want)
        job->wrong[which] = result;
}

static void *work(void *context)
{
    struct job *job = context;
    summand_sum_options tree = {SUMMAND_TREE, SUMMAND_ALL_RANKS};
    /* Few where ranks wait for one another: there are more threads than cores, and some spin. */
    int turns = harness_ranks == 1 ? 50000 : 25;
    pthread_barrier_wait(job->together);
    for (int turn = 1; turn <= turns; turn++) {
        double x[3] = {1, 2, turn}, want = harness_ranks * (3.0 + turn), result[3] = {0};
        int code = summand_sum(x, &result[0], 3, MPI_DOUBLE, NULL, job->comm);
        note(job, 0, code, result[0], want);
        code = summand_sum(x, &result[1], 3, MPI_DOUBLE, &tree, job->comm);
        note(job, 1, code, result[1], want);
        code = summand_ordered_reduce(x, &result[2], 3, SUMMAND_RANK_ORDER, MPI_DOUBLE, MPI_SUM,
                                      SUMMAND_ALL_RANKS, job->comm);
        note(job, 2, code, result[2], want);
    }
    return NULL;
}

/* Launchers tie a process to one core, where its threads hardly ever meet. */
static void use_all_cores(void)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        CPU_SET(i, &all);
    sched_setaffinity(0, sizeof all, &all);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &harness_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &harness_ranks);
    use_all_cores();
    pthread_t thread[THREADS];
    pthread_barrier_t together;
    struct job job[THREADS];
    int threads = provided == MPI_THREAD_MULTIPLE ? THREADS : 1;
    CHECK(threads == THREADS, "the MPI gives thread level %d only", provided);
    pthread_barrier_init(&together, NULL, (unsigned)threads);
    for (int t = 0; t < threads; t++) {
        job[t] = (struct job){.together = &together, .code = MPI_SUCCESS};
        MPI_Comm_dup(MPI_COMM_WORLD, &job[t].comm);
        MPI_Comm_set_errhandler(job[t].comm, MPI_ERRORS_RETURN);
    }
    for (int t = 0; t < threads; t++)
        pthread_create(&thread[t], NULL, work, &job[t]);
    for (int t = 0; t < threads; t++) {
        pthread_join(thread[t], NULL);
        CHECK(job[t].code == MPI_SUCCESS, "thread %d: code %d", t, job[t].code);
        for (int i = 0; i < 3; i++)
            CHECK(job[t].wrong[i] == 0, "thread %d, call %d: %g", t, i, job[t].wrong[i]);
        MPI_Comm_free(&job[t].comm);
    }
    pthread_barrier_destroy(&together);
    return harness_end();
}

/* np: 2 3; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Ranks that wait for others over shared memory leave them the processors: in a long wait they
 * sleep, unless they only test. If there are more ranks than processors, they yield at once. */
#include <sched.h>
#include <stdlib.h>
#include <summand.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>

#include "mpi/link.h"
#include "mpi/neighbours.h"
#include "transport/route.h"

static _Thread_local long yields, sleeps;

/* Replaces the system's functions, to count their calls. */
int sched_yield(void)
{
    yields++;
    return (int)syscall(SYS_sched_yield);
}

int nanosleep(const struct timespec *time, struct timespec *left)
{
    sleeps++;
    return (int)syscall(SYS_nanosleep, time, left);
}

static double processor_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

/* Rank 0 comes late, after the others have started to wait. */
static void come_late(double late)
{
    int token = 0;
    for (int r = 1; harness_rank == 0 && r < harness_ranks; r++)
        MPI_Recv(&token, 1, MPI_INT, r, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (harness_rank == 0)
        syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = (long)(late * 1e9)}, NULL);
    else
        MPI_Send(&token, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
}

/* A wait of 0.3 s. Returns the part of it that this rank took as processor time; 0 if it came late
 * itself. */
static double wait_long(void)
{
    double one = 1, sum = 0;
    summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    come_late(0.3);
    double wall = MPI_Wtime(), processor = processor_seconds();
    sleeps = 0;
    summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    wall = MPI_Wtime() - wall;
    processor = processor_seconds() - processor;
    CHECK(sum == harness_ranks, "sum %g", sum);
    if (!harness_rank || wall <= 0.1)
        return 0;
    CHECK(sleeps > 0, "no sleep in %g s", wall);
    return processor / wall;
}

/* A wait takes a fraction of its time as processor time: at most a tenth if there is nothing else
 * to do. A busy machine may count more, also for its own work, but not each time. */
static void test_sleeps(void)
{
    enum { TRIES = 5 };
    int tries = 0, again = 1;
    double part = 0;
    while (again && tries++ < TRIES) {
        part = wait_long();
        again = part >= 0.5;
        MPI_Allreduce(MPI_IN_PLACE, &again, 1, MPI_INT, MPI_LOR, MPI_COMM_WORLD);
    }
    CHECK(part < 0.5, "a part of %g of a wait as processor time, %d times", part, TRIES);
}

/* A rank that only tests has other work: it is not put to sleep, however often it tests. */
static void test_looks(void)
{
    double one = 1, sum = 0;
    int done = 0;
    summand_plan *plan;
    summand_allreduce_init(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &plan);
    come_late(0.03);
    summand_plan_start(plan);
    sleeps = 0;
    while (!done)
        summand_plan_test(plan, &done);
    CHECK(!sleeps, "%ld sleeps", sleeps);
    CHECK(sum == harness_ranks, "sum %g", sum);
    summand_plan_free(&plan);
}

/* The number of processors that all ranks may use together. */
static int processors(void)
{
    cpu_set_t mine, all;
    int n = 0;
    sched_getaffinity(0, sizeof mine, &mine);
    MPI_Allreduce(&mine, &all, sizeof mine, MPI_BYTE, MPI_BOR, MPI_COMM_WORLD);
    for (int i = 0; i < CPU_SETSIZE; i++)
        n += CPU_ISSET(i, &all) != 0;
    return n;
}

/* A message that does not come. 100 polls take less time than a message between two cores. But with
 * one core for both, no message comes before the waiting rank has yielded. */
static void test_oversubscribed(void)
{
    enum { LOOKS = 100, TAG = 60 };
    MPI_Comm comm;
    struct summand__state *state;
    struct summand__route route;
    double x = 0, y = value(harness_rank, 8, 0);
    bool done = false;
    int oversubscribed = harness_ranks > processors();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    if (summand__state_of(comm, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    CHECK(link_open(&route, state, MPI_DOUBLE, TAG, 2), "open");
    struct summand__link *link = route.link;
    link_recv(link, 0, 0, last(), &x, 1, NULL);
    yields = 0;
    for (int look = 0; look < LOOKS; look++)
        link_complete(link, 0, false, &done);
    CHECK(!done && oversubscribed == (yields > 0), "oversubscribed %d: %ld yields", oversubscribed,
          yields);
    MPI_Barrier(comm);
    link_send(link, 0, 0, next(), &y, 1);
    CHECK(link_complete(link, 0, true, &done) == MPI_SUCCESS && done, "complete");
    CHECK(x == value(last(), 8, 0), "%g", x);
    summand__route_close(&route);
    MPI_Comm_free(&comm);
}

/* All ranks on the first processor of rank 0's. */
static void share_one_processor(void)
{
    cpu_set_t set, one;
    int i = 0;
    sched_getaffinity(0, sizeof set, &set);
    while (!CPU_ISSET(i, &set))
        i++;
    MPI_Bcast(&i, 1, MPI_INT, 0, MPI_COMM_WORLD);
    CPU_ZERO(&one);
    CPU_SET(i, &one);
    CHECK(!sched_setaffinity(0, sizeof one, &one), "processor %d", i);
}

TESTS
{
    test_sleeps();
    test_looks();
    test_oversubscribed();
    share_one_processor();
    test_oversubscribed();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A program that knows nothing of Summand: times of non-blocking and persistent all-reduces of
 * doubles, and of calls that complete no request of Summand's; a line "WORD NUMBER" each.
 * bench/shim.sh runs it with and without the shim:
 *     bench/shim.sh -w 'alone canonical exact' build/openmpi mpiexec.openmpi -n 2 --bind-to core \
 *         build/openmpi/bench/bench-requests
 * Words: iall, init: MPI_Iallreduce and MPI_Wait, MPI_Start and MPI_Wait; beside: with 2 us and
 * 0.4 ns a byte of computation between both, and an MPI_Test in its middle; the bytes of the
 * vector. Numbers: microseconds of the slowest rank, the median of the rounds; of test, wait and
 * testall (16 null requests): nanoseconds.
 *     mpiexec -np 2 bench-requests [CALLS]     at the smallest size (4,000) */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#if MPI_VERSION < 4 /* Open MPI 4 has it by another name */
#include <mpi-ext.h>
#define MPI_Allreduce_init MPIX_Allreduce_init
#endif

enum { LARGEST = 1 << 18, ROUNDS = 9, NULLS = 16 };
static double *x, *y;
static MPI_Request persistent;
static int count;
static double between; /* seconds of computation between a start and its completion */

static int compare(const void *a, const void *b)
{
    const double p = *(const double *)a, q = *(const double *)b;
    return (p > q) - (p < q);
}

/* Half of the computation, which reads no memory. */
static void compute(void)
{
    volatile double sink = 1;
    const double end = MPI_Wtime() + between / 2;
    while (MPI_Wtime() < end)
        for (int i = 0; i < 20; i++)
            sink = sink * 0.999 + 1e-3;
}

static void finish(MPI_Request *request)
{
    int over = 0;
    if (between > 0) {
        compute();
        MPI_Test(request, &over, MPI_STATUS_IGNORE);
        compute();
    }
    if (!over)
        MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void iall(void)
{
    MPI_Request request;
    MPI_Iallreduce(x, y, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    finish(&request);
}

static void start(void)
{
    MPI_Request request = persistent;
    MPI_Start(&request);
    finish(&request);
}

static void test(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int over;
    MPI_Test(&request, &over, MPI_STATUS_IGNORE);
}

static void wait(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void testall(void)
{
    static MPI_Request requests[NULLS];
    static MPI_Status statuses[NULLS];
    int over;
    if (requests[0] != MPI_REQUEST_NULL)
        for (int i = 0; i < NULLS; i++)
            requests[i] = MPI_REQUEST_NULL;
    MPI_Testall(NULLS, requests, &over, statuses);
}

/* Seconds per call of the slowest rank. */
static double seconds(void (*run)(void), int calls)
{
    double round[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        PMPI_Barrier(MPI_COMM_WORLD);
        const double begin = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            run();
        const double own = (MPI_Wtime() - begin) / calls;
        PMPI_Allreduce(&own, &round[r], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    qsort(round, ROUNDS, sizeof *round, compare);
    return round[ROUNDS / 2];
}

static void tell(const char *word, void (*run)(void), int calls, double unit)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double one = seconds(run, calls);
    if (!rank && unit > 1e6)
        printf("%s %.3f\n", word, one * unit);
    else if (!rank)
        printf("%s-%zu %.4f\n", word, (size_t)count * sizeof *x, one * unit);
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 4000;
    x = calloc(LARGEST, sizeof *x);
    y = calloc(LARGEST, sizeof *y);
    MPI_Init(&argc, &argv);
    if (!x || !y || most < 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
    tell("test", test, 200 * most, 1e9);
    tell("wait", wait, 200 * most, 1e9);
    tell("testall", testall, 200 * most, 1e9);
    for (count = 1; count <= LARGEST; count *= 8) {
        const int calls = 1 + most / (1 + count / 512);
        MPI_Allreduce_init(x, y, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                           &persistent);
        between = 0;
        tell("iall", iall, calls, 1e6);
        tell("init", start, calls, 1e6);
        between = 2e-6 + 0.4e-9 * (double)count * sizeof *x;
        tell("iall-beside", iall, calls, 1e6);
        tell("init-beside", start, calls, 1e6);
        MPI_Request_free(&persistent);
    }
    free(x);
    free(y);
    MPI_Finalize();
    return 0;
}

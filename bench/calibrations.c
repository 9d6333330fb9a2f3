/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares calibrations, and reads of a sender's memory, in the loop of a program on two ranks.
 *     mpiexec -np 2 bench-calibrations SECONDS [FILE]...
 * A turn of the loop writes the operand, calls summand_allreduce or summand_reduce, and reads the
 * result. So each core first loses what the other one has read of its vectors, as in a program; a
 * benchmark that repeats the call alone leaves that out. The ways to call are
 *     memory    the defaults: messages go through shared memory
 *     4k, 512k  messages so long or longer are read in their sender's memory (SUMMAND_DIRECT_READ)
 *     each FILE a calibration
 * In each round, in shuffled order, each way takes a few turns behind a barrier; the slower rank
 * counts. Rounds go on for SECONDS per size. Shown are the lower quartile of the times of `memory`,
 * and those of the others over it, with the lowest and highest over five parts of the rounds: a
 * quartile, because other programs on the machine make times longer, never shorter. Of the files
 * that is the worst one, beside the best of those ways: the exit status is 1 if it is more than 5
 * % slower in all five parts. */
#include <limits.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <summand/reduce.h>

#include "bench/measure.h"
#include "calibrate/store.h"
#include "fabric/calibrated.h"

enum {
    MEMORY,
    READS,
    LONG_READS,
    FIXED,
    MOST_WAYS = FIXED + 32,
    MOST_ROUNDS = 2000,
    LEAST_ROUNDS = 20
};
enum { PARTS = 5, LARGEST = 4 << 20, WARM = 64, WARM_BYTES = 512 << 10 };
enum collective { ALLREDUCE, REDUCE, COLLECTIVES };

static const char *const names[COLLECTIVES] = {"allreduce", "reduce"};
static const char *const direct_read[FIXED] = {"never", "4k", "512k"};
static const size_t sizes[] = {8,         128,       2048,       8192,    32768,   128 << 10,
                               256 << 10, 512 << 10, 1024 << 10, 2 << 20, LARGEST, 0};

static int rank, ways;
static MPI_Comm comm[MOST_WAYS];
static struct summand__calibration calibrated[MOST_WAYS];
static double *operand, *result, times[MOST_WAYS][MOST_ROUNDS];
static volatile double seen;

static void call(enum collective collective, int way, int count)
{
    int code =
        collective == ALLREDUCE
            ? summand_allreduce(operand, result, count, MPI_DOUBLE, MPI_SUM, comm[way], NULL)
            : summand_reduce(operand, result, count, MPI_DOUBLE, MPI_SUM, 0, comm[way], NULL);
    if (code != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

/* A communicator under the settings of a way, whose queues have grown. */
static void open_way(int way, const char *file)
{
    const char *fault;
    setenv("SUMMAND_DIRECT_READ", direct_read[way < FIXED ? way : MEMORY], 1);
    setenv("SUMMAND_CALIBRATION", file ? file : "off", 1);
    calibrated[way] = summand__calibration_standard();
    if (file && !summand__calibration_load(file, NULL, &calibrated[way], &fault)) {
        fprintf(stderr, "%s: %s\n", file, fault);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comm[way]);
    for (int i = 0; i < WARM; i++)
        call(ALLREDUCE, way, WARM_BYTES / sizeof *operand);
}

static void take_turns(enum collective collective, int way, int count, int turns)
{
    double sum[8] = {0};
    for (int turn = 0; turn < turns; turn++) {
        for (int i = 0; i < count; i++)
            operand[i] = i + turn;
        call(collective, way, count);
        for (int i = 0; i < count; i++)
            sum[i % 8] += result[i];
    }
    for (int i = 0; i < 8; i++)
        seen += sum[i];
}

/* Microseconds of one of some turns on the slower rank. Before them the slots of the way's queues,
 * which have left the caches since its last turns, go round once. */
static double time_turns(enum collective collective, int way, int count)
{
    const size_t bytes = sizeof *operand * (size_t)count;
    const int turns = 2 + (int)((1 << 20) / (512 + bytes));
    summand__calibrated_use(&calibrated[way]); /* what holds for the whole process */
    take_turns(collective, way, count, 1 + (int)((2 << 20) / (16384 + bytes)));
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    take_turns(collective, way, count, turns);
    double took = 1e6 * (MPI_Wtime() - begin) / turns;
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return took;
}

/* The same order on both ranks. */
static void shuffle(int *order)
{
    static unsigned state = 1;
    for (int i = 0; i < ways; i++)
        order[i] = i;
    for (int i = ways - 1; i > 0; i--) {
        state = state * 1664525 + 1013904223;
        int j = (int)((state >> 8) % (unsigned)(i + 1)), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

static int run_rounds(enum collective collective, int count, double seconds)
{
    int order[MOST_WAYS], rounds = 0, more = 1;
    double begin = MPI_Wtime();
    while (more) {
        shuffle(order);
        for (int i = 0; i < ways; i++)
            times[order[i]][rounds] = time_turns(collective, order[i], count);
        rounds++;
        more = rounds < LEAST_ROUNDS || (rounds < MOST_ROUNDS && MPI_Wtime() - begin < seconds);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return rounds;
}

/* Lower quartiles of a way over those of another: of all rounds, and the ends of those of parts. */
static struct measure_interval ratio(int way, int to, int rounds)
{
    struct measure_interval interval = {measure_quantile(times[way], rounds, 0.25) /
                                            measure_quantile(times[to], rounds, 0.25),
                                        INFINITY, 0};
    for (int part = 0; part < PARTS; part++) {
        const int first = part * rounds / PARTS, n = (part + 1) * rounds / PARTS - first;
        double one = measure_quantile(times[way] + first, n, 0.25) /
                     measure_quantile(times[to] + first, n, 0.25);
        interval.low = fmin(interval.low, one);
        interval.high = fmax(interval.high, one);
    }
    return interval;
}

/* True if no file loses. */
static bool report(enum collective collective, size_t bytes, int rounds)
{
    struct measure_interval worst = {0, 0, 0}, one;
    int best = MEMORY;
    printf("| %s | %zu | %.2f |", names[collective], bytes,
           measure_quantile(times[MEMORY], rounds, 0.25));
    for (int way = READS; way < FIXED; way++) {
        one = ratio(way, MEMORY, rounds);
        best = ratio(way, best, rounds).median < 1 ? way : best;
        printf(" %.2f [%.2f, %.2f] |", one.median, one.low, one.high);
    }
    for (int way = FIXED; way < ways; way++) {
        one = ratio(way, best, rounds);
        worst = one.median > worst.median ? one : worst;
    }
    if (ways > FIXED)
        printf(" %.2f [%.2f, %.2f] |", worst.median, worst.low, worst.high);
    printf(" %d |\n", rounds);
    fflush(stdout);
    return worst.low <= 1.05;
}

int main(int argc, char **argv)
{
    int ranks, lost = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double seconds = argc > 1 ? strtod(argv[1], NULL) : 0;
    ways = FIXED + (argc > 2 ? argc - 2 : 0);
    operand = aligned_alloc(4096, LARGEST);
    result = aligned_alloc(4096, LARGEST);
    if (ranks != 2 || !(seconds > 0) || ways > MOST_WAYS || !operand || !result) {
        fprintf(stderr, "mpiexec -np 2 bench-calibrations SECONDS [FILE]...; 32 files at most\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < (int)(LARGEST / sizeof *operand); i++)
        operand[i] = result[i] = i;
    for (int way = 0; way < ways; way++)
        open_way(way, way < FIXED ? NULL : argv[2 + way - FIXED]);
    if (rank == 0)
        printf("| | bytes | memory, us | 4k | 512k | %srounds |\n|---|---|---|---|---|---|%s\n",
               ways > FIXED ? "worst file | " : "", ways > FIXED ? "---|" : "");
    for (enum collective collective = 0; collective < COLLECTIVES; collective++)
        for (int s = 0; sizes[s]; s++) {
            int rounds = run_rounds(collective, (int)(sizes[s] / sizeof *operand), seconds);
            lost += rank == 0 && !report(collective, sizes[s], rounds);
        }
    MPI_Bcast(&lost, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return lost > 0;
}

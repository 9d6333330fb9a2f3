/* SPDX-License-Identifier: BSD-3-Clause */
/* Times products of matrices on a simulated cluster (SimGrid's SMPI), of two groups of ranks:
 *
 *     scale-gemm ALGORITHM N BLOCK FLOP BYTE
 *
 * C = A B of N x N doubles in blocks of BLOCK (0: one on each rank), A and C on a grid of the first
 * half of the ranks and B on one of the others. ALGORITHM is gemm-panels, gemm-pairs,
 * gemm-pairs-rows or gemm-barriers (lab/papers). Every rank runs the library with its windows over
 * messages. A computation sleeps in simulated time, for FLOP seconds per operation or BYTE seconds
 * per byte that it reads or writes, whichever is longer. It computes as well, and C is checked,
 * unless SCALE_UNCHECKED is set. Then nothing touches the elements, so long arrays are all mapped
 * onto one (smpi/auto-shared-malloc-thresh, and for windows the code here), and SimGrid copies
 * nothing between them.
 *
 * A waiting rank polls once per 2000th of SCALE_TIME, the expected seconds of the product; by
 * default, of the least time that it can take. More polls would keep the simulator busy. Without a
 * simulator, ranks wait as usual.
 *
 * Rank 0 writes one line of CSV: algorithm, ranks, n, block, seconds from a common start to the
 * last rank's end of the second start of a plan, efficiency (operations by FLOP, of all ranks'
 * time), elements put, elements put to other nodes, and whether the result is right. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/gemm.h>

#include "base/backoff.h"
#include "bench/scale_clock.h"
#include "bench/scale_sleeper.h"
#include "plan/plan.h"

enum { MATRICES = 3, CHECKED = 64, LONG = 1 << 20 };

struct job {
    const char *algorithm;
    MPI_Count n, block;
    struct scale_speed speed;
    bool checks;
    double look; /* s between polls of a waiting rank */
};

static struct job job;
static int ranks, rank;
static int *host;     /* of each rank: ranks of a node have one number */
static double put[2]; /* elements: all, to other nodes */

/* The time of all operations, spread over all ranks. */
static double least_time(void)
{
    return 2 * (double)job.n * (double)job.n * (double)job.n * job.speed.flop / ranks;
}

static void die(const char *what)
{
    fprintf(stderr, "scale-gemm: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* The linker redirects the library's calls to the first ones of these. */
void *__wrap_aligned_alloc(size_t alignment, size_t bytes);
void *__real_aligned_alloc(size_t alignment, size_t bytes);
void *__wrap_memset(void *memory, int byte, size_t bytes);
bool __wrap_summand__backoff_turn(struct summand__backoff *backoff);
bool __real_summand__backoff_turn(struct summand__backoff *backoff);
void *__real_memset(void *memory, int byte, size_t bytes);
int __wrap_summand__plan_make_together(struct summand__state *state, int code,
                                       const struct summand__plan_parts *parts,
                                       summand_plan **plan);
int __real_summand__plan_make_together(struct summand__state *state, int code,
                                       const struct summand__plan_parts *parts,
                                       summand_plan **plan);

int __wrap_summand__plan_make_together(struct summand__state *state, int code,
                                       const struct summand__plan_parts *parts, summand_plan **plan)
{
    for (size_t i = 0; parts->schedule && i < parts->schedule->length; i++) {
        const struct summand__step *step = &parts->schedule->steps[i];
        double elements = step->action == SUMMAND__PUT ? (double)step->from.count : 0;
        put[0] += elements;
        put[1] += elements > 0 && host[step->peer] != host[rank] ? elements : 0;
    }
    if (parts->schedule && !scale_sleepers(parts->schedule, job.speed, job.checks))
        die("more kernels than expected");
    return __real_summand__plan_make_together(state, code, parts, plan);
}

bool __wrap_summand__backoff_turn(struct summand__backoff *backoff)
{
    if (!scale_is_simulated())
        return __real_summand__backoff_turn(backoff);
    scale_sleep(job.look > 1e-6 ? job.look : 1e-6);
    return true;
}

static bool is_long(size_t bytes)
{
    return bytes >= LONG && !job.checks && job.n;
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
#ifdef SMPI_SHARED_MALLOC
    if (is_long(bytes))
        return SMPI_SHARED_MALLOC(bytes); /* whole pages */
#endif
    return __real_aligned_alloc(alignment, bytes);
}

void *__wrap_memset(void *memory, int byte, size_t bytes)
{
    return is_long(bytes) ? memory : __real_memset(memory, byte, bytes);
}

/* Small integers, so that all orders give one result. */
static double value(MPI_Count row, MPI_Count column, void *salt)
{
    return (double)((row * 7 + column * 3 + *(const int *)salt) % 8);
}

/* Rows of a grid as near to a square as possible, and no higher than wide. */
static int grid_rows(int p)
{
    int extents[2] = {0, 0};
    MPI_Dims_create(p, 2, extents);
    return extents[1];
}

static summand_matrix *matrix_of(int number)
{
    int half = ranks / 2, rows = grid_rows(half), columns = half / rows;
    int *group = malloc((size_t)half * sizeof *group);
    summand_matrix *made = NULL;
    for (int i = 0; group && i < half; i++)
        group[i] = i + (number == 1 ? half : 0);
    const summand_matrix_shape shape = {
        .rows = job.n,
        .columns = job.n,
        .block_rows = job.block ? job.block : (job.n + rows - 1) / rows,
        .block_columns = job.block ? job.block : (job.n + columns - 1) / columns,
        .grid_rows = rows,
        .grid_columns = columns,
        .group = group};
    if (!group ||
        summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, MPI_COMM_WORLD, &made) != MPI_SUCCESS)
        die("no matrix");
    if (job.checks)
        summand_matrix_fill(made, value, &number);
    free(group);
    return made;
}

/* Wrong ones among some of this rank's elements of C. */
static int count_wrong(summand_matrix *c)
{
    MPI_Count lead, rows, columns, at[2];
    void *data;
    const int first = 0, second = 1;
    int wrong = 0;
    summand_matrix_local(c, &data, &lead, &rows, &columns);
    MPI_Count count = rows * columns, step = count / CHECKED + 1;
    for (MPI_Count e = 0; e < count; e += step) {
        double sum = 0;
        summand_matrix_index(c, e % rows, e / rows, &at[0], &at[1]);
        for (MPI_Count k = 0; k < job.n; k++)
            sum += value(at[0], k, (void *)&first) * value(k, at[1], (void *)&second);
        wrong += ((const double *)data)[e / rows * lead + e % rows] != sum;
    }
    return wrong;
}

static void run(summand_plan *plan)
{
    if (summand_plan_start(plan) != MPI_SUCCESS || summand_plan_wait(plan) != MPI_SUCCESS)
        die("the product failed");
}

/* By an all-reduce: SimGrid's all-gather is not usable (smpi_setup.c). */
static void find_hosts(void)
{
    char own[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    unsigned number = 0;
    host = calloc((size_t)ranks, sizeof *host);
    if (!host)
        die("out of memory");
    MPI_Get_processor_name(own, &length);
    for (const char *c = own; *c; c++)
        number = number * 31 + (unsigned char)*c;
    host[rank] = (int)(number % 1000003);
    MPI_Allreduce(MPI_IN_PLACE, host, ranks, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
}

/* The time of the slowest rank, of a start that is not the first. */
static double measure(summand_plan *plan)
{
    double last;
    run(plan);
    scale_start_together(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    run(plan);
    double time = MPI_Wtime() - begin;
    MPI_Allreduce(&time, &last, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return last;
}

int main(int argc, char **argv)
{
    summand_matrix *matrix[MATRICES];
    summand_plan *plan;
    double all_put[2];
    int wrong = 0, all_wrong;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 6 || ranks < 2 || ranks % 2)
        die("usage: scale-gemm gemm-panels|gemm-pairs|gemm-pairs-rows|gemm-barriers N BLOCK FLOP "
            "BYTE, on 2, 4, 6... ranks");
    job = (struct job){argv[1],
                       atoll(argv[2]),
                       atoll(argv[3]),
                       {strtod(argv[4], NULL), strtod(argv[5], NULL)},
                       !getenv("SCALE_UNCHECKED"),
                       0};
    const char *expected = getenv("SCALE_TIME");
    job.look = (expected ? strtod(expected, NULL) : least_time()) / 2000;
    find_hosts();
    for (int m = 0; m < MATRICES; m++)
        matrix[m] = matrix_of(m);
    const summand_gemm_options options = {.algorithm = job.algorithm,
                                          .promise = SUMMAND_PROMISE_SAME};
    if (summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, matrix[0], matrix[1], 0,
                          matrix[2], &options, &plan) != MPI_SUCCESS)
        die("no plan");
    double time = measure(plan);
    if (job.checks)
        wrong = count_wrong(matrix[2]);
    MPI_Allreduce(&wrong, &all_wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce(put, all_put, 2, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("%s,%d,%lld,%lld,%.9f,%.4f,%.0f,%.0f,%s\n", job.algorithm, ranks, (long long)job.n,
               (long long)job.block, time, least_time() / time, all_put[0], all_put[1],
               !job.checks ? "unchecked"
               : all_wrong ? "wrong"
                           : "right");
    fflush(stdout);
    MPI_Finalize();
    return all_wrong > 0;
}

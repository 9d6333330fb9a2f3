/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of two groups of ranks beside ScaLAPACK: C = A B of n x n doubles, A and C on the first
 * half of the ranks, B on the other half, in blocks of b.
 *
 *     OPENBLAS_NUM_THREADS=1 mpirun -np 8 bench-gemm-scalapack N B [rounds]
 *
 *   panels      summand_gemm, any order, a reused plan
 *   pairs       the same by gemm-pairs
 *   call        summand_gemm, any order, a blocking call
 *   half        B is redistributed to A's grid, PDGEMM there (pdgemr2d, pdgemm)
 *   all         A and B are redistributed to a grid of all ranks, PDGEMM there, C back
 *
 * Each round runs every subject once; a time is from the first rank's begin to the last one's end.
 * All subjects have the same BLAS settings. Built if CMake finds libscalapack-openmpi. */
#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <summand.h>

#include "bench/need.h"

void Cblacs_pinfo(int *rank, int *ranks);
void Cblacs_get(int context, int what, int *value);
void Cblacs_gridmap(int *context, int *map, int ld, int rows, int columns);
void Cpdgemr2d(int m, int n, double *a, int ia, int ja, int *desc_a, double *b, int ib, int jb,
               int *desc_b, int context);
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n, const int *k,
             const double *alpha, const double *a, const int *ia, const int *ja, const int *desc_a,
             const double *b, const int *ib, const int *jb, const int *desc_b, const double *beta,
             double *c, const int *ic, const int *jc, const int *desc_c);

enum { PANELS, PAIRS, CALL, HALF, ALL, SUBJECTS, MOST_ROUNDS = 1000 };
static const char *const names[SUBJECTS] = {"panels", "pairs", "call", "half", "all"};

/* A matrix on a grid of consecutive ranks, as a descriptor of ScaLAPACK's. */
struct laid {
    summand_matrix *matrix;
    int descriptor[9];
    double *data;
};

static int rank, ranks, n, block;
static struct laid a, b, c, b_near, a_wide, b_wide, c_wide;
static summand_plan *plans[2];
enum { NEAR, FAR, WIDE, GROUPS };
/* The first half, the second half, all. */
static struct {
    int first, count, context;
} groups[GROUPS];

static double value(MPI_Count row, MPI_Count column, void *context)
{
    return (double)((row * 7 + column * 3) % 11) / 8 - *(const double *)context;
}

/* Rows of a grid as near to a square as possible, and no higher than wide. */
static int grid_rows(int count)
{
    int extents[2] = {0, 0};
    MPI_Dims_create(count, 2, extents);
    return extents[1];
}

/* Grids are row by row, as summand's groups are; gridmap expects its map by columns. */
static int context_of(int first, int rows, int columns)
{
    int context, *map = need(malloc((size_t)(rows * columns) * sizeof *map));
    for (int p = 0; p < rows; p++)
        for (int q = 0; q < columns; q++)
            map[q * rows + p] = first + p * columns + q;
    Cblacs_get(-1, 0, &context);
    Cblacs_gridmap(&context, map, rows, rows, columns);
    free(map);
    return context;
}

static void lay(struct laid *laid, int number, double salt)
{
    int first = groups[number].first, count = groups[number].count;
    int rows = grid_rows(count), columns = count / rows;
    int *group = need(malloc((size_t)count * sizeof *group));
    MPI_Count lead;
    void *data;
    for (int i = 0; i < count; i++)
        group[i] = first + i;
    const summand_matrix_shape shape = {n, n, block, block, rows, columns, group};
    summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, MPI_COMM_WORLD, &laid->matrix);
    summand_matrix_fill(laid->matrix, value, &salt);
    bool within = rank >= first && rank < first + count;
    summand_matrix_scalapack(laid->matrix, within ? groups[number].context : -1, laid->descriptor);
    summand_matrix_local(laid->matrix, &data, &lead, NULL, NULL);
    laid->data = data;
    free(group);
}

static void multiply(const struct laid *x, const struct laid *y, const struct laid *z)
{
    const double one = 1, zero = 0;
    const int first = 1;
    if (z->descriptor[1] >= 0)
        pdgemm_("N", "N", &n, &n, &n, &one, x->data, &first, &first, x->descriptor, y->data, &first,
                &first, y->descriptor, &zero, z->data, &first, &first, z->descriptor);
}

static void move(struct laid *from, struct laid *to)
{
    Cpdgemr2d(n, n, from->data, 1, 1, from->descriptor, to->data, 1, 1, to->descriptor,
              groups[WIDE].context);
}

static void run(int subject)
{
    if (subject <= PAIRS) {
        summand_plan_start(plans[subject]);
        summand_plan_wait(plans[subject]);
    } else if (subject == CALL) {
        const summand_gemm_options options = {.promise = SUMMAND_PROMISE_SAME};
        summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, a.matrix, b.matrix, 0, c.matrix,
                     &options);
    } else if (subject == HALF) {
        move(&b, &b_near);
        multiply(&a, &b_near, &c);
    } else {
        move(&a, &a_wide);
        move(&b, &b_wide);
        multiply(&a_wide, &b_wide, &c_wide);
        move(&c_wide, &c);
    }
}

/* From the first begin to the last end; the ranks of one node share a clock. */
static double timed(int subject)
{
    double time[2], least, most;
    MPI_Barrier(MPI_COMM_WORLD);
    time[0] = MPI_Wtime();
    run(subject);
    time[1] = MPI_Wtime();
    MPI_Allreduce(&time[0], &least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&time[1], &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most - least;
}

static int by_value(const void *x, const void *y)
{
    double s = *(const double *)x, t = *(const double *)y;
    return (s > t) - (s < t);
}

static double median(double *x, int count)
{
    qsort(x, (size_t)count, sizeof *x, by_value);
    return count % 2 ? x[count / 2] : (x[count / 2 - 1] + x[count / 2]) / 2;
}

/* All subjects must give the same result. Returns the largest difference from the first. */
static double check(void)
{
    double norm[SUBJECTS], worst = 0;
    for (int s = 0; s < SUBJECTS; s++) {
        run(s);
        summand_matrix_norm(c.matrix, SUMMAND_NORM_FROBENIUS, &norm[s]);
        worst = fmax(worst, fabs(norm[s] - norm[0]) / (norm[0] + 1e-300));
    }
    return worst;
}

static void set_up(void)
{
    int half = ranks / 2 + !(ranks / 2);
    const int first[GROUPS] = {0, ranks > 1 ? half : 0, 0}, count[GROUPS] = {half, half, ranks};
    for (int g = 0; g < GROUPS; g++) {
        int rows = grid_rows(count[g]);
        groups[g].first = first[g];
        groups[g].count = count[g];
        groups[g].context = context_of(first[g], rows, count[g] / rows);
    }
    lay(&a, NEAR, 0.5);
    lay(&b, FAR, 0.25);
    lay(&c, NEAR, 0);
    lay(&b_near, NEAR, 0);
    lay(&a_wide, WIDE, 0);
    lay(&b_wide, WIDE, 0);
    lay(&c_wide, WIDE, 0);
    for (int s = PANELS; s <= PAIRS; s++) {
        const summand_gemm_options options = {.promise = SUMMAND_PROMISE_SAME,
                                              .algorithm = s == PAIRS ? "gemm-pairs" : NULL};
        summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, a.matrix, b.matrix, 0,
                          c.matrix, &options, &plans[s]);
    }
}

int main(int argc, char **argv)
{
    static double time[SUBJECTS][MOST_ROUNDS], ratio[MOST_ROUNDS];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    n = argc > 1 ? atoi(argv[1]) : 0;
    block = argc > 2 ? atoi(argv[2]) : 0;
    int rounds = argc > 3 ? atoi(argv[3]) : 15;
    if (n < 1 || block < 1 || rounds < 1 || rounds > MOST_ROUNDS) {
        if (!rank)
            fprintf(stderr, "usage: bench-gemm-scalapack N BLOCK [ROUNDS, 1 to %d]\n", MOST_ROUNDS);
        MPI_Finalize();
        return 2;
    }
    set_up();
    double worst = check();
    for (int r = 0; r < rounds; r++)
        for (int s = 0; s < SUBJECTS; s++)
            time[s][r] = timed(s);
    if (!rank)
        printf("# %d ranks, n = %d, blocks of %d, %d rounds; norms differ by %.1e at most\n"
               "# subject   time/ms    GF/s  panels are so many times as fast\n",
               ranks, n, block, rounds, worst);
    for (int s = 0; s < SUBJECTS; s++) {
        for (int r = 0; r < rounds; r++)
            ratio[r] = time[s][r] / time[PANELS][r];
        double often = median(ratio, rounds);
        if (!rank) {
            double kept[MOST_ROUNDS];
            for (int r = 0; r < rounds; r++)
                kept[r] = time[s][r];
            double middle = median(kept, rounds);
            printf("%-9s %9.3f %7.1f  %.2f\n", names[s], 1e3 * middle,
                   2e-9 * n * (double)n * n / middle, often);
        }
    }
    for (int s = PANELS; s <= PAIRS; s++)
        summand_plan_free(&plans[s]);
    MPI_Finalize();
    return worst < 1e-10 ? 0 : 1;
}

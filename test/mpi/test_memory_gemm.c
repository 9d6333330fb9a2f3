/* np: 3, long: 2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Products of matrices without memory: whichever request fails, on any rank, every rank has the
 * result or an error, and the next call works as before. */
#include "mpi/matrices.h"
#include "mpi/refusals.h"

enum { M = 9, N = 7, K = 8 };

struct job {
    struct held a, b, c;
    int finishes; /* elements get a bias, an activation and a function */
};

static double small(MPI_Count row, MPI_Count column, void *salt)
{
    return (double)((row * 5 + column * 3) % 7) - *(const double *)salt;
}

static void fill_with(struct held *h, double salt)
{
    CHECK(summand_matrix_fill(h->matrix, small, &salt) == MPI_SUCCESS, "fill");
}

static void refill(void *self)
{
    struct job *job = self;
    fill_with(&job->a, 2);
    fill_with(&job->b, 3);
    fill_with(&job->c, 4);
}

static void remake(struct held *h, MPI_Comm comm, MPI_Count rows, MPI_Count columns, int turn)
{
    drop_matrix(h);
    draw_distribution(h, rows, columns, turn);
    CHECK(make_matrix(h, comm) == MPI_SUCCESS, "create");
}

static void reset(void *self, MPI_Comm comm, int turn)
{
    struct job *job = self;
    remake(&job->a, comm, M, K, turn);
    remake(&job->b, comm, K, N, turn + 1);
    remake(&job->c, comm, M, N, turn + 2);
    refill(job);
}

static void add_half(const summand_gemm_tile *tile, void *context)
{
    (void)context;
    for (MPI_Count j = 0; j < tile->columns; j++)
        for (MPI_Count i = 0; i < tile->rows; i++)
            ((double *)tile->elements)[i + j * tile->lead] += 0.5;
}

static int call(void *self, summand_plan **plan)
{
    static const double ones[M] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct job *job = self;
    summand_gemm_options narrow = {.panel = 3, .memory = 1000};
    if (job->finishes) {
        narrow.row_bias = ones;
        narrow.activation = SUMMAND_ACTIVATION_RELU;
        narrow.finish = add_half;
    }
    return plan ? summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 2, job->a.matrix,
                                    job->b.matrix, -1, job->c.matrix, &narrow, plan)
                : summand_gemm(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 2, job->a.matrix,
                               job->b.matrix, -1, job->c.matrix, &narrow);
}

static int right(void *self)
{
    const struct job *job = self;
    double salts[] = {2, 3, 4};
    void *data;
    MPI_Count lead, rows, columns;
    summand_matrix_local(job->c.matrix, &data, &lead, &rows, &columns);
    for (MPI_Count j = 0; j < columns; j++)
        for (MPI_Count i = 0; i < rows; i++) {
            MPI_Count row, column;
            summand_matrix_index(job->c.matrix, i, j, &row, &column);
            double want = -small(row, column, &salts[2]);
            for (MPI_Count k = 0; k < K; k++)
                want += 2 * small(row, k, &salts[0]) * small(k, column, &salts[1]);
            if (job->finishes)
                want = (want + 1 > 0 ? want + 1 : 0) + 0.5;
            if (((double *)data)[j * lead + i] != want)
                return 0;
        }
    return !changed_guards(&job->c);
}

int main(int argc, char **argv)
{
    static struct job job;
    struct operation o = {"gemm", "gemm", &job, reset, refill, call, right};
    harness_begin(&argc, &argv);
    matrices_seed = harness_seed();
    refusals_begin();
    refusals.everywhere = 1;
    for (job.finishes = 0; job.finishes < 2; job.finishes++) {
        o.group = job.finishes ? "gemm, finished" : "gemm";
        refuse(&o, NEW_SHAPE, !job.finishes);
        refuse(&o, REPEATED, 1);
        for (int moment = job.finishes ? FIRST_RUN : MAKING; moment < MOMENTS; moment++)
            refuse(&o, (enum moment)moment, 0);
    }
    drop_matrix(&job.a);
    drop_matrix(&job.b);
    drop_matrix(&job.c);
    return refusals_end(argc, argv);
}

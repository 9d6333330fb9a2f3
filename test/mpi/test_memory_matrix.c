/* np: 3, long: 2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices without memory: whichever request fails, on any rank, every rank has the result or an
 * error, and the next call works as before. */
#include "mpi/matrices.h"
#include "mpi/refusals.h"

enum what { COPY, TRANSPOSE, GET, SET, FROBENIUS, INFINITY_NORM, MAX_NORM, WRITE, READ, WHATS };
static const char *const names[WHATS] = {"copy",     "transpose", "get",   "set", "norm",
                                         "inf norm", "max norm",  "write", "read"};

enum { M = 9, N = 7 };

struct job {
    enum what what;
    struct held from, to;
    double block[M * N], result;
    char path[64];
};

static const double salt = 3;

static void refill(void *self)
{
    struct job *job = self;
    fill_matrix(&job->to, -1);
    for (int i = 0; i < M * N; i++)
        job->block[i] = job->what == SET ? 5 : -1;
    job->result = -1;
}

static void make_from(struct held *h, MPI_Comm comm, MPI_Count rows, MPI_Count columns, int turn)
{
    draw_distribution(h, rows, columns, turn);
    CHECK(make_matrix(h, comm) == MPI_SUCCESS, "create");
}

static void reset(void *self, MPI_Comm comm, int turn)
{
    struct job *job = self;
    int turned = job->what == TRANSPOSE;
    drop_matrix(&job->from);
    drop_matrix(&job->to);
    make_from(&job->from, comm, M, N, turn);
    make_from(&job->to, comm, turned ? N : M, turned ? M : N, turn + 1);
    fill_matrix(&job->from, salt);
    refill(job);
}

static int call(void *self, summand_plan **plan)
{
    struct job *job = self;
    int all = harness_rank == 0; /* rank 0 asks, or says, all */
    switch (job->what) {
    case COPY:
        return plan ? summand_matrix_copy_init(job->from.matrix, job->to.matrix, plan)
                    : summand_matrix_copy(job->from.matrix, job->to.matrix);
    case TRANSPOSE:
        return plan ? summand_matrix_transpose_init(job->from.matrix, job->to.matrix, plan)
                    : summand_matrix_transpose(job->from.matrix, job->to.matrix);
    case GET:
        return summand_matrix_get(job->from.matrix, 0, 0, all ? M : 0, N, job->block, M);
    case SET:
        return summand_matrix_set(job->to.matrix, 0, 0, all ? M : 0, N, job->block, M);
    case WRITE:
        return summand_matrix_write(job->from.matrix, job->path, SUMMAND_FORMAT_NPY_C);
    case READ:
        return summand_matrix_read(job->to.matrix, job->path, SUMMAND_FORMAT_NPY);
    default:
        return summand_matrix_norm(job->from.matrix,
                                   job->what == FROBENIUS       ? SUMMAND_NORM_FROBENIUS
                                   : job->what == INFINITY_NORM ? SUMMAND_NORM_INFINITY
                                                                : SUMMAND_NORM_MAX,
                                   &job->result);
    }
}

/* Of integers: sums are exact. */
static double norm_of(enum what what)
{
    double squares = 0, most = 0;
    for (int i = 0; i < M; i++) {
        double row = 0;
        for (int j = 0; j < N; j++) {
            double x = value_of(i, j, (void *)&salt);
            squares += x * x;
            row += x;
        }
        most = row > most ? row : most;
    }
    return what == FROBENIUS       ? __builtin_sqrt(squares)
           : what == INFINITY_NORM ? most
                                   : value_of(M - 1, N - 1, (void *)&salt);
}

/* Rows behind the header. */
static int file_is_right(const char *path)
{
    double rows[M * N];
    FILE *file = fopen(path, "rb");
    int good = file && !fseek(file, -(long)sizeof rows, SEEK_END) &&
               fread(rows, sizeof *rows, M * N, file) == M * N;
    for (int k = 0; k < M * N && good; k++)
        good = rows[k] == value_of(k / N, k % N, (void *)&salt);
    if (file)
        fclose(file);
    return good;
}

static int right(void *self)
{
    const struct job *job = self;
    switch (job->what) {
    case COPY:
    case TRANSPOSE:
        return !wrong_elements(&job->to, job->what == TRANSPOSE, salt) && !changed_guards(&job->to);
    case READ:
        return !wrong_elements(&job->to, 0, salt);
    case GET:
        for (int k = 0; k < M * N && !harness_rank; k++)
            if (job->block[k] != value_of(k % M, k / M, (void *)&salt))
                return 0;
        return 1;
    case SET: {
        void *data;
        MPI_Count lead, rows, columns;
        summand_matrix_local(job->to.matrix, &data, &lead, &rows, &columns);
        for (MPI_Count j = 0; j < columns; j++)
            for (MPI_Count i = 0; i < rows; i++)
                if (((double *)data)[j * lead + i] != 5)
                    return 0;
        return 1;
    }
    case WRITE:
        return harness_rank || file_is_right(job->path);
    default:
        return job->result == norm_of(job->what);
    }
}

/* Makes one: ends with a matrix, or none. */
struct maker {
    struct held h;
    MPI_Comm comm;
    int turn;
};

static void refill_maker(void *self)
{
    struct maker *maker = self;
    drop_matrix(&maker->h);
    draw_distribution(&maker->h, M, N, maker->turn);
}

static void reset_maker(void *self, MPI_Comm comm, int turn)
{
    struct maker *maker = self;
    maker->comm = comm;
    maker->turn = turn;
    refill_maker(maker);
}

static int call_maker(void *self, summand_plan **plan)
{
    struct maker *maker = self;
    struct held *h = &maker->h;
    (void)plan;
    summand_matrix_free(&h->matrix);
    h->shape.group = h->group;
    return summand_matrix_create(&h->shape, MPI_DOUBLE, NULL, 0, maker->comm, &h->matrix);
}

static int right_maker(void *self)
{
    struct maker *maker = self;
    fill_matrix(&maker->h, salt);
    return !wrong_elements(&maker->h, 0, salt);
}

int main(int argc, char **argv)
{
    static struct job job;
    static struct maker maker;
    struct operation make = {"matrix",     "create",   &maker,     reset_maker,
                             refill_maker, call_maker, right_maker};
    harness_begin(&argc, &argv);
    matrices_seed = harness_seed();
    refusals_begin();
    snprintf(job.path, sizeof job.path, "matrix-scarce-%d-%d", (int)getppid(), harness_ranks);
    MPI_Bcast(job.path, sizeof job.path, MPI_CHAR, 0, MPI_COMM_WORLD);
    refuse(&make, NEW_SHAPE, 1);
    reset(&job, MPI_COMM_WORLD, 0); /* the file to read, also if writing is left out */
    job.what = WRITE;
    CHECK(call(&job, NULL) == MPI_SUCCESS && right(&job), "write");
    for (int what = 0; what < WHATS; what++) {
        job.what = (enum what)what;
        struct operation o = {"matrix", names[what], &job, reset, refill, call, right};
        refuse(&o, NEW_SHAPE, 1);
        if (what == COPY)
            for (int moment = MAKING; moment < MOMENTS; moment++)
                refuse(&o, (enum moment)moment, 0);
    }
    drop_matrix(&job.from);
    drop_matrix(&job.to);
    drop_matrix(&maker.h);
    MPI_Barrier(MPI_COMM_WORLD);
    if (!harness_rank)
        unlink(job.path);
    return refusals_end(argc, argv);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A program whose reductions the modes cover or not; it knows nothing of Summand. Each word of the
 * arguments is a row, which all ranks run; without one, all rows run. */
#include <mpi.h>
#include <string.h>

static double x[4], y[4];
static int i[4], j[4];
static MPI_Win window;

static void multiply(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int k = 0; k < *count; k++)
        ((double *)inout)[k] *= ((const double *)in)[k];
}

static void wait_for(MPI_Request *request)
{
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void all_double(void)
{
    MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void all_operator(void)
{
    MPI_Op op;
    MPI_Op_create(multiply, 1, &op);
    MPI_Allreduce(x, y, 4, MPI_DOUBLE, op, MPI_COMM_WORLD);
    MPI_Op_free(&op);
}

static void all_integer(void)
{
    MPI_Allreduce(i, j, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void all_most(void)
{
    MPI_Request request;
    MPI_Iallreduce(x, y, 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

static void all_self(void)
{
    MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static void all_none(void)
{
    MPI_Allreduce(x, y, 0, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void scatter_none(void)
{
    const int none[3] = {0};
    MPI_Reduce_scatter(x, y, none, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void iscatter_none(void)
{
    const int none[3] = {0};
    MPI_Request request;
    MPI_Ireduce_scatter(x, y, none, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

static void local_none(void)
{
    MPI_Reduce_local(x, y, 0, MPI_DOUBLE, MPI_SUM);
}

static void accumulate_none(void)
{
    MPI_Win_fence(0, window);
    MPI_Accumulate(x, 0, MPI_DOUBLE, 0, 0, 0, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
}

static void accumulate_nowhere(void)
{
    MPI_Win_fence(0, window);
    MPI_Accumulate(x, 4, MPI_DOUBLE, MPI_PROC_NULL, 0, 4, MPI_DOUBLE, MPI_SUM, window);
    MPI_Win_fence(0, window);
}

static void bcast(void)
{
    MPI_Bcast(x, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

static void iall_double(void)
{
    MPI_Request request;
    MPI_Iallreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

static void scan(void)
{
    MPI_Scan(x, y, 4, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void exscan(void)
{
    MPI_Exscan(x, y, 4, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD);
}

static void scan_integer(void)
{
    MPI_Scan(i, j, 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void local(void)
{
    MPI_Reduce_local(x, y, 4, MPI_DOUBLE, MPI_SUM);
}

static void accumulate_as(MPI_Op op)
{
    MPI_Win_fence(0, window);
    MPI_Accumulate(x, 4, MPI_DOUBLE, 0, 0, 4, MPI_DOUBLE, op, window);
    MPI_Win_fence(0, window);
}

static void accumulate(void)
{
    accumulate_as(MPI_SUM);
}

static void replace(void)
{
    accumulate_as(MPI_REPLACE);
}

static void get_accumulate(void)
{
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_DOUBLE, &pair);
    MPI_Type_commit(&pair);
    MPI_Win_fence(0, window);
    MPI_Get_accumulate(x, 2, pair, y, 2, pair, 0, 0, 2, pair, MPI_SUM, window);
    MPI_Win_fence(0, window);
    MPI_Type_free(&pair);
}

static void fetch(void)
{
    MPI_Win_fence(0, window);
    MPI_Fetch_and_op(x, y, MPI_DOUBLE, 0, 0, MPI_SUM, window);
    MPI_Win_fence(0, window);
}

static MPI_Comm both_halves(int *rank)
{
    MPI_Comm half, both;
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_split(MPI_COMM_WORLD, *rank == 0, 0, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, *rank == 0, 7, &both);
    MPI_Comm_free(&half);
    return both;
}

static void inter(void)
{
    int rank;
    MPI_Comm both = both_halves(&rank);
    MPI_Allreduce(x, y, 4, MPI_DOUBLE, MPI_SUM, both);
    MPI_Comm_free(&both);
}

/* Integers, from the ranks of one half to the one of the other. */
static void inter_nowhere(void)
{
    int rank;
    MPI_Comm both = both_halves(&rank);
    if (rank)
        MPI_Reduce(i, j, 4, MPI_INT, MPI_SUM, 0, both);
    else
        MPI_Reduce(i, j, 4, MPI_INT, MPI_SUM, MPI_ROOT, both);
    MPI_Comm_free(&both);
}

static const struct row {
    const char *name;
    void (*run)(void);
} rows[] = {{"all_double", all_double},
            {"all_operator", all_operator},
            {"all_integer", all_integer},
            {"all_most", all_most},
            {"all_self", all_self},
            {"all_none", all_none},
            {"bcast", bcast},
            {"scatter_none", scatter_none},
            {"iscatter_none", iscatter_none},
            {"local_none", local_none},
            {"accumulate_none", accumulate_none},
            {"accumulate_nowhere", accumulate_nowhere},
            {"inter_nowhere", inter_nowhere},
            {"replace", replace},
            {"scan_integer", scan_integer},
            {"iall_double", iall_double},
            {"scan", scan},
            {"exscan", exscan},
            {"local", local},
            {"accumulate", accumulate},
            {"get_accumulate", get_accumulate},
            {"fetch", fetch},
            {"inter", inter}};

int main(int argc, char **argv)
{
    double *memory;
    MPI_Init(&argc, &argv);
    /* Without single copy, Open MPI 4 has no window on memory that exists. */
    MPI_Win_allocate(sizeof y, sizeof *y, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        int asked = argc == 1;
        for (int a = 1; a < argc; a++)
            asked |= !strcmp(argv[a], rows[r].name);
        if (asked)
            rows[r].run();
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}

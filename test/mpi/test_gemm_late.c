/* np: 3, long: 5 8; together; also: late/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Products with ranks that come late or not at all. A thousand starts in sequence, without a
 * barrier, with random delays: each result belongs to its start. Groups are interleaved and
 * reversed, and one rank is in none. A partner that never starts is an error on all others, and the
 * plan can be freed. */
#include <stdbool.h>
#include <summand.h>

#include "mpi/harness.h"

enum { N = 12, CHECKS = 10, GROUP = 8 };

static MPI_Comm comm;
static uint64_t seed;

/* If exposed, ranks of a node read and write it in place. */
static bool exposed;

static summand_matrix *matrix_on(const int *group, int rows, int columns, MPI_Count block)
{
    const summand_matrix_shape shape = {N, N, block, block, rows, columns, group};
    summand_matrix *made = NULL;
    int code = summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, comm, &made);
    CHECK(code == MPI_SUCCESS && made, "create: %d", code);
    if (exposed) {
        int class = code = summand_matrix_expose(made);
        MPI_Error_class(code, &class);
        CHECK(code == MPI_SUCCESS || class == MPI_ERR_UNSUPPORTED_OPERATION, "expose: %d", code);
    }
    return made;
}

static double of_a(MPI_Count row, MPI_Count column, void *start)
{
    return (double)((row * 3 + column + *(const int *)start) % 7);
}

static double of_b(MPI_Count row, MPI_Count column, void *start)
{
    return (double)((row + column * 5 + 2 * *(const int *)start) % 5);
}

static void check(const summand_matrix *c, int start)
{
    double *data;
    void *memory;
    MPI_Count lead, rows, columns;
    long wrong = 0;
    summand_matrix_local(c, &memory, &lead, &rows, &columns);
    data = memory;
    for (MPI_Count j = 0; j < columns; j++)
        for (MPI_Count i = 0; i < rows; i++) {
            MPI_Count row, column;
            double sum = 0;
            summand_matrix_index(c, i, j, &row, &column);
            for (MPI_Count k = 0; k < N; k++)
                sum += of_a(row, k, &start) * of_b(k, column, &start);
            wrong += data[j * lead + i] != sum;
        }
    CHECK(!wrong, "start %d: %ld wrong", start, wrong);
}

/* Sometimes a rank is late, another one each time. */
static void dawdle(void)
{
    uint64_t drawn = harness_random(&seed);
    if (drawn % 64 == 0)
        usleep((unsigned)(drawn >> 20) % 400);
}

static void back_to_back(const char *algorithm, int starts)
{
    int evens[GROUP], odds[GROUP], n_evens = 0, n_odds = 0;
    for (int r = harness_ranks - 2; r >= 0; r--) /* reversed; the last rank is in no group */
        if (r % 2)
            odds[n_odds++] = r;
        else
            evens[n_evens++] = r;
    summand_matrix *a = matrix_on(evens, 1, n_evens, 4), *b = matrix_on(odds, n_odds, 1, 3),
                   *c = matrix_on(evens, n_evens, 1, 5);
    const summand_gemm_options options = {
        .algorithm = algorithm, .panel = 5, .memory = strstr(algorithm, "pairs") ? 0 : 4000};
    summand_plan *plan = NULL;
    int code = summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, a, b, 0, c,
                                 &options, &plan);
    CHECK(code == MPI_SUCCESS, "%s: %d", algorithm, code);
    for (int start = 0; start < starts && code == MPI_SUCCESS; start++) {
        summand_matrix_fill(a, of_a, &start);
        summand_matrix_fill(b, of_b, &start);
        dawdle();
        code = summand_plan_start(plan);
        if (start % 3 == harness_rank)
            dawdle();
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
        CHECK(code == MPI_SUCCESS, "%s, start %d: %d", algorithm, start, code);
        if (start % CHECKS == 0 || start + 1 == starts)
            check(c, start);
    }
    summand_plan_free(&plan);
    summand_matrix_free(&a);
    summand_matrix_free(&b);
    summand_matrix_free(&c);
}

/* All need A of rank 0, which never starts: the timeout is a second, with a minute to notice. */
static void dead(const char *algorithm)
{
    int all[GROUP] = {0, 1, 2, 3, 4, 5, 6, 7}, start = 0;
    summand_matrix *a = matrix_on(all, 1, 1, N), *b = matrix_on(all, 1, harness_ranks, 1),
                   *c = matrix_on(all, 1, harness_ranks, 1);
    const summand_gemm_options options = {.algorithm = algorithm, .timeout = 1};
    summand_plan *plan = NULL;
    summand_matrix_fill(a, of_a, &start);
    summand_matrix_fill(b, of_b, &start);
    int code = summand_gemm_init(SUMMAND_TRANSPOSE_NO, SUMMAND_TRANSPOSE_NO, 1, a, b, 0, c,
                                 &options, &plan);
    CHECK(code == MPI_SUCCESS, "%s: %d", algorithm, code);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    double begin = MPI_Wtime();
    if (harness_rank && code == MPI_SUCCESS) {
        code = summand_plan_start(plan);
        if (code == MPI_SUCCESS)
            code = summand_plan_wait(plan);
        CHECK(code == summand_error_code(SUMMAND_ERR_TIMEOUT) ||
                  code == summand_error_code(SUMMAND_ERR_REMOTE), /* another one was first */
              "%s: a dead partner: %d", algorithm, code);
        CHECK(MPI_Wtime() - begin < 60, "%s: noticed after %.0f s", algorithm, MPI_Wtime() - begin);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    summand_plan_free(&plan);
    summand_matrix_free(&a);
    summand_matrix_free(&b);
    summand_matrix_free(&c);
}

TESTS
{
    const char *transport = getenv("SUMMAND_TRANSPORT");
    /* Each notification calls the MPI, or sleeps. */
    bool slow = (transport && !strcmp(transport, "p2p")) || getenv("TEST_LATE");
    seed = (uint64_t)harness_rank + 1;
    comm = harness_comm();
    back_to_back("gemm-panels", slow ? 100 : 1000);
    back_to_back("gemm-pairs", slow ? 20 : 200);
    back_to_back("gemm-boxes", slow ? 20 : 1000);
    exposed = true;
    back_to_back("gemm-panels", slow ? 20 : 1000);
    dead("gemm-panels");
    exposed = false;
    dead("gemm-panels");
    dead("gemm-pairs");
    dead("gemm-boxes");
    MPI_Comm_free(&comm);
}

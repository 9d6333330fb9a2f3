/* np: 1 2 3 5, long: 4 8; together brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Exposed matrices: rectangles are read and written while their owners call no function of the
 * library, over all kinds of grids and blocks. Only the rank with an error gets it. Copies and
 * norms work as before. */
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fabric/segment.h"
#include "mpi/matrices.h"

static MPI_Comm comm;
static _Atomic int *turns; /* of all ranks of the node: owners wait here, outside of MPI calls */

/* Over shared memory an owner calls nothing. MPICH 4.0 serves windows of one node by messages, so
 * an owner must call the MPI, but not the library. */
static void wait_for(int value)
{
    int flag, calls = getenv("SUMMAND_TRANSPORT") != NULL;
    while (atomic_load(turns) < value) {
        usleep(100);
        if (calls)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, comm, &flag, MPI_STATUS_IGNORE);
    }
}

static int exposed(struct held *h)
{
    int code = summand_matrix_expose(h->matrix);
    CHECK(code == MPI_SUCCESS, "expose: %d", code);
    return code == MPI_SUCCESS;
}

static double other_value(MPI_Count i, MPI_Count j)
{
    return -1000.0 - (double)(31 * i + j);
}

/* For a rectangle that starts and ends within blocks. Stored values lie above row `writer`. */
static MPI_Count wrong_part(const struct held *h, MPI_Count writer)
{
    MPI_Count m = h->shape.rows, n = h->shape.columns, wrong = 0;
    double none = 0, block[40 * 40];
    float floats[40 * 40];
    for (MPI_Count row = writer; row < m; row += 2) {
        MPI_Count column = row % n, rows = (m - row + 1) / 2 + 1, columns = (n - column + 1) / 2;
        rows = rows < m - row ? rows : m - row;
        int code = summand_matrix_fetch(h->matrix, row, column, rows, columns,
                                        h->single ? (void *)floats : block, rows);
        CHECK(code == MPI_SUCCESS, "fetch: %d", code);
        for (MPI_Count k = 0; k < rows * columns; k++) {
            double want = value_of(row + k % rows, column + k / rows, &none);
            wrong += h->single ? floats[k] != (float)want : block[k] != want;
        }
    }
    return wrong;
}

/* In turn, each rank reads all and writes a rectangle, while the others sleep. */
static void owners_sleep(MPI_Count rows, MPI_Count columns, int single)
{
    struct held h;
    float floats[40 * 40];
    double block[40 * 40], none = 0;
    draw_distribution(&h, rows, columns, -1);
    h.theirs = 0;
    h.single = single;
    make_matrix(&h, comm);
    fill_matrix(&h, 0);
    if (!exposed(&h))
        return;
    check_matrix(&h, 0, 0, "exposed");
    MPI_Barrier(comm);
    int base = atomic_load(turns);
    MPI_Barrier(comm);
    for (int writer = 0; writer < harness_ranks; writer++) {
        if (writer == harness_rank) {
            MPI_Count lead = rows + 3, i0 = writer % rows, wrong = 0;
            void *to = single ? (void *)floats : block;
            for (int k = 0; k < 40 * 40; k++)
                block[k] = floats[k] = -7;
            int code = summand_matrix_fetch(h.matrix, 0, 0, rows, columns, to, lead);
            CHECK(code == MPI_SUCCESS, "fetch: %d", code);
            for (MPI_Count j = 0; j < columns; j++)
                for (MPI_Count i = 0; i < lead; i++) {
                    int stored = i < rows && i < writer && j % 2;
                    double want = i >= rows ? -7
                                  : stored  ? other_value(i, j)
                                            : value_of(i, j, &none);
                    wrong += (single ? (double)floats[j * lead + i] : block[j * lead + i]) !=
                             (single ? (double)(float)want : want);
                }
            CHECK(!wrong, "fetch after %d: %lld wrong", writer, (long long)wrong);
            wrong += wrong_part(&h, writer);
            CHECK(!wrong, "a part after %d: %lld wrong", writer, (long long)wrong);
            for (MPI_Count j = 1; j < columns && writer < rows; j += 2) {
                double x = other_value(i0, j);
                float y = (float)x;
                code = summand_matrix_store(h.matrix, i0, j, 1, 1, single ? (void *)&y : &x, 1);
                CHECK(code == MPI_SUCCESS, "store: %d", code);
            }
            atomic_fetch_add(turns, 1);
        }
        wait_for(base + writer + 1);
    }
    MPI_Barrier(comm);
    drop_matrix(&h);
}

/* A large rectangle at once, from the rank outside of the group or the last one. */
static void store_rectangle(void)
{
    enum { M = 37, N = 29 };
    struct held h;
    double block[(M + 1) * N], none = 4;
    draw_distribution(&h, M, N, -1);
    h.theirs = 0;
    make_matrix(&h, comm);
    fill_matrix(&h, 0);
    if (!exposed(&h) || !exposed(&h)) /* again */
        return;
    MPI_Barrier(comm);
    if (harness_rank == harness_ranks - 1) {
        for (int k = 0; k < (M + 1) * N; k++)
            block[k] = value_of(k % (M + 1), k / (M + 1), &none);
        int code = summand_matrix_store(h.matrix, 0, 0, M, N, block, M + 1);
        CHECK(code == MPI_SUCCESS, "store: %d", code);
        memset(block, 0, sizeof block); /* is the caller's again */
    }
    MPI_Barrier(comm);
    check_matrix(&h, 0, 4, "stored");
    drop_matrix(&h);
}

static void as_before(void)
{
    struct held from, to;
    double norm = 0;
    draw_distribution(&from, 30, 20, -1);
    from.theirs = 0;
    draw_distribution(&to, 30, 20, -1);
    to.theirs = 0;
    make_matrix(&from, comm);
    make_matrix(&to, comm);
    if (!exposed(&from) || !exposed(&to))
        return;
    fill_matrix(&from, 2);
    CHECK(summand_matrix_copy(from.matrix, to.matrix) == MPI_SUCCESS, "copy");
    check_matrix(&to, 0, 2, "copy of exposed ones");
    CHECK(summand_matrix_norm(to.matrix, SUMMAND_NORM_MAX, &norm) == MPI_SUCCESS, "norm");
    summand_plan *plan = NULL;
    CHECK(summand_matrix_copy_init(from.matrix, to.matrix, &plan) == MPI_SUCCESS, "plan");
    summand_matrix_free(&from.matrix); /* the plan keeps the window */
    CHECK(summand_plan_start(plan) == MPI_SUCCESS && summand_plan_wait(plan) == MPI_SUCCESS, "run");
    summand_plan_free(&plan);
    drop_matrix(&from);
    drop_matrix(&to);
}

static void wrong_calls(void)
{
    const int argument = summand_error_code(SUMMAND_ERR_ARGUMENT);
    struct held h, plain;
    double x[4] = {0};
    summand_plan *plan = NULL;
    draw_distribution(&h, 9, 7, -1);
    h.theirs = 0;
    draw_distribution(&plain, 9, 7, -1);
    plain.theirs = 0;
    make_matrix(&plain, comm);
    make_matrix(&h, comm);
    CHECK(summand_matrix_fetch(h.matrix, 0, 0, 1, 1, x, 1) == argument, "not exposed");
    CHECK(summand_matrix_store(h.matrix, 0, 0, 1, 1, x, 1) == argument, "not exposed");
    CHECK(summand_matrix_copy_init(h.matrix, plain.matrix, &plan) == MPI_SUCCESS, "plan");
    int code = summand_matrix_expose(h.matrix);
    CHECK(code == argument, "has a plan: %d", code);
    summand_plan_free(&plan);
    drop_matrix(&plain);
    plain.theirs = 1;
    make_matrix(&plain, comm);
    code = summand_matrix_expose(plain.matrix);
    CHECK(code == argument || code == summand_error_code(SUMMAND_ERR_REMOTE), "theirs: %d", code);
    if (exposed(&h)) {
        CHECK(summand_matrix_fetch(h.matrix, 8, 0, 2, 1, x, 2) == argument, "below");
        CHECK(summand_matrix_fetch(h.matrix, 0, -1, 1, 1, x, 1) == argument, "left");
        CHECK(summand_matrix_store(h.matrix, 0, 0, 2, 1, x, 1) == argument, "lead");
        CHECK(summand_matrix_store(h.matrix, 0, 0, 1, 1, NULL, 1) == MPI_ERR_BUFFER, "no block");
        CHECK(summand_matrix_fetch(h.matrix, 0, 0, 0, 5, NULL, 0) == MPI_SUCCESS, "nothing");
    }
    MPI_Barrier(comm);
    drop_matrix(&h);
    drop_matrix(&plain);
}

TESTS
{
    unsigned char *memory = NULL;
    matrices_seed = harness_seed();
    comm = harness_comm();
    if (summand__segment_share(comm, 4096, &memory) != MPI_SUCCESS || !memory)
        MPI_Abort(MPI_COMM_WORLD, 1);
    turns = (_Atomic int *)(void *)memory;
    for (int k = 0; k < 6; k++)
        owners_sleep(1 + draw(37), 1 + draw(39), k % 2);
    store_rectangle();
    as_before();
    wrong_calls();
    MPI_Barrier(comm);
    munmap(memory, 4096);
    MPI_Comm_free(&comm);
}

/* np: 2, long: 1 3; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Restarted plans of outer products of lists, and repeated calls: with other indices, with the
 * algorithm's name at another address, with more elements. Also the memory that plans take, and
 * wrong arguments. */
#include <malloc.h>

#include "mpi/outer.h"
#include "mpi/wrong_outer.h"

/* An element of rank 0 goes to another rank than when the plan was made: an error on these two
 * ranks only. Then as before. */
static void test_changed(void)
{
    const int last = harness_ranks - 1;
    const MPI_Count begin[] = {0, 1};
    const double one[] = {1};
    uint32_t index[] = {0};
    double b[2] = {3, 4}, g[2];
    const summand_outer_list a = {begin, index, one};
    summand_outer_matrix matrix = {
        .rows = harness_ranks, .columns = 2, .b = b, .g = g, .list_a = &a};
    summand_outer_options options = summand_outer_options_default();
    summand_plan *plan;
    MPI_Comm comm = harness_comm();
    options.result = SUMMAND_OUTER_ROWS;
    options.algorithm = "outer-slices";
    int code = summand_outer_init(!harness_rank, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                                  comm, &options, &plan);
    CHECK(code == MPI_SUCCESS, "plan: %d", code);
    for (int start = 0; start < 3 && code == MPI_SUCCESS; start++) {
        const bool changed = start == 1 && last;
        int wanted = MPI_SUCCESS;
        if (changed && (!harness_rank || harness_rank == last))
            wanted = summand_error_code(harness_rank ? SUMMAND_ERR_REMOTE : SUMMAND_ERR_ARGUMENT);
        index[0] = changed ? (uint32_t)last : 0;
        g[0] = g[1] = -1;
        int got = summand_plan_start(plan);
        got = got == MPI_SUCCESS ? summand_plan_wait(plan) : got;
        CHECK(got == wanted, "start %d: %d, not %d", start, got, wanted);
        CHECK(got != MPI_SUCCESS || (g[0] == 3 * !harness_rank && g[1] == 4 * !harness_rank),
              "start %d: %g %g", start, g[0], g[1]);
    }
    summand_plan_free(&plan);
    MPI_Comm_free(&comm);
}

/* The caller frees the memory of an algorithm's name between two calls of one shape. */
static void test_names(void)
{
    static const char *const names[] = {"outer-gather", "outer-slices"};
    const MPI_Count begin[] = {0, 1};
    const uint32_t index[] = {0};
    const double one[] = {1}, b[2] = {3, 4};
    const summand_outer_list a = {begin, index, one};
    for (int i = 0; i < 2; i++) {
        char name[32];
        double g[2] = {-1, -1};
        summand_outer_matrix matrix = {
            .rows = harness_ranks, .columns = 2, .b = b, .g = g, .list_a = &a};
        summand_outer_options options = summand_outer_options_default();
        options.result = SUMMAND_OUTER_ROWS;
        options.algorithm = name;
        for (int call = 0; call < 3; call++) {
            strcpy(name, names[i]);
            int code = summand_outer(!harness_rank, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                                     MPI_COMM_WORLD, &options);
            CHECK(code == MPI_SUCCESS && g[0] == 3 * !harness_rank && g[1] == 4 * !harness_rank,
                  "%s, call %d: code %d, %g %g", names[i], call, code, g[0], g[1]);
            memset(name, 'x', sizeof name - 1);
        }
    }
}

/* A plan of compressed rows. Later, one pair has the elements of both, plus the room that the other
 * pair leaves: the same memory, but more elements than the plan can sort. */
static void test_more_elements(void)
{
    enum { TWO = 2, ROWS = 8, COLUMNS = 1002, MANY = 504 };
    static float a[MANY], b[TWO * COLUMNS], value[ROWS * COLUMNS];
    static uint32_t index[MANY], found[ROWS * COLUMNS];
    MPI_Count begin[TWO + 1] = {0, 1, 2}, rows[ROWS + 1];
    const summand_outer_list list = {begin, index, a};
    summand_outer_compressed compressed = {rows, found, value, ROWS * COLUMNS};
    summand_outer_matrix matrix = {
        .rows = ROWS, .columns = COLUMNS, .b = b, .list_a = &list, .compressed = &compressed};
    summand_outer_options options = summand_outer_options_default();
    summand_plan *plan;
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    int code = summand_outer_init(TWO, 1, 1, &matrix, 0, MPI_FLOAT, SUMMAND_ROOT_ALL, comm,
                                  &options, &plan);
    CHECK(code == MPI_SUCCESS, "plan: %d", code);
    for (int start = 0; start < 2 && code == MPI_SUCCESS; start++) {
        int got = summand_plan_start(plan);
        got = got == MPI_SUCCESS ? summand_plan_wait(plan) : got;
        const int wanted = start ? summand_error_code(SUMMAND_ERR_ARGUMENT) : MPI_SUCCESS;
        CHECK(got == wanted, "start %d: %d, not %d", start, got, wanted);
        begin[1] = 0;
        begin[2] = MANY;
        for (int i = 0; i < MANY; i++)
            index[i] = (uint32_t)(i * ROWS / MANY);
    }
    summand_plan_free(&plan);
    MPI_Comm_free(&comm);
}

static size_t heap_in_use(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/* A plan takes all factors and 2 MiB; its starts take nothing. The MPI's pools grow occasionally,
 * but a start that kept a slice would take more. */
static void test_memory(void)
{
    enum { SIDE = 800, OWN = 160, STARTS = 3 };
    static double a[OWN * SIDE], b[OWN * SIDE];
    double *g = malloc(sizeof *g * SIDE * SIDE);
    static const char *const names[] = {NULL, "outer-gather", "outer-pipeline", "outer-hybrid"};
    const summand_outer_matrix matrix = {.rows = SIDE, .columns = SIDE, .a = a, .b = b, .g = g};
    const size_t factors = (size_t)harness_ranks * OWN * 2 * SIDE * sizeof(double);
    for (int i = 0; i < 8; i++) { /* the first of each: kept per communicator and thread */
        summand_outer_options options = summand_outer_options_default();
        summand_plan *plan = NULL;
        options.algorithm = names[i / 2];
        const size_t before = heap_in_use();
        int code = summand_outer_init(OWN, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL,
                                      MPI_COMM_WORLD, &options, &plan);
        const size_t made = heap_in_use();
        size_t first = 0;
        for (int start = 0; start < STARTS && code == MPI_SUCCESS; start++) {
            code = summand_plan_start(plan);
            code = code == MPI_SUCCESS ? summand_plan_wait(plan) : code;
            first = start ? first : heap_in_use();
        }
        const size_t last = heap_in_use();
        CHECK(code == MPI_SUCCESS && (i % 2 == 0 || made <= before + factors + (2 << 20)),
              "%d: code %d, %zu bytes for %zu of factors", i, code, made - before, factors);
        CHECK(last <= first + (1 << 18), "%d: starts took %zu bytes", i, last - first);
        summand_plan_free(&plan);
    }
    free(g);
}

TESTS
{
    test_memory();
    test_changed();
    test_names();
    test_more_elements();
    MPI_Comm comm = harness_comm();
    test_wrong(comm);
    MPI_Comm_free(&comm);
}

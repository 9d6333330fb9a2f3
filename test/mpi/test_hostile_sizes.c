/* np: 1 2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Counts, displacements, strides and leading dimensions whose bytes exceed any memory. Every call
 * refuses them on all ranks, and writes nothing, neither at the buffers nor before them. */
#include <stdbool.h>
#include <summand.h>

#include "mpi/harness.h"

/* In elements of 8 bytes: more than 2^47 bytes, or a product that wraps around to few bytes. */
static const MPI_Count hostile[] = {INT64_MIN,
                                    -((MPI_Count)1 << 60),
                                    (MPI_Count)1 << 60,
                                    ((MPI_Count)1 << 44) + 2,
                                    ((MPI_Count)1 << 60) - 1,
                                    (MPI_Count)1 << 61,
                                    (MPI_Count)1 << 62,
                                    INT64_MAX / 8 + 1,
                                    INT64_MAX / 4 + 1,
                                    INT64_MAX - 1,
                                    INT64_MAX};

enum { GUARD = 512, ROOM = 64 /* elements */ };

static double memory[GUARD + ROOM + GUARD], *const y = memory + GUARD, x[ROOM];
static MPI_Comm comm;
static MPI_Datatype wide, backward; /* doubles 2^62 bytes apart */

static int allreduce(MPI_Count n)
{
    return summand_allreduce_c(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int reduce(MPI_Count n)
{
    return summand_reduce_c(x, y, n, MPI_DOUBLE, MPI_SUM, 0, comm, NULL);
}

static int scan(MPI_Count n)
{
    return summand_scan_c(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int bcast(MPI_Count n)
{
    return summand_bcast_c(y, n, MPI_DOUBLE, 0, comm, NULL);
}

static int reduce_scatter_block(MPI_Count n)
{
    return summand_reduce_scatter_block_c(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int allgather(MPI_Count n)
{
    return summand_allgather_c(x, n, MPI_DOUBLE, y, n, MPI_DOUBLE, comm, NULL);
}

/* The counts of all ranks but the last are 1. */
static int reduce_scatter(MPI_Count n)
{
    MPI_Count counts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    counts[harness_ranks - 1] = n;
    return summand_reduce_scatter_c(x, y, counts, MPI_DOUBLE, MPI_SUM, comm, NULL);
}

static int gather_blocks(MPI_Count count, MPI_Count place)
{
    MPI_Count counts[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    MPI_Aint displs[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    bool last = harness_rank == harness_ranks - 1;
    counts[harness_ranks - 1] = count;
    displs[harness_ranks - 1] = (MPI_Aint)place;
    return summand_allgatherv_c(x, last ? count : 1, MPI_DOUBLE, y, counts, displs, MPI_DOUBLE,
                                comm, NULL);
}

static int allgatherv_count(MPI_Count n)
{
    return gather_blocks(n, 0);
}

static int allgatherv_place(MPI_Count n)
{
    return gather_blocks(1, n);
}

static int sum(MPI_Count n)
{
    return summand_sum(x, y, n, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
}

static int sum_by_tree(MPI_Count n)
{
    const summand_options options = {.promise = SUMMAND_PROMISE_INDEX};
    return summand_sum(x, y, n, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
}

static int dot(MPI_Count n)
{
    return summand_dot(x, x, y, n, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
}

/* Two elements with a stride; the last rank's is hostile. */
static int strided(MPI_Count n, MPI_Datatype type, enum summand_promise promise, bool y_too)
{
    const summand_options options = {.promise = promise};
    summand_term term = {.kind = y_too ? SUMMAND_KIND_DOT : SUMMAND_KIND_SUM,
                         .count = 2,
                         .displacement = SUMMAND_DISPLACEMENT_APPEND,
                         .x = x,
                         .y = x};
    if (harness_rank == harness_ranks - 1)
        *(y_too ? &term.stride_y : &term.stride_x) = n;
    return summand_sums(1, &term, y, type, SUMMAND_ROOT_ALL, comm, &options);
}

static int stride(MPI_Count n)
{
    return strided(n, MPI_DOUBLE, SUMMAND_PROMISE_EXACT, false);
}

static int stride_of_tree(MPI_Count n)
{
    return strided(n, MPI_DOUBLE, SUMMAND_PROMISE_INDEX, true);
}

static int stride_of_complex(MPI_Count n)
{
    return strided(n / 2, MPI_C_DOUBLE_COMPLEX, SUMMAND_PROMISE_EXACT, true);
}

static int column_sums(MPI_Count n)
{
    return summand_column_sums(x, 2, n, y, 2, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
}

static int column_counts(MPI_Count n)
{
    return summand_column_sums(x, 1, n, y, n, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, NULL);
}

static int complex_sum(MPI_Count n)
{
    return summand_sum(x, y, n / 2, MPI_C_DOUBLE_COMPLEX, SUMMAND_ROOT_ALL, comm, NULL);
}

static int ordered(MPI_Count n)
{
    return summand_ordered_reduce(x, y, n, 0, MPI_DOUBLE, MPI_SUM, SUMMAND_ROOT_ALL, comm, NULL);
}

/* Two pairs of 2 x 2. */
static int outer(summand_outer_matrix matrix, int pairs, enum summand_outer_result result,
                 MPI_Count room)
{
    summand_outer_options options = summand_outer_options_default();
    options.result = result;
    options.room = room;
    matrix.a = matrix.b = x;
    matrix.g = y;
    return summand_outer(pairs, 1, 1, &matrix, 0, MPI_DOUBLE, SUMMAND_ROOT_ALL, comm, &options);
}

static int outer_rows(MPI_Count n)
{
    return outer((summand_outer_matrix){.rows = n, .columns = 2}, 2, SUMMAND_OUTER_WHOLE, 0);
}

static int outer_columns(MPI_Count n)
{
    return outer((summand_outer_matrix){.rows = 2, .columns = n}, 2, SUMMAND_OUTER_WHOLE, 0);
}

static int outer_both(MPI_Count n)
{
    MPI_Count half = n > 0 ? n >> 20 : n; /* the product goes round */
    return outer((summand_outer_matrix){.rows = half, .columns = half}, 0, SUMMAND_OUTER_WHOLE, 0);
}

static int outer_lead_a(MPI_Count n)
{
    return outer((summand_outer_matrix){.rows = 2, .columns = 2, .lead_a = n}, 2,
                 SUMMAND_OUTER_WHOLE, 0);
}

static int outer_lead_b(MPI_Count n)
{
    return outer((summand_outer_matrix){.rows = 2, .columns = 2, .lead_b = n}, 2,
                 SUMMAND_OUTER_WHOLE, 0);
}

static int outer_lead_g(MPI_Count n)
{
    return outer((summand_outer_matrix){.rows = 2, .columns = 2, .lead_g = n}, 2,
                 SUMMAND_OUTER_WHOLE, 0);
}

static int outer_room(MPI_Count n)
{
    return outer((summand_outer_matrix){.rows = 2, .columns = 2}, 2, SUMMAND_OUTER_FACTORS, n);
}

static int outer_room_lead_g(MPI_Count n)
{
    return outer((summand_outer_matrix){.rows = 2, .columns = 2, .lead_g = n}, 2,
                 SUMMAND_OUTER_FACTORS, 8);
}

static const struct {
    const char *name;
    int (*call)(MPI_Count n);
} calls[] = {{"allreduce", allreduce},
             {"reduce", reduce},
             {"scan", scan},
             {"bcast", bcast},
             {"reduce_scatter_block", reduce_scatter_block},
             {"reduce_scatter", reduce_scatter},
             {"allgather", allgather},
             {"allgatherv: recvcounts", allgatherv_count},
             {"allgatherv: displs", allgatherv_place},
             {"sum", sum},
             {"sum by the tree", sum_by_tree},
             {"dot", dot},
             {"complex sum", complex_sum},
             {"column_sums: lead", column_sums},
             {"column_sums: count", column_counts},
             {"sums: stride_x", stride},
             {"sums by the tree: stride_y", stride_of_tree},
             {"complex dot: stride_y", stride_of_complex},
             {"ordered_reduce", ordered},
             {"outer: rows", outer_rows},
             {"outer: columns", outer_columns},
             {"outer: rows and columns", outer_both},
             {"outer: lead_a", outer_lead_a},
             {"outer: lead_b", outer_lead_b},
             {"outer: lead_g", outer_lead_g},
             {"outer: room", outer_room},
             {"outer: room and lead_g", outer_room_lead_g}};

static void fill(void)
{
    for (int i = 0; i < GUARD + ROOM + GUARD; i++)
        memory[i] = 7;
}

static void expect_refused(const char *name, MPI_Count n, int code)
{
    int all, refused = code != MPI_SUCCESS, touched = 0;
    for (int i = 0; i < GUARD + ROOM + GUARD; i++)
        touched += memory[i] < 7 || memory[i] > 7;
    CHECK(refused && !touched, "%s, %lld: %s, %d elements written", name, (long long)n,
          refused ? summand_error_text(code) : "taken", touched);
    MPI_Allreduce(&refused, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all) /* what follows may hang */
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Types whose second element is out of reach. */
static void test_types(void)
{
    const MPI_Datatype types[] = {wide, backward};
    for (int t = 0; t < 2; t++) {
        fill();
        expect_refused("allreduce of far elements", 2,
                       summand_allreduce_c(x, y, 3, types[t], MPI_SUM, comm, NULL));
        expect_refused("bcast of far elements", 2, summand_bcast_c(y, 3, types[t], 0, comm, NULL));
        expect_refused("allgather of far elements", 2,
                       summand_allgather_c(x, 3, types[t], y, 3, MPI_DOUBLE, comm, NULL));
        expect_refused("allgather to far elements", 2,
                       summand_allgather_c(x, 3, MPI_DOUBLE, y, 3, types[t], comm, NULL));
    }
}

/* The error says the value. */
static void expect_named(const char *name, MPI_Count n, int code)
{
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)n);
    CHECK(strstr(summand_error_text(code), number), "%s: %s", name, summand_error_text(code));
    expect_refused(name, n, code);
}

/* A matrix of 4 x 4, and rectangles of it in memory that does not exist. */
static void test_matrix(MPI_Count n)
{
    const summand_matrix_shape shape = {.rows = 4,
                                        .columns = 4,
                                        .block_rows = 1,
                                        .block_columns = 1,
                                        .grid_rows = 1,
                                        .grid_columns = harness_ranks};
    summand_matrix *matrix, *other;
    int code = summand_matrix_create(&shape, MPI_DOUBLE, NULL, 0, comm, &matrix);
    CHECK(code == MPI_SUCCESS, "%s", summand_error_text(code));
    expect_named("get: lead", n, summand_matrix_get(matrix, 0, 0, 1, 2, y, n));
    expect_named("set: lead", n, summand_matrix_set(matrix, 0, 0, 1, 2, x, n));
    expect_named("get: row", n, summand_matrix_get(matrix, n, 0, 1, 2, y, 1));
    expect_named("get: rows", n, summand_matrix_get(matrix, 0, 0, n, 2, y, n));
    expect_named("get: columns", n, summand_matrix_get(matrix, 0, 0, 1, n, y, 1));
    code = summand_matrix_expose(matrix);
    if (code == MPI_SUCCESS) {
        expect_named("fetch: lead", n, summand_matrix_fetch(matrix, 0, 0, 1, 2, y, n));
        expect_named("store: lead", n, summand_matrix_store(matrix, 0, 0, 1, 2, x, n));
    }
    expect_named("create: lead", n, summand_matrix_create(&shape, MPI_DOUBLE, y, n, comm, &other));
    CHECK(!other, "a matrix without memory");
    summand_matrix_free(&matrix);
}

TESTS
{
    comm = harness_comm();
    MPI_Type_create_resized(MPI_DOUBLE, 0, (MPI_Aint)1 << 62, &wide);
    MPI_Type_create_resized(MPI_DOUBLE, 0, -((MPI_Aint)1 << 62), &backward);
    MPI_Type_commit(&wide);
    MPI_Type_commit(&backward);
    fill();
    for (size_t h = 0; h < sizeof hostile / sizeof *hostile; h++) {
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
            expect_refused(calls[c].name, hostile[h], calls[c].call(hostile[h]));
        test_matrix(hostile[h]);
    }
    test_types();
    MPI_Type_free(&wide);
    MPI_Type_free(&backward);
    MPI_Comm_free(&comm);
}

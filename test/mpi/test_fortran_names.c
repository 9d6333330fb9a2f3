/* np: 1 2 3 5; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Every call that takes doubles or floats takes Fortran's names of them: the bits are those of C's
 * name, also if some ranks use the one and some the other. */
#include <stdbool.h>
#include <summand.h>

#include "mpi/harness.h"

enum { N = 37, BYTES = 4096 };

static const struct name {
    const char *text;
    MPI_Datatype fortran, c;
    bool single, complex;
} names[] = {
    {"MPI_DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, MPI_DOUBLE, false, false},
    {"MPI_REAL8", MPI_REAL8, MPI_DOUBLE, false, false},
    {"MPI_REAL", MPI_REAL, MPI_FLOAT, true, false},
    {"MPI_REAL4", MPI_REAL4, MPI_FLOAT, true, false},
    {"MPI_DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, MPI_C_DOUBLE_COMPLEX, false, true},
    {"MPI_COMPLEX16", MPI_COMPLEX16, MPI_C_DOUBLE_COMPLEX, false, true},
    {"MPI_COMPLEX", MPI_COMPLEX, MPI_C_FLOAT_COMPLEX, true, true},
    {"MPI_COMPLEX8", MPI_COMPLEX8, MPI_C_FLOAT_COMPLEX, true, true},
};

/* N elements of every type: what rounds in another order differs. */
static union {
    double f64[2 * N];
    float f32[2 * N];
} input;

static void fill(const struct name *name)
{
    uint64_t seed = 1 + (uint64_t)harness_rank;
    for (int i = 0; i < 2 * N; i++) {
        const int scale = (int)(harness_random(&seed) % 20);
        const double x = (double)(1 + harness_random(&seed) % 1000) / 7 * (double)(1 << scale);
        if (name->single)
            input.f32[i] = (float)x;
        else
            input.f64[i] = x;
    }
}

typedef int call(MPI_Datatype datatype, void *out);

static int by_sum(MPI_Datatype datatype, void *out)
{
    return summand_sum(&input, out, N, datatype, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
}

static int by_tree_sum(MPI_Datatype datatype, void *out)
{
    const summand_options tree = {.promise = SUMMAND_PROMISE_INDEX};
    return summand_sum(&input, out, N, datatype, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, &tree);
}

static int by_norm(MPI_Datatype datatype, void *out)
{
    return summand_nrm2(&input, out, N, datatype, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
}

static int by_dot(MPI_Datatype datatype, void *out)
{
    return summand_dot(&input, &input, out, N, datatype, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
}

static int by_ordered(MPI_Datatype datatype, void *out)
{
    return summand_ordered_reduce(&input, out, N, SUMMAND_DISPLACEMENT_APPEND, datatype, MPI_SUM,
                                  SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
}

static int by_maximum(MPI_Datatype datatype, void *out)
{
    return summand_ordered_reduce(&input, out, N, SUMMAND_DISPLACEMENT_APPEND, datatype, MPI_MAX,
                                  SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
}

static int by_canonical(MPI_Datatype datatype, void *out)
{
    const summand_options canonical = {.promise = SUMMAND_PROMISE_CANONICAL};
    return summand_allreduce(&input, out, N, datatype, MPI_SUM, MPI_COMM_WORLD, &canonical);
}

static int by_exact(MPI_Datatype datatype, void *out)
{
    const summand_options exact = {.promise = SUMMAND_PROMISE_EXACT};
    return summand_allreduce(&input, out, N, datatype, MPI_SUM, MPI_COMM_WORLD, &exact);
}

static int by_columns(MPI_Datatype datatype, void *out)
{
    return summand_column_sums(&input, 3, N / 3, out, N / 3, datatype, SUMMAND_ROOT_ALL,
                               MPI_COMM_WORLD, NULL);
}

static int by_outer(MPI_Datatype datatype, void *out)
{
    const summand_outer_matrix matrix = {
        .rows = 4, .columns = 5, .a = &input, .b = &input, .g = out};
    return summand_outer(2, 1, 1, &matrix, 0, datatype, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
}

static int by_gossip(MPI_Datatype datatype, void *out)
{
    return summand_gossip_allreduce(&input, out, N, datatype, MPI_SUM, MPI_COMM_WORLD, NULL, NULL);
}

static int by_matrix(MPI_Datatype datatype, void *out)
{
    const summand_matrix_shape shape = {N, 1, 1, 1, harness_ranks, 1, NULL};
    summand_matrix *matrix;
    MPI_Count rows, columns;
    int code = summand_matrix_extent(&shape, harness_rank, &rows, &columns);
    if (code == MPI_SUCCESS)
        code = summand_matrix_create(&shape, datatype, &input, rows, MPI_COMM_WORLD, &matrix);
    if (code != MPI_SUCCESS)
        return code;
    code = summand_matrix_norm(matrix, SUMMAND_NORM_FROBENIUS, out);
    summand_matrix_free(&matrix);
    return code;
}

static const struct {
    const char *text;
    call *call;
    bool real; /* complex numbers are refused */
} calls[] = {
    {"summand_sum, exact", by_sum, false},
    {"summand_sum, tree", by_tree_sum, false},
    {"summand_nrm2", by_norm, false},
    {"summand_dot", by_dot, false},
    {"summand_ordered_reduce, sum", by_ordered, false},
    {"summand_ordered_reduce, maximum", by_maximum, true},
    {"summand_allreduce, canonical", by_canonical, false},
    {"summand_allreduce, exact", by_exact, false},
    {"summand_column_sums", by_columns, false},
    {"summand_outer", by_outer, true},
    {"summand_gossip_allreduce", by_gossip, true},
    {"summand_matrix_norm", by_matrix, true},
};

static void try(const struct name *name, size_t c)
{
    unsigned char of_c[BYTES] = {0}, of_fortran[BYTES] = {0}, mixed[BYTES] = {0};
    int code = calls[c].call(name->c, of_c);
    CHECK(code == MPI_SUCCESS && of_c[0] + of_c[3] + of_c[7], "%s: %d", calls[c].text, code);
    code = calls[c].call(name->fortran, of_fortran);
    CHECK(code == MPI_SUCCESS && !memcmp(of_fortran, of_c, BYTES), "%s of %s: %s", calls[c].text,
          name->text, summand_error_text(code));
    code = calls[c].call(harness_rank % 2 ? name->fortran : name->c, mixed);
    CHECK(code == MPI_SUCCESS && !memcmp(mixed, of_c, BYTES), "%s of %s on some ranks: %s",
          calls[c].text, name->text, summand_error_text(code));
}

/* 1e8 + (rank + 1) - 1e8: floats would round in any order but the exact one. */
static void test_value(const struct name *name)
{
    const double wanted = harness_ranks * (harness_ranks + 1) / 2.0;
    double f64[3] = {1e16, harness_rank + 1, -1e16}, sum = 0;
    float f32[3] = {1e8f, (float)(harness_rank + 1), -1e8f}, single = 0;
    int code = summand_sum(name->single ? (void *)f32 : f64, name->single ? (void *)&single : &sum,
                           3, name->fortran, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS && (name->single ? (double)single : sum) == wanted, "%s: %g %g",
          name->text, sum, (double)single);
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (size_t t = 0; t < sizeof names / sizeof *names; t++) {
        int size = 0;
        if (names[t].fortran != MPI_DATATYPE_NULL)
            MPI_Type_size(names[t].fortran, &size);
        if (size != (names[t].single ? 4 : 8) * (names[t].complex ? 2 : 1))
            continue; /* an MPI without Fortran, or a Fortran with other numbers */
        fill(&names[t]);
        if (!names[t].complex)
            test_value(&names[t]);
        for (size_t c = 0; c < sizeof calls / sizeof *calls; c++)
            if (!names[t].complex || !calls[c].real)
                try(&names[t], c);
    }
}

/* np: 1 2 3; together brief; also: checked/2 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls that the MPI accepts work here, calls that it refuses give the same error class, and its
 * faults do not show. The oracle is the MPI itself. */
#include <summand.h>

#include "mpi/harness.h"

enum { N = 3, LONG = 40000 };

struct named {
    const char *name;
    MPI_Datatype handle;
    int bytes; /* of integers, or 0: results are not compared */
    char real; /* of a float, a double, a long double or a quadruple; 0: of an integer */
};

#define TYPE(name, bytes)                                                                          \
    {                                                                                              \
#name, name, bytes, 0                                                                      \
    }
#define REAL(name, type, letter)                                                                   \
    {                                                                                              \
#name, name, sizeof(type), letter                                                          \
    }
#define OP(name)                                                                                   \
    {                                                                                              \
#name, name                                                                                \
    }

static int class_of(int code)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(code, &class);
    return class;
}

static MPI_Comm comm;

/* MPICH 4 ends the process on some of these, and does nothing on others of Fortran's, with success.
 * Open MPI refuses them all. */
static int refused(const struct named *type, MPI_Op op)
{
    int c =
        type->handle == MPI_DOUBLE || type->handle == MPI_FLOAT || type->handle == MPI_LONG_DOUBLE;
    return type->real && (op == MPI_LAND || op == MPI_LOR || (op == MPI_LXOR && !c));
}

/* Integers in each type that is not an integer type; for the other types only the first byte is
 * set. */
static void fill(const struct named *type, char *x)
{
    for (int i = 0; i < N; i++) {
        int number = (harness_rank + i) % 3;
        float f = (float)number;
        double d = number;
        long double l = number;
        char *to = x + i * type->bytes;
        if (type->real == 'f')
            memcpy(to, &f, sizeof f);
        else if (type->real == 'd')
            memcpy(to, &d, sizeof d);
        else if (type->real == 'l')
            memcpy(to, &l, 10);
        else if (type->bytes)
            *to = (char)number;
    }
}

/* An MPI may leave anything in the six bytes after a long double's ten. */
static void clear_padding(const struct named *type, char *x)
{
    for (int i = 0; type->real == 'l' && i < N; i++)
        memset(x + i * type->bytes + 10, 0, (size_t)type->bytes - 10);
}

static void compare(const struct named *type, const char *name, MPI_Op op)
{
    _Alignas(32) char x[32 * N] = {0}, want[32 * N] = {0}, got[32 * N] = {0};
    fill(type, x);
    int code = refused(type, op) ? MPI_ERR_OP : MPI_Allreduce(x, want, N, type->handle, op, comm);
    int ours = summand_allreduce(x, got, N, type->handle, op, comm, NULL);
    CHECK(class_of(ours) == class_of(code), "%s of %s: %d, not %d", name, type->name,
          class_of(ours), class_of(code));
    clear_padding(type, got);
    clear_padding(type, want);
    CHECK(code || !type->bytes || !memcmp(got, want, sizeof got), "%s of %s", name, type->name);
    ours = summand_ordered_reduce(x, got, N, SUMMAND_DISPLACEMENT_APPEND, type->handle, op,
                                  SUMMAND_ROOT_ALL, comm, NULL);
    CHECK(class_of(ours) == class_of(code), "ordered %s of %s: %d, not %d", name, type->name,
          class_of(ours), class_of(code));
}

static void test_operators(void)
{
    MPI_Datatype contiguous, real, integer, duplicate;
    MPI_Type_contiguous(1, MPI_DOUBLE, &contiguous);
    MPI_Type_commit(&contiguous);
    MPI_Type_dup(MPI_DOUBLE, &duplicate);
    MPI_Type_create_f90_real(12, 100, &real);
    MPI_Type_create_f90_integer(5, &integer);
    const struct named types[] = {REAL(MPI_DOUBLE, double, 'd'),
                                  REAL(MPI_FLOAT, float, 'f'),
                                  REAL(MPI_REAL4, float, 'f'),
                                  REAL(MPI_REAL8, double, 'd'),
                                  REAL(MPI_DOUBLE_PRECISION, double, 'd'),
                                  TYPE(MPI_INT, 4),
                                  TYPE(MPI_C_DOUBLE_COMPLEX, 0),
                                  REAL(MPI_LONG_DOUBLE, long double, 'l'),
                                  TYPE(MPI_C_BOOL, 0),
                                  TYPE(MPI_BYTE, 1),
                                  TYPE(MPI_DOUBLE_INT, 0),
                                  TYPE(MPI_CHAR, 1),
                                  TYPE(MPI_SIGNED_CHAR, 1),
                                  TYPE(MPI_WCHAR, 0),
                                  TYPE(MPI_PACKED, 0),
                                  TYPE(MPI_AINT, 8),
                                  TYPE(MPI_CXX_BOOL, 0),
                                  TYPE(MPI_INTEGER, 4),
                                  TYPE(MPI_INTEGER8, 8),
                                  REAL(MPI_REAL, float, 'f'),
                                  {"MPI_REAL16", MPI_REAL16, 0, 'q'},
                                  TYPE(MPI_COMPLEX32, 0),
                                  TYPE(MPI_LOGICAL, 4),
                                  TYPE(MPI_2INTEGER, 0),
                                  TYPE(MPI_CHARACTER, 1),
                                  TYPE(MPI_UNSIGNED_CHAR, 1),
                                  TYPE(MPI_COUNT, 8),
                                  TYPE(MPI_OFFSET, 8),
                                  TYPE(MPI_UINT64_T, 8),
                                  TYPE(MPI_C_FLOAT_COMPLEX, 0),
                                  TYPE(MPI_C_LONG_DOUBLE_COMPLEX, 0),
                                  TYPE(MPI_COMPLEX, 0),
                                  TYPE(MPI_DOUBLE_COMPLEX, 0),
                                  TYPE(MPI_COMPLEX8, 0),
                                  TYPE(MPI_COMPLEX16, 0),
                                  TYPE(MPI_CXX_FLOAT_COMPLEX, 0),
                                  TYPE(MPI_2INT, 0),
                                  TYPE(MPI_FLOAT_INT, 0),
                                  TYPE(MPI_LONG_DOUBLE_INT, 0),
                                  TYPE(MPI_2REAL, 0),
                                  TYPE(MPI_2DOUBLE_PRECISION, 0),
                                  TYPE(MPI_INTEGER1, 1),
                                  TYPE(MPI_INTEGER2, 2),
                                  TYPE(MPI_INTEGER4, 4),
                                  {"contiguous", contiguous, 0, 0},
                                  {"duplicate", duplicate, 0, 0},
                                  {"F90 real", real, 0, 'd'},
                                  {"F90 integer", integer, 0, 0}};
    const struct {
        const char *name;
        MPI_Op handle;
    } ops[] = {OP(MPI_SUM),    OP(MPI_PROD),   OP(MPI_MIN),     OP(MPI_MAX),  OP(MPI_LAND),
               OP(MPI_LOR),    OP(MPI_LXOR),   OP(MPI_BAND),    OP(MPI_BOR),  OP(MPI_BXOR),
               OP(MPI_MAXLOC), OP(MPI_MINLOC), OP(MPI_REPLACE), OP(MPI_NO_OP)};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            if (types[t].handle != MPI_DATATYPE_NULL && !harness_skips())
                compare(&types[t], ops[o].name, ops[o].handle);
    MPI_Type_free(&contiguous);
    MPI_Type_free(&duplicate);
}

static void keep(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    (void)in, (void)inout, (void)count, (void)datatype;
}

static void same_class(int ours, int code, const char *what)
{
    CHECK(class_of(ours) == class_of(code), "%s: %d, not %d", what, class_of(ours), class_of(code));
}

static void test_uncommitted(void)
{
    double x[8] = {0}, y[64];
    int ones[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
    MPI_Datatype type;
    MPI_Op op;
    summand_plan *plan = NULL;
    MPI_Type_contiguous(2, MPI_DOUBLE, &type);
    MPI_Op_create(keep, 1, &op);
    for (int n = 0; n < 2; n++) {
        same_class(summand_allreduce(x, y, n, type, op, comm, NULL),
                   MPI_Allreduce(x, y, n, type, op, comm), "allreduce");
        same_class(summand_reduce(x, y, n, type, op, 0, comm, NULL),
                   MPI_Reduce(x, y, n, type, op, 0, comm), "reduce");
        same_class(summand_reduce_scatter_block(x, y, n, type, op, comm, NULL),
                   MPI_Reduce_scatter_block(x, y, n, type, op, comm), "reduce_scatter_block");
        same_class(summand_bcast(x, n, type, 0, comm, NULL), MPI_Bcast(x, n, type, 0, comm),
                   "bcast");
    }
    same_class(summand_reduce_scatter(x, y, ones, type, op, comm, NULL),
               MPI_Reduce_scatter(x, y, ones, type, op, comm), "reduce_scatter");
    same_class(summand_allgather(x, 1, type, y, 2, MPI_DOUBLE, comm, NULL),
               MPI_Allgather(x, 1, type, y, 2, MPI_DOUBLE, comm), "sendtype of allgather");
    same_class(summand_allgatherv(x, 1, type, y, ones, places, type, comm, NULL), MPI_ERR_TYPE,
               "recvtype of allgatherv");
    same_class(summand_allgather(x, 2, MPI_DOUBLE, y, 1, type, comm, NULL), MPI_ERR_TYPE,
               "recvtype of allgather");
    same_class(summand_allreduce_init(x, y, 1, type, op, comm, NULL, &plan), MPI_ERR_TYPE, "plan");
    same_class(summand_bcast_init(x, 1, type, 0, comm, NULL, &plan), MPI_ERR_TYPE, "plan of bcast");
    same_class(
        summand_ordered_reduce(x, y, 1, SUMMAND_DISPLACEMENT_APPEND, type, op, 0, comm, NULL),
        MPI_ERR_TYPE, "ordered_reduce");
    MPI_Op_free(&op);
    MPI_Type_free(&type);
}

static void test_overlaps(void)
{
    double x[16] = {0}, *own = x + harness_rank;
    int ones[4] = {1, 1, 1, 1}, places[4] = {0, 1, 2, 3};
    MPI_Datatype type = MPI_DOUBLE;
    int codes[] = {summand_allreduce(x, x, 1, type, MPI_SUM, comm, NULL),
                   summand_reduce_scatter(x, x, ones, type, MPI_SUM, comm, NULL),
                   summand_reduce_scatter_block(x, x, 1, type, MPI_SUM, comm, NULL),
                   summand_allgather(own, 1, type, x, 1, type, comm, NULL),
                   summand_allgatherv(own, 1, type, x, ones, places, type, comm, NULL)};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        same_class(codes[i], MPI_ERR_BUFFER, "overlap");
    if (harness_mpich()) {
        same_class(MPI_Allreduce(x, x, 1, type, MPI_SUM, comm), codes[0], "MPI_Allreduce");
        same_class(MPI_Allgather(own, 1, type, x, 1, type, comm), codes[3], "MPI_Allgather");
        same_class(MPI_Allgatherv(own, 1, type, x, ones, places, type, comm), codes[4],
                   "MPI_Allgatherv");
    }
    int code = summand_reduce(x, x, 1, type, MPI_SUM, 0, comm, NULL);
    CHECK(harness_rank || class_of(code) == MPI_ERR_BUFFER, "reduce: %d", code);
    /* Not all that looks like it. */
    same_class(summand_allreduce(x, x, 0, type, MPI_SUM, comm, NULL), MPI_SUCCESS, "nothing");
    same_class(summand_allgather(MPI_IN_PLACE, 1, type, x, 1, type, comm, NULL), MPI_SUCCESS,
               "in place");
}

struct pair {
    double value;
    int index, gap;
};

/* Long messages of elements with gaps, which MPICH cannot send as packed bytes. */
static void test_long_pairs(void)
{
    static const int sizes[] = {1, 512, 700, 5000, LONG};
    static struct pair x[LONG + 1], all[3 * LONG];
    int counts[3], places[3];
    for (int s = 0; s < 5; s++) {
        int n = sizes[s] / (harness_ranks > 2 ? 3 : 1) + 1, root = s % harness_ranks;
        memset(all, 7, sizeof all);
        memset(x, 7, sizeof x);
        for (int i = 0; i < n; i++) {
            x[i].value = harness_rank + i;
            x[i].index = harness_rank - i;
        }
        for (int r = 0; r < harness_ranks; r++) {
            counts[r] = n;
            places[r] = r * n;
        }
        for (int v = 0; v < 2; v++) {
            int code =
                v ? summand_allgatherv(x, n, MPI_DOUBLE_INT, all, counts, places, MPI_DOUBLE_INT,
                                       comm, NULL)
                  : summand_allgather(x, n, MPI_DOUBLE_INT, all, n, MPI_DOUBLE_INT, comm, NULL);
            CHECK(code == MPI_SUCCESS, "allgather%s of %d: code %d", v ? "v" : "", n, code);
            int wrong = 0;
            for (int i = 0; i < n * harness_ranks; i++)
                wrong += all[i].value != i / n + i % n || all[i].index != i / n - i % n ||
                         all[i].gap != 0x07070707;
            CHECK(!wrong, "allgather%s of %d: %d wrong", v ? "v" : "", n, wrong);
        }
        int code = summand_bcast(x, n, MPI_DOUBLE_INT, root, comm, NULL);
        CHECK(code == MPI_SUCCESS, "bcast of %d: code %d", n, code);
        int wrong = 0;
        for (int i = 0; i < n; i++)
            wrong += x[i].value != root + i || x[i].index != root - i || x[i].gap != 0x07070707;
        CHECK(!wrong, "bcast of %d: %d wrong", n, wrong);
    }
}

TESTS
{
    comm = harness_comm();
    test_operators();
    test_uncommitted();
    test_overlaps();
    test_long_pairs();
    MPI_Comm_free(&comm);
}

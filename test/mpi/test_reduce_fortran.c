/* np: 1 2 5; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined operators on the datatypes of Fortran and C++, against the MPI's own operator on two
 * operands, applied in rank order to the known contributions of all ranks. Contributions are
 * integers, so any order gives the same. Combinations that the standard does not allow are left to
 * the MPI. */
#include <summand/reduce.h>

#include "mpi/harness.h"

enum { INTEGER = 1, FLOATING = 2, COMPLEX = 4, LOGICAL = 8, PAIR = 16, CLASSES = 5, TEXT = 0 };

/* As large as the MPI says. */
struct type {
    const char *name;
    MPI_Datatype handle;
    unsigned class;
    int reals; /* whether these are floating */
    int parts; /* of how many numbers it is */
};

struct operator
{
    const char *name;
    MPI_Op handle;
    unsigned classes;
};

static size_t size_of(const struct type *type)
{
    int size = 0;
    MPI_Aint lb = 0, extent = 0;
    if (type->handle == MPI_DATATYPE_NULL || MPI_Type_size(type->handle, &size) ||
        MPI_Type_get_extent(type->handle, &lb, &extent))
        return 0;
    return lb || extent != size ? 0 : (size_t)size;
}

/* A number of `bytes` bytes; floating ones, long doubles included, have C's representation. */
static void store(char *to, size_t bytes, int real, int value)
{
    float f = (float)value;
    double d = value;
    long double l = value;
    int64_t k = value; /* every tested machine is little endian */
    if (!real)
        memcpy(to, &k, bytes);
    else if (bytes == sizeof f)
        memcpy(to, &f, sizeof f);
    else if (bytes == sizeof d)
        memcpy(to, &d, sizeof d);
    else
        memcpy(to, &l, sizeof l);
}

/* Equal as numbers: zeros have either sign, and long doubles have padding bytes. */
static int same_number(const char *a, const char *b, size_t bytes, int real)
{
    float f, g;
    double d, e;
    long double l, m;
    if (!real)
        return !memcmp(a, b, bytes);
    if (bytes == sizeof f)
        return memcpy(&f, a, sizeof f), memcpy(&g, b, sizeof g), f == g;
    if (bytes == sizeof d)
        return memcpy(&d, a, sizeof d), memcpy(&e, b, sizeof e), d == e;
    return memcpy(&l, a, sizeof l), memcpy(&m, b, sizeof m), l == m;
}

/* Products of all ranks' factors fit 8 bits. There are few values, so the first numbers of pairs
 * are sometimes equal. */
static void contribute(const struct type *type, size_t size, int rank, size_t n, char *data)
{
    uint64_t seed = (uint64_t)rank * 1000 + n;
    size_t bytes = size / (size_t)type->parts;
    memset(data, 0, n * size);
    for (size_t i = 0; i < n * (size_t)type->parts; i++) {
        uint64_t bits = harness_random(&seed);
        int value = type->class == LOGICAL ? (int)(bits % 2)
                    : type->class == PAIR  ? (int)(bits % (i % 2 ? 50 : 3)) - 2
                    : bits % 2             ? (int)(bits / 2 % 2) + 1
                                           : -1;
        store(data + i * bytes, bytes, type->reals, value);
    }
}

static int same(const struct type *type, size_t size, const char *a, const char *b, size_t n)
{
    size_t bytes = size / (size_t)type->parts, wrong = 0;
    for (size_t i = 0; i < n * (size_t)type->parts; i++)
        wrong += !same_number(a + i * bytes, b + i * bytes, bytes, type->reals);
    return !wrong;
}

/* All contributions in rank order. Returns false if the MPI does not have the operator. */
static int fold(const struct type *type, const struct operator* op, size_t size, size_t n, char *in,
                char *all)
{
    contribute(type, size, harness_ranks - 1, n, all);
    for (int r = harness_ranks - 2; r >= 0; r--) {
        contribute(type, size, r, n, in);
        if (MPI_Reduce_local(in, all, (int)n, type->handle, op->handle) != MPI_SUCCESS)
            return 0;
    }
    return 1;
}

/* Whether the MPI has the operator, so that the result can be compared. */
static int check_allowed(const struct type *type, const struct operator* op, size_t size, size_t n)
{
    char *x = malloc(n * size), *got = malloc(n * size), *want = malloc(n * size);
    int root = (int)n % harness_ranks, known = fold(type, op, size, n, x, want);
    if (known) {
        contribute(type, size, harness_rank, n, x);
        memset(got, 0x5a, n * size);
        int code =
            summand_allreduce(x, got, (int)n, type->handle, op->handle, MPI_COMM_WORLD, NULL);
        CHECK(code == MPI_SUCCESS && same(type, size, got, want, n), "allreduce %s %s %zu: code %d",
              op->name, type->name, n, code);
        code =
            summand_reduce(harness_rank == root ? MPI_IN_PLACE : x, harness_rank == root ? x : got,
                           (int)n, type->handle, op->handle, root, MPI_COMM_WORLD, NULL);
        CHECK(code == MPI_SUCCESS, "reduce %s %s %zu: code %d", op->name, type->name, n, code);
        CHECK(harness_rank != root || same(type, size, x, want, n), "reduce %s %s %zu", op->name,
              type->name, n);
    }
    free(x);
    free(got);
    free(want);
    return known;
}

/* Allowed as by the MPI, which takes some (test_as_mpi.c); some make it abort. */
static void check_others(const struct type *type, const struct operator* op)
{
    char x[64] = {0}, y[64] = {0};
    int aborts = type->class == FLOATING &&
                 (op->handle == MPI_LAND || op->handle == MPI_LOR || op->handle == MPI_LXOR);
    int want = MPI_ERR_OP;
    if (!aborts)
        MPI_Error_class(MPI_Reduce_local(x, y, 1, type->handle, op->handle), &want);
    int code = summand_allreduce(x, y, 1, type->handle, op->handle, MPI_COMM_WORLD, NULL);
    CHECK(code == want, "%s %s: code %d", op->name, type->name, code);
    code = summand_reduce(x, y, 0, type->handle, op->handle, 0, MPI_COMM_WORLD, NULL);
    CHECK(code == want, "%s %s: code %d", op->name, type->name, code);
}

static const struct operator operators[] = {
    {"sum", MPI_SUM, INTEGER | FLOATING | COMPLEX},
    {"prod", MPI_PROD, INTEGER | FLOATING | COMPLEX},
    {"min", MPI_MIN, INTEGER | FLOATING},
    {"max", MPI_MAX, INTEGER | FLOATING},
    {"land", MPI_LAND, LOGICAL},
    {"lor", MPI_LOR, LOGICAL},
    {"lxor", MPI_LXOR, LOGICAL},
    {"band", MPI_BAND, INTEGER},
    {"bor", MPI_BOR, INTEGER},
    {"bxor", MPI_BXOR, INTEGER},
    {"minloc", MPI_MINLOC, PAIR},
    {"maxloc", MPI_MAXLOC, PAIR},
    {"replace", MPI_REPLACE, 0},
    {"no_op", MPI_NO_OP, 0},
};

enum { OPERATORS = sizeof operators / sizeof *operators };

static void check_type(const struct type *type, size_t size, int *compared)
{
    static const size_t sizes[] = {1, 5, 3000};
    for (int o = 0; o < OPERATORS; o++) {
        if (!(type->class & operators[o].classes)) {
            check_others(type, &operators[o]);
            continue;
        }
        int known = 0;
        for (int i = 0; i < 3; i++)
            known += check_allowed(type, &operators[o], size, sizes[i]);
        for (int class = 0; known && class < CLASSES; class ++)
            compared[class] += type->class == 1u << class;
    }
}

TESTS
{
    const struct type types[] = {
        {"MPI_INTEGER", MPI_INTEGER, INTEGER, 0, 1},
        {"MPI_INTEGER1", MPI_INTEGER1, INTEGER, 0, 1},
        {"MPI_INTEGER2", MPI_INTEGER2, INTEGER, 0, 1},
        {"MPI_INTEGER4", MPI_INTEGER4, INTEGER, 0, 1},
        {"MPI_INTEGER8", MPI_INTEGER8, INTEGER, 0, 1},
        {"MPI_REAL", MPI_REAL, FLOATING, 1, 1},
        {"MPI_REAL4", MPI_REAL4, FLOATING, 1, 1},
        {"MPI_REAL8", MPI_REAL8, FLOATING, 1, 1},
        {"MPI_DOUBLE_PRECISION", MPI_DOUBLE_PRECISION, FLOATING, 1, 1},
        {"MPI_COMPLEX", MPI_COMPLEX, COMPLEX, 1, 2},
        {"MPI_COMPLEX8", MPI_COMPLEX8, COMPLEX, 1, 2},
        {"MPI_COMPLEX16", MPI_COMPLEX16, COMPLEX, 1, 2},
        {"MPI_DOUBLE_COMPLEX", MPI_DOUBLE_COMPLEX, COMPLEX, 1, 2},
        {"MPI_CXX_FLOAT_COMPLEX", MPI_CXX_FLOAT_COMPLEX, COMPLEX, 1, 2},
        {"MPI_CXX_DOUBLE_COMPLEX", MPI_CXX_DOUBLE_COMPLEX, COMPLEX, 1, 2},
        {"MPI_CXX_LONG_DOUBLE_COMPLEX", MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, 1, 2},
        {"MPI_LOGICAL", MPI_LOGICAL, LOGICAL, 0, 1},
        {"MPI_CXX_BOOL", MPI_CXX_BOOL, LOGICAL, 0, 1},
        {"MPI_2INTEGER", MPI_2INTEGER, PAIR, 0, 2},
        {"MPI_2REAL", MPI_2REAL, PAIR, 1, 2},
        {"MPI_2DOUBLE_PRECISION", MPI_2DOUBLE_PRECISION, PAIR, 1, 2},
        {"MPI_CHARACTER", MPI_CHARACTER, TEXT, 0, 1},
    };
    int compared[CLASSES] = {0}, missing = 0;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        size_t size = size_of(&types[t]);
        missing += size == 0;
        if (size)
            check_type(&types[t], size, compared);
    }
    /* An MPI may lack some, but no complete class. */
    for (int class = 0; class < CLASSES; class ++)
        CHECK(compared[class] > 1,
              "class %d: %d operators and datatypes compared, %d datatypes missing", class,
              compared[class], missing);
}

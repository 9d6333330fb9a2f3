/* np: 1 2 3 5 8; also: stream/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Predefined operators on the datatypes that MPI allows for them, against the MPI itself; other
 * datatypes are refused. Also long vectors, promises about bits, and other forms of the same call.
 * */
#include <fenv.h>

#include <summand/ordered.h>
#include <summand/reduce.h>

#include "mpi/pairs.h"
#include "mpi/used.h"

enum { INTEGER = 1, FLOATING = 2, COMPLEX = 4, LOGICAL = 8, BYTE = 16, PAIR = 32 };

struct type {
    const char *name;
    MPI_Datatype handle;
    unsigned class;
    size_t value; /* bytes of a number in it, and how many numbers */
    int numbers;
};

struct operator
{
    const char *name;
    MPI_Op handle;
    unsigned classes;
};

static long double small_number(uint64_t bits)
{
    return (long double)(bits % 3 + 1);
}

/* Small integers: exact in any order, products too. Padding of pairs is zero. */
static void fill(const struct type *type, size_t extent, char *data, size_t n, uint64_t seed)
{
    memset(data, 0, n * extent);
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < type->numbers; k++) {
            long double x = small_number(harness_random(&seed));
            char *to = data + i * extent + (size_t)k * type->value;
            float f = (float)x;
            double d = (double)x;
            uint64_t u = (uint64_t)x;
            if (type->class == PAIR) {
                memset(to, 0, extent);
                continue;
            }
            if (!(type->class & (FLOATING | COMPLEX)))
                memcpy(to, &u, type->value);
            else if (type->value == sizeof f)
                memcpy(to, &f, sizeof f);
            else if (type->value == sizeof d)
                memcpy(to, &d, sizeof d);
            else
                memcpy(to, &x, sizeof x);
        }
}

struct double_int {
    double value;
    int index;
};
struct float_int {
    float value;
    int index;
};
struct long_int {
    long value;
    int index;
};
struct short_int {
    short value;
    int index;
};
struct long_double_int {
    long double value;
    int index;
};

#define FILL_PAIR(name)                                                                            \
    for (size_t i = 0; i < n; i++) {                                                               \
        ((struct name *)(void *)data)[i].value = (short)(harness_random(&seed) % 4);               \
        ((struct name *)(void *)data)[i].index = (int)(harness_random(&seed) % 100);               \
    }

static void fill_pairs(MPI_Datatype type, char *data, size_t n, uint64_t seed)
{
    if (type == MPI_DOUBLE_INT)
        FILL_PAIR(double_int)
    else if (type == MPI_FLOAT_INT)
        FILL_PAIR(float_int)
    else if (type == MPI_LONG_INT)
        FILL_PAIR(long_int)
    else if (type == MPI_SHORT_INT)
        FILL_PAIR(short_int)
    else if (type == MPI_LONG_DOUBLE_INT)
        FILL_PAIR(long_double_int)
    else if (type == MPI_2INT)
        for (size_t i = 0; i < 2 * n; i++)
            ((int *)(void *)data)[i] = (int)(harness_random(&seed) % 4);
}

static int same_data(MPI_Datatype type, const char *a, const char *b, size_t n)
{
    int bytes, at = 0, too = 0;
    MPI_Pack_size((int)n, type, MPI_COMM_SELF, &bytes);
    char *x = calloc(1, (size_t)bytes + 1), *y = calloc(1, (size_t)bytes + 1);
    MPI_Pack(a, (int)n, type, x, bytes, &at, MPI_COMM_SELF);
    MPI_Pack(b, (int)n, type, y, bytes, &too, MPI_COMM_SELF);
    int same = at == too && !memcmp(x, y, (size_t)at);
    free(x);
    free(y);
    return same;
}

static int same_value(const struct type *type, const char *a, const char *b)
{
    if (type->value == sizeof(float))
        return *(const float *)(const void *)a == *(const float *)(const void *)b;
    if (type->value == sizeof(double))
        return *(const double *)(const void *)a == *(const double *)(const void *)b;
    return *(const long double *)(const void *)a == *(const long double *)(const void *)b;
}

/* Compares numbers as values: zeros of complex products have either sign, by the order of the
 * operands, and long doubles have padding bytes. */
static int same_numbers(const struct type *type, const char *a, const char *b, size_t n)
{
    int same = 1;
    if (type->handle == MPI_LONG_DOUBLE_INT) {
        const struct long_double_int *u = (const void *)a, *v = (const void *)b;
        for (size_t i = 0; i < n; i++)
            same = same && u[i].value == v[i].value && u[i].index == v[i].index;
        return same;
    }
    if (!(type->class & (FLOATING | COMPLEX)))
        return same_data(type->handle, a, b, n);
    for (size_t i = 0; i < n * (size_t)type->numbers; i++)
        same = same && same_value(type, a + i * type->value, b + i * type->value);
    return same;
}

static void check_allowed(const struct type *type, const struct operator* op, size_t n)
{
    MPI_Aint lb, extent;
    int root = (int)n % harness_ranks;
    MPI_Type_get_extent(type->handle, &lb, &extent);
    size_t bytes = (n + 1) * (size_t)extent;
    char *x = calloc(1, bytes), *got = calloc(1, bytes), *want = calloc(1, bytes);
    fill(type, (size_t)extent, x, n, (uint64_t)harness_rank * 77 + n);
    fill_pairs(type->handle, x, n, (uint64_t)harness_rank * 78 + n);
    MPI_Allreduce(x, want, (int)n, type->handle, op->handle, MPI_COMM_WORLD);
    int code = summand_allreduce(x, got, (int)n, type->handle, op->handle, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS, "%s %s: code %d", op->name, type->name, code);
    CHECK(same_numbers(type, got, want, n), "allreduce %s %s %zu", op->name, type->name, n);
    memset(got, 0, bytes);
    code = summand_reduce(x, got, (int)n, type->handle, op->handle, root, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS, "%s %s: code %d", op->name, type->name, code);
    CHECK(harness_rank != root || same_numbers(type, got, want, n), "reduce %s %s %zu", op->name,
          type->name, n);
    free(x);
    free(got);
    free(want);
}

static void test_predefined(void)
{
    static const size_t sizes[] = {1, 5, 3000};
    const struct type types[] = {
        {"signed char", MPI_SIGNED_CHAR, INTEGER, 1, 1},
        {"unsigned char", MPI_UNSIGNED_CHAR, INTEGER, 1, 1},
        {"short", MPI_SHORT, INTEGER, 2, 1},
        {"unsigned short", MPI_UNSIGNED_SHORT, INTEGER, 2, 1},
        {"int", MPI_INT, INTEGER, 4, 1},
        {"unsigned", MPI_UNSIGNED, INTEGER, 4, 1},
        {"long", MPI_LONG, INTEGER, 8, 1},
        {"unsigned long", MPI_UNSIGNED_LONG, INTEGER, 8, 1},
        {"long long", MPI_LONG_LONG, INTEGER, 8, 1},
        {"unsigned long long", MPI_UNSIGNED_LONG_LONG, INTEGER, 8, 1},
        {"int8_t", MPI_INT8_T, INTEGER, 1, 1},
        {"int16_t", MPI_INT16_T, INTEGER, 2, 1},
        {"int32_t", MPI_INT32_T, INTEGER, 4, 1},
        {"int64_t", MPI_INT64_T, INTEGER, 8, 1},
        {"uint8_t", MPI_UINT8_T, INTEGER, 1, 1},
        {"uint16_t", MPI_UINT16_T, INTEGER, 2, 1},
        {"uint32_t", MPI_UINT32_T, INTEGER, 4, 1},
        {"uint64_t", MPI_UINT64_T, INTEGER, 8, 1},
        {"MPI_Aint", MPI_AINT, INTEGER, 8, 1},
        {"MPI_Offset", MPI_OFFSET, INTEGER, 8, 1},
        {"MPI_Count", MPI_COUNT, INTEGER, 8, 1},
        {"float", MPI_FLOAT, FLOATING, 4, 1},
        {"double", MPI_DOUBLE, FLOATING, 8, 1},
        {"long double", MPI_LONG_DOUBLE, FLOATING, sizeof(long double), 1},
        {"float complex", MPI_C_FLOAT_COMPLEX, COMPLEX, 4, 2},
        {"double complex", MPI_C_DOUBLE_COMPLEX, COMPLEX, 8, 2},
        {"long double complex", MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, sizeof(long double), 2},
        {"_Bool", MPI_C_BOOL, LOGICAL, 1, 0},
        {"byte", MPI_BYTE, BYTE, 1, 1},
        {"double, int", MPI_DOUBLE_INT, PAIR, 8, 0},
        {"float, int", MPI_FLOAT_INT, PAIR, 4, 0},
        {"long, int", MPI_LONG_INT, PAIR, 8, 0},
        {"int, int", MPI_2INT, PAIR, 4, 0},
        {"short, int", MPI_SHORT_INT, PAIR, 2, 0},
        {"long double, int", MPI_LONG_DOUBLE_INT, PAIR, sizeof(long double), 0},
    };
    const struct operator ops[] = {
        {"sum", MPI_SUM, INTEGER | FLOATING | COMPLEX},
        {"prod", MPI_PROD, INTEGER | FLOATING | COMPLEX},
        {"min", MPI_MIN, INTEGER | FLOATING},
        {"max", MPI_MAX, INTEGER | FLOATING},
        {"land", MPI_LAND, INTEGER | LOGICAL},
        {"lor", MPI_LOR, INTEGER | LOGICAL},
        {"lxor", MPI_LXOR, INTEGER | LOGICAL},
        {"band", MPI_BAND, INTEGER | BYTE},
        {"bor", MPI_BOR, INTEGER | BYTE},
        {"bxor", MPI_BXOR, INTEGER | BYTE},
        {"minloc", MPI_MINLOC, PAIR},
        {"maxloc", MPI_MAXLOC, PAIR},
    };
    int x[4] = {0}, y[4];
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t o = 0; o < sizeof ops / sizeof *ops; o++)
            for (int i = 0; i < 3; i++) {
                if (types[t].class & ops[o].classes) {
                    if (!harness_skips())
                        check_allowed(&types[t], &ops[o], sizes[i]);
                    continue;
                }
                /* Open MPI accepts arithmetic on bytes, MPICH accepts MPI_LXOR on floats:
                 * test_as_mpi.c. */
                if (types[t].class == BYTE ||
                    (types[t].class == FLOATING && ops[o].handle == MPI_LXOR))
                    continue;
                int code = summand_allreduce(x, y, 0, types[t].handle, ops[o].handle,
                                             MPI_COMM_WORLD, NULL);
                CHECK(code == MPI_ERR_OP, "%s %s: code %d", ops[o].name, types[t].name, code);
            }
}

/* Doubles of many sizes: all algorithms that promise canonical bits give the same ones, for any
 * root, count and segment. The first 7 sums are also those of a call with 7 elements. */
static void test_canonical(void)
{
    enum { N = 3000 };
    static double x[N], first[N], sum[N];
    static const char *const names[] = {NULL, "binomial", "rabenseifner", NULL};
    uint64_t seed = (uint64_t)harness_rank;
    for (int i = 0; i < N; i++)
        x[i] = (double)(int64_t)harness_random(&seed) * (i % 2 ? 0x1p-40 : 1);
    summand_options options = {.algorithm = "recursive-doubling",
                               .promise = SUMMAND_PROMISE_CANONICAL};
    summand_allreduce(x, first, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
    for (int i = 0; i < 4; i++) {
        int n = i % 2 ? N : 7;
        options = (summand_options){
            .algorithm = names[i], .segment = 5 * i, .promise = SUMMAND_PROMISE_CANONICAL};
        options = only_used(options);
        summand_allreduce(x, sum, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &options);
        CHECK(!memcmp(sum, first, (size_t)n * sizeof *x), "allreduce %d", i);
        memset(sum, 0, sizeof sum);
        int root = i % harness_ranks;
        summand_reduce(x, sum, n, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD, &options);
        CHECK(root != harness_rank || !memcmp(sum, first, (size_t)n * sizeof *x), "reduce %d", i);
    }
}

/* Chain to rank 0 in rank order: the bits of a fold that starts at the last rank. */
static void test_rank_order_bits(void)
{
    enum { N = 40 };
    double x[16][N] = {{0}}, want[N], sum[N]; /* gcc 14 sees no rank */
    summand_options options = {.algorithm = "chain", .promise = SUMMAND_PROMISE_RANK_ORDER};
    for (int r = 0; r < harness_ranks; r++)
        for (int i = 0; i < N; i++) {
            uint64_t seed = (uint64_t)(r * 1000 + i);
            x[r][i] = (double)(int64_t)harness_random(&seed);
        }
    memcpy(want, x[harness_ranks - 1], sizeof want);
    for (int r = harness_ranks - 2; r >= 0; r--)
        for (int i = 0; i < N; i++)
            want[i] = x[r][i] + want[i];
    summand_reduce(x[harness_rank], sum, N, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &options);
    CHECK(harness_rank || !memcmp(sum, want, sizeof sum), "chain");
}

/* Each rank in turn has the special value; no position in the tree shows. */
static void test_special_values(void)
{
    enum { N = 70 };
    const uint64_t nan = UINT64_C(0x7ff8000000000000), payload = UINT64_C(0xfff4000000000123);
    double x[N], least[N], most[N];
    int8_t bytes[N], sums[N];
    for (int holder = 0; holder < harness_ranks; holder++) {
        for (int i = 0; i < N; i++)
            x[i] = i % 2 ? harness_rank == holder ? -0.0 : 0.0 : 1.0;
        if (harness_rank == holder)
            memcpy(&x[0], &payload, sizeof payload);
        summand_allreduce(x, least, N, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, NULL);
        summand_allreduce(x, most, N, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, NULL);
        CHECK(harness_ranks < 2 || (harness_bits(least[0]) == nan && harness_bits(most[0]) == nan),
              "NaN of %d", holder);
        for (int i = 1; i < N; i += 2) {
            CHECK(harness_ranks < 2 || harness_bits(least[i]) == harness_bits(-0.0), "least zero");
            CHECK(harness_ranks < 2 || harness_bits(most[i]) == 0, "greatest zero");
        }
    }
    memset(bytes, 100, sizeof bytes);
    summand_allreduce(bytes, sums, N, MPI_INT8_T, MPI_SUM, MPI_COMM_WORLD, NULL);
    for (int i = 0; i < N; i++)
        CHECK((uint8_t)sums[i] == (uint8_t)(100 * harness_ranks), "%d is not a wrapped sum",
              sums[i]);
}

/* Directed rounding, different on different ranks; on x86 also less precision of long doubles, and
 * traps. */
static void change_environment(void)
{
    fesetround(harness_rank % 2 ? FE_DOWNWARD : FE_UPWARD);
#ifdef __x86_64__
    unsigned short control;
    __asm__ volatile("fnstcw %0" : "=m"(control));
    control = (unsigned short)((control & ~0x300) | (harness_rank % 3 ? 0x200 : 0));
    __asm__ volatile("fldcw %0" : : "m"(control));
#endif
    feclearexcept(FE_ALL_EXCEPT); /* flags that are still set would trap at once */
    feenableexcept(FE_INEXACT | FE_OVERFLOW);
}

/* If some ranks round upwards, that changes no bit, of vectors and of ordered sums. */
static void test_rounding(MPI_Datatype type, MPI_Op op, size_t value, const char *name)
{
    enum { N = 100 };
    _Alignas(16) char x[N * 32], want[N * 32], got[N * 32], one[32], other[32];
    uint64_t random = (uint64_t)harness_rank + 5;
    MPI_Aint lb, extent;
    fenv_t before;
    MPI_Type_get_extent(type, &lb, &extent);
    memset(x, 0, sizeof x);
    for (size_t i = 0; i < N * (size_t)extent / value; i++) {
        long double number = 1 + (long double)harness_random(&random) * 0x1p-66L;
        if (value == sizeof(double))
            ((double *)(void *)x)[i] = (double)number;
        else if (value == sizeof(float))
            ((float *)(void *)x)[i] = (float)number;
        else
            memcpy(x + i * value, &number, 10); /* the other bytes mean nothing */
    }
    for (int i = 0; i < 2; i++) {
        fegetenv(&before);
        if (i)
            change_environment();
        int round = fegetround(), traps = fegetexcept();
        summand_allreduce(x, i ? got : want, N, type, op, MPI_COMM_WORLD, NULL);
        summand_ordered_reduce(x, i ? other : one, N, SUMMAND_DISPLACEMENT_APPEND, type, op,
                               SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
        int kept = fegetround() == round && fegetexcept() == traps;
        fesetenv(&before);
        CHECK(kept, "%s: the environment is the caller's", name);
    }
    int same = 1;
    for (size_t i = 0; i <= N; i++) /* elements, and the ordered sum */
        for (size_t k = 0; k < (size_t)extent / value; k++)
            same = same && !memcmp((i < N ? got + i * (size_t)extent : other) + k * value,
                                   (i < N ? want + i * (size_t)extent : one) + k * value,
                                   value < 10 ? value : 10);
    CHECK(same, "%s: rounding shows", name);
}

static void test_roundings(void)
{
    static const size_t extended = sizeof(long double);
    for (int i = 0; i < 2; i++) {
        MPI_Op op = i ? MPI_PROD : MPI_SUM;
        test_rounding(MPI_FLOAT, op, sizeof(float), "float");
        test_rounding(MPI_DOUBLE, op, sizeof(double), "double");
        test_rounding(MPI_LONG_DOUBLE, op, extended, "long double");
        test_rounding(MPI_C_FLOAT_COMPLEX, op, sizeof(float), "float complex");
        test_rounding(MPI_C_DOUBLE_COMPLEX, op, sizeof(double), "double complex");
        test_rounding(MPI_C_LONG_DOUBLE_COMPLEX, op, extended, "long double complex");
    }
}

/* Nor does the choice change: some of these calls have two choices with equal estimates, except for
 * rounding. Plans report ranks that choose differently. */
static void test_rounding_of_choices(void)
{
    enum { N = 1 << 18 };
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD};
    static double x[N], y[N];
    summand_plan *plan;
    for (int n = 1; n <= N; n *= 2)
        for (int which = 0; which < 3; which++) {
            fesetround(modes[harness_rank % 3]);
            int code = which == 0 ? summand_reduce_init(x, y, n, MPI_DOUBLE, MPI_SUM, 0,
                                                        MPI_COMM_WORLD, NULL, &plan)
                       : which == 1
                           ? summand_allreduce_init(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD,
                                                    NULL, &plan)
                           : summand_bcast_init(x, n, MPI_DOUBLE, 0, MPI_COMM_WORLD, NULL, &plan);
            fesetround(FE_TONEAREST);
            CHECK(code == MPI_SUCCESS, "collective %d of %d: code %d", which, n, code);
            summand_plan_free(&plan);
        }
}

/* The same bytes as different datatypes and counts on different ranks. */
static void test_signatures(void)
{
    enum { N = 30 };
    uint32_t data[N + 16 * 6], mine[6] = {1, 2, 3, 4, 5, 6};
    MPI_Datatype pair;
    MPI_Type_contiguous(2, MPI_UINT32_T, &pair);
    MPI_Type_commit(&pair);
    int odd = harness_rank % 2;
    for (uint32_t i = 0; i < N; i++)
        data[i] = harness_rank ? 0 : i * i;
    summand_bcast(data, odd ? N / 2 : N, odd ? pair : MPI_UINT32_T, 0, MPI_COMM_WORLD, NULL);
    for (uint32_t i = 0; i < N; i++)
        CHECK(data[i] == i * i, "bcast %u", i);
    mine[5] = (uint32_t)harness_rank;
    summand_allgather(mine, odd ? 3 : 6, odd ? pair : MPI_UINT32_T, data, odd ? 6 : 3,
                      odd ? MPI_UINT32_T : pair, MPI_COMM_WORLD, NULL);
    for (int r = 0; r < harness_ranks; r++)
        CHECK(data[6 * r] == 1 && data[6 * r + 5] == (uint32_t)r, "allgather %d", r);
    MPI_Type_free(&pair);
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    test_predefined();
    test_canonical();
    test_rank_order_bits();
    test_special_values();
    test_roundings();
    test_rounding_of_choices();
    test_signatures();
}

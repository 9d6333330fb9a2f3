/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/bench/bench_elements.h"

#include <stdio.h>
#include <string.h>

#include <summand/datatype.h>

#include "kernel/half.h"
#include "op/predefined.h"

/* Each numeric type once: name, C type, MPI's handle, and whether it is an integer of 4 or 8
 * bytes. */
#define NUMBERS(X)                                                                                 \
    X(int32, int32_t, MPI_INT32_T, true)                                                           \
    X(double, double, MPI_DOUBLE, false)                                                           \
    X(float, float, MPI_FLOAT, false)                                                              \
    X(int64, int64_t, MPI_INT64_T, true)                                                           \
    X(uint32, uint32_t, MPI_UINT32_T, true)                                                        \
    X(uint64, uint64_t, MPI_UINT64_T, true)                                                        \
    X(int8, int8_t, MPI_INT8_T, false)                                                             \
    X(uint8, uint8_t, MPI_UINT8_T, false)                                                          \
    X(int16, int16_t, MPI_INT16_T, false)                                                          \
    X(uint16, uint16_t, MPI_UINT16_T, false)                                                       \
    X(long_double, long double, MPI_LONG_DOUBLE, false)

#define NUMBER(name, type, handle, whole)                                                          \
    static MPI_Datatype name##_datatype(void)                                                      \
    {                                                                                              \
        return handle;                                                                             \
    }                                                                                              \
    static void name##_put(void *place, int64_t value)                                             \
    {                                                                                              \
        *(type *)place = (type)value;                                                              \
    }                                                                                              \
    static int64_t name##_get(const void *place)                                                   \
    {                                                                                              \
        return (int64_t) * (const type *)place;                                                    \
    }
NUMBERS(NUMBER)

/* Numbers of 16 bits. */
#define HALVES(X)                                                                                  \
    X(float16, f16)                                                                                \
    X(bfloat16, bf16)

#define HALF(name, kind)                                                                           \
    static MPI_Datatype name##_datatype(void)                                                      \
    {                                                                                              \
        MPI_Datatype handle;                                                                       \
        summand_##name##_datatype(&handle);                                                        \
        return handle;                                                                             \
    }                                                                                              \
    static void name##_put(void *place, int64_t value)                                             \
    {                                                                                              \
        *(uint16_t *)place = half_to_##kind((float)value);                                         \
    }                                                                                              \
    static int64_t name##_get(const void *place)                                                   \
    {                                                                                              \
        return (int64_t)half_from_##kind(*(const uint16_t *)place);                                \
    }
HALVES(HALF)

/* Pairs of MPI_MINLOC and MPI_MAXLOC. */
#define PAIRS(X)                                                                                   \
    X(2int, int, MPI_2INT, two_ints)                                                               \
    X(float_int, float, MPI_FLOAT_INT, float_int)                                                  \
    X(double_int, double, MPI_DOUBLE_INT, double_int)

#define PAIR(text, type, handle, name)                                                             \
    struct name {                                                                                  \
        type value;                                                                                \
        int index;                                                                                 \
    };                                                                                             \
    static MPI_Datatype name##_datatype(void)                                                      \
    {                                                                                              \
        return handle;                                                                             \
    }                                                                                              \
    static void name##_put(void *place, int64_t value)                                             \
    {                                                                                              \
        *(struct name *)place = (struct name){(type)(value & 0xffffffff), (int)(value >> 32)};     \
    }                                                                                              \
    static int64_t name##_get(const void *place)                                                   \
    {                                                                                              \
        const struct name *pair = place;                                                           \
        return (int64_t)pair->index * ((int64_t)1 << 32) + (int64_t)pair->value;                   \
    }
PAIRS(PAIR)

const struct element_type element_types[] = {
#define ROW(name, type, handle, whole)                                                             \
    {#name, sizeof(type), name##_datatype, name##_put, name##_get, false, whole},
    NUMBERS(ROW)
#undef ROW
#define ROW(name, kind)                                                                            \
    {#name, sizeof(uint16_t), name##_datatype, name##_put, name##_get, false, false},
        HALVES(ROW)
#undef ROW
#define ROW(text, type, handle, name)                                                              \
    {#text, sizeof(struct name), name##_datatype, name##_put, name##_get, true, false},
            PAIRS(ROW)
#undef ROW
                {0}};

/* Contributions depend on rank and element, so a rank left out, taken twice or out of place changes
 * some element. */
static int64_t small_number(int rank, int ranks, uint64_t i)
{
    enum { ADDED = 50 }; /* bfloat16 holds their sum, at most 256 */
    const int one_of = (ranks - 1) / ADDED + 1;
    if (((uint64_t)rank + i) % (uint64_t)one_of)
        return 0;
    return (int64_t)(((uint64_t)rank * 7 + i * 3 + (i >> 10)) % 5 + 1);
}

/* The factors of two ranks are not 1: products are 6, or 2 on one rank. */
static int64_t factor(int rank, int ranks, uint64_t i)
{
    int at = (int)(i % (uint64_t)ranks);
    return rank == at ? 2 : rank == (at + 1) % ranks ? 3 : 1;
}

static int64_t truth(int rank, int ranks, uint64_t i)
{
    return (int64_t)((i + (uint64_t)rank) % (uint64_t)(ranks + 2) != 0);
}

static int64_t bits(int rank, int ranks, uint64_t i)
{
    (void)ranks;
    return (int64_t)(((uint64_t)rank * 37 + i * 11) & 0x7f);
}

/* The value, with the rank as its index in the upper half. */
static int64_t with_index(int rank, int ranks, uint64_t i)
{
    return small_number(rank, ranks, i) + (int64_t)rank * ((int64_t)1 << 32);
}

#define COMBINE(name, expression)                                                                  \
    static int64_t name(int64_t a, int64_t b, const struct element_type *type)                     \
    {                                                                                              \
        (void)type;                                                                                \
        return expression;                                                                         \
    }
COMBINE(add, a + b)
COMBINE(multiply, a *b)
COMBINE(lesser, a < b ? a : b)
COMBINE(greater, a > b ? a : b)
COMBINE(logical_and, a &&b)
COMBINE(logical_or, a || b)
COMBINE(logical_xor, !a != !b)
COMBINE(bit_and, a &b)
COMBINE(bit_or, a | b)
COMBINE(bit_xor, a ^ b)

/* For equal values the lesser index, as MPI requires. */
static int64_t least_place(int64_t a, int64_t b, const struct element_type *type)
{
    int64_t x = a & 0xffffffff, y = b & 0xffffffff;
    (void)type;
    return x < y || (x == y && a < b) ? a : b;
}

static int64_t greatest_place(int64_t a, int64_t b, const struct element_type *type)
{
    int64_t x = a & 0xffffffff, y = b & 0xffffffff;
    (void)type;
    return x > y || (x == y && a < b) ? a : b;
}

/* Maps x -> slope x + shift modulo 2^h, packed in the two halves of an integer of 2 h bits, one
 * after the other: associative, not commutative. */
static uint64_t compose(uint64_t first, uint64_t then, int half)
{
    uint64_t mask = ((uint64_t)1 << half) - 1;
    uint64_t slope = (first >> half) * (then >> half) & mask;
    uint64_t shift = ((then >> half) * (first & mask) + (then & mask)) & mask;
    return slope << half | shift;
}

static int64_t affine(int64_t a, int64_t b, const struct element_type *type)
{
    int half = (int)type->extent * 4;
    uint64_t all = half == 32 ? ~(uint64_t)0 : ((uint64_t)1 << 2 * half) - 1;
    uint64_t result = compose((uint64_t)a & all, (uint64_t)b & all, half);
    return (int64_t)result;
}

/* The slope is odd, so the map is invertible; it is in the upper half of both 32 and 64 bits. */
static int64_t map(int rank, int ranks, uint64_t i)
{
    int64_t number = small_number(rank, ranks, i), slope = 2 * number + 1;
    return slope * ((int64_t)1 << 32) + slope * 65536 + number + rank;
}

#define AFFINE(width)                                                                              \
    static void affine_##width(void *in, void *inout, int *count, MPI_Datatype *datatype)          \
    {                                                                                              \
        const uint##width##_t *left = in;                                                          \
        uint##width##_t *right = inout;                                                            \
        (void)datatype;                                                                            \
        for (int i = 0; i < *count; i++)                                                           \
            right[i] = (uint##width##_t)compose(left[i], right[i], width / 2);                     \
    }
AFFINE(32)
AFFINE(64)

#define OPS(X)                                                                                     \
    X(sum, MPI_SUM, small_number, add)                                                             \
    X(prod, MPI_PROD, factor, multiply)                                                            \
    X(min, MPI_MIN, small_number, lesser)                                                          \
    X(max, MPI_MAX, small_number, greater)                                                         \
    X(land, MPI_LAND, truth, logical_and)                                                          \
    X(lor, MPI_LOR, truth, logical_or)                                                             \
    X(lxor, MPI_LXOR, truth, logical_xor)                                                          \
    X(band, MPI_BAND, bits, bit_and)                                                               \
    X(bor, MPI_BOR, bits, bit_or)                                                                  \
    X(bxor, MPI_BXOR, bits, bit_xor)                                                               \
    X(minloc, MPI_MINLOC, with_index, least_place)                                                 \
    X(maxloc, MPI_MAXLOC, with_index, greatest_place)

#define HANDLE(name, handle, value, combine)                                                       \
    static MPI_Op name##_op(void)                                                                  \
    {                                                                                              \
        return handle;                                                                             \
    }                                                                                              \
    static void name##_by_kernel(void *in, void *inout, int *count, MPI_Datatype *type)            \
    {                                                                                              \
        const struct summand__predefined kernel = summand__predefined(handle, *type);              \
        summand__predefined_run(&kernel, in, inout, inout, (size_t)*count);                        \
    }
OPS(HANDLE)

const struct element_op element_ops[] = {
#define ROW(name, handle, value, combine) {#name, name##_op, value, combine, name##_by_kernel},
    OPS(ROW)
#undef ROW
        {"affine", NULL, map, affine, NULL},
    {0}};

const struct element_type *element_type_named(const char *name)
{
    for (const struct element_type *type = element_types; type->name; type++)
        if (!strcmp(type->name, name))
            return type;
    return NULL;
}

const struct element_op *element_op_named(const char *name)
{
    for (const struct element_op *op = element_ops; op->name; op++)
        if (!strcmp(op->name, name))
            return op;
    return NULL;
}

#define NAMES(function, rows)                                                                      \
    void function(char *text, size_t room)                                                         \
    {                                                                                              \
        size_t used = 0;                                                                           \
        for (size_t i = 0; rows[i].name && used < room; i++)                                       \
            used +=                                                                                \
                (size_t)snprintf(text + used, room - used, "%s%s", used ? "|" : "", rows[i].name); \
    }
NAMES(element_type_names, element_types)
NAMES(element_op_names, element_ops)

MPI_Op element_op_make(const struct element_op *op, const struct element_type *type)
{
    MPI_Op handle = MPI_OP_NULL;
    if (op->op)
        return summand__op_check(op->op(), type->datatype()) ? MPI_OP_NULL : op->op();
    if (type->whole)
        MPI_Op_create(type->extent == 4 ? affine_32 : affine_64, 0, &handle);
    return handle;
}

MPI_Op element_op_of_mpi(const struct element_op *op, const struct element_type *type, MPI_Op ours)
{
    const enum summand__combine_type kernel = summand__datatype_kernel(type->datatype());
    MPI_Op handle = ours;
    if (kernel == SUMMAND__COMBINE_F16 || kernel == SUMMAND__COMBINE_BF16)
        MPI_Op_create(op->by_kernel, 1, &handle);
    return handle;
}

void element_op_free(const struct element_op *op, MPI_Op *ours, MPI_Op *of_mpi)
{
    if (*of_mpi != *ours)
        MPI_Op_free(of_mpi);
    if (!op->op && *ours != MPI_OP_NULL)
        MPI_Op_free(ours);
}

void elements_fill(const struct element_type *type, const struct element_op *op, int rank,
                   int ranks, uint64_t first, uint64_t count, void *vector)
{
    for (uint64_t i = 0; i < count; i++)
        type->put((char *)vector + i * type->extent,
                  (op ? op->value : small_number)(rank, ranks, first + i));
}

/* The value as the type stores it. */
static int64_t held(const struct element_type *type, int64_t value)
{
    long double room[2];
    type->put(room, value);
    return type->get(room);
}

uint64_t elements_check(const struct element_type *type, const struct element_op *op, int rank,
                        int combined, int ranks, uint64_t first, uint64_t count, const void *vector,
                        int64_t *expected, int64_t *found)
{
    for (uint64_t i = 0; i < count; i++) {
        int64_t value = (op ? op->value : small_number)(rank, ranks, first + i);
        for (int r = rank + 1; r < rank + combined; r++)
            value = op->combine(value, op->value(r, ranks, first + i), type);
        *expected = held(type, value);
        *found = type->get((const char *)vector + i * type->extent);
        if (*expected != *found)
            return i;
    }
    return count;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "op/predefined.h"

#include <limits.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "kernel/fpenv_call.h"
#include "process/ask.h"
#include "process/datatype.h"
#include "process/error.h"
#include "process/process_datatypes.h"

/* Open MPI declares its extensions apart. Version 4 lacks this one, and a shim of a later version
 * serves its programs: then it has no address. */
#if defined(OPEN_MPI) && defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#pragma weak ompi_mpi_short_float
#endif
#endif

enum {
    INTEGER = 1,
    FLOATING = 2,
    COMPLEX = 4,
    LOGICAL = 8,
    BYTE = 16,
    PAIR = 32,
    FORTRAN = 64,
    HALF = 128,
    ROUNDED = FLOATING | COMPLEX | HALF /* sums and products of them are */
};
enum { NONE = -1, BY_CLASS = -2 };

struct operator_row {
    MPI_Op op;
    unsigned classes; /* of datatypes */
    int kernel;       /* enum summand__combine_operator */
    unsigned rounds;  /* classes for which it rounds, so that the order shows */
};

static const struct operator_row operators[] = {
    {MPI_SUM, INTEGER | FORTRAN | FLOATING | HALF | COMPLEX, SUMMAND__COMBINE_SUM, ROUNDED},
    {MPI_PROD, INTEGER | FORTRAN | FLOATING | HALF | COMPLEX, SUMMAND__COMBINE_PROD, ROUNDED},
    {MPI_MIN, INTEGER | FORTRAN | FLOATING | HALF, SUMMAND__COMBINE_MIN, 0},
    {MPI_MAX, INTEGER | FORTRAN | FLOATING | HALF, SUMMAND__COMBINE_MAX, 0},
    {MPI_LAND, INTEGER | LOGICAL, SUMMAND__COMBINE_LAND, 0},
    {MPI_LOR, INTEGER | LOGICAL, SUMMAND__COMBINE_LOR, 0},
    {MPI_LXOR, INTEGER | LOGICAL, SUMMAND__COMBINE_LXOR, 0},
    {MPI_BAND, INTEGER | FORTRAN | BYTE, SUMMAND__COMBINE_BAND, 0},
    {MPI_BOR, INTEGER | FORTRAN | BYTE, SUMMAND__COMBINE_BOR, 0},
    {MPI_BXOR, INTEGER | FORTRAN | BYTE, SUMMAND__COMBINE_BXOR, 0},
    {MPI_MINLOC, PAIR, SUMMAND__COMBINE_MINLOC, 0},
    {MPI_MAXLOC, PAIR, SUMMAND__COMBINE_MAXLOC, 0},
    {MPI_REPLACE, 0, NONE, 0},
    {MPI_NO_OP, 0, NONE, 0},
};

struct datatype_row {
    MPI_Datatype datatype;
    unsigned class; /* 0: the standard defines no operator for it */
    int kernel;     /* enum summand__combine_type, NONE or BY_CLASS */
};

#define BY_SIZE(sign, T)                                                                           \
    (sizeof(T) == 1   ? SUMMAND__COMBINE_##sign##8                                                 \
     : sizeof(T) == 2 ? SUMMAND__COMBINE_##sign##16                                                \
     : sizeof(T) == 4 ? SUMMAND__COMBINE_##sign##32                                                \
                      : SUMMAND__COMBINE_##sign##64)

/* The most used come first. */
static const struct datatype_row datatypes[] = {
    {MPI_DOUBLE, FLOATING, SUMMAND__COMBINE_F64},
    {MPI_FLOAT, FLOATING, SUMMAND__COMBINE_F32},
    {MPI_INT, INTEGER, BY_SIZE(I, int)},
    {MPI_INT64_T, INTEGER, SUMMAND__COMBINE_I64},
    {MPI_INT32_T, INTEGER, SUMMAND__COMBINE_I32},
    {MPI_UNSIGNED, INTEGER, BY_SIZE(U, unsigned)},
    {MPI_LONG, INTEGER, BY_SIZE(I, long)},
    {MPI_LONG_LONG, INTEGER, BY_SIZE(I, long long)},
    {MPI_UNSIGNED_LONG, INTEGER, BY_SIZE(U, unsigned long)},
    {MPI_UNSIGNED_LONG_LONG, INTEGER, BY_SIZE(U, unsigned long long)},
    {MPI_UINT64_T, INTEGER, SUMMAND__COMBINE_U64},
    {MPI_UINT32_T, INTEGER, SUMMAND__COMBINE_U32},
    {MPI_INT16_T, INTEGER, SUMMAND__COMBINE_I16},
    {MPI_UINT16_T, INTEGER, SUMMAND__COMBINE_U16},
    {MPI_INT8_T, INTEGER, SUMMAND__COMBINE_I8},
    {MPI_UINT8_T, INTEGER, SUMMAND__COMBINE_U8},
    {MPI_SHORT, INTEGER, BY_SIZE(I, short)},
    {MPI_UNSIGNED_SHORT, INTEGER, BY_SIZE(U, unsigned short)},
    {MPI_SIGNED_CHAR, INTEGER, SUMMAND__COMBINE_I8},
    {MPI_UNSIGNED_CHAR, INTEGER, SUMMAND__COMBINE_U8},
    {MPI_AINT, INTEGER, BY_SIZE(I, MPI_Aint)},
    {MPI_OFFSET, INTEGER, BY_SIZE(I, MPI_Offset)},
    {MPI_COUNT, INTEGER, BY_SIZE(I, MPI_Count)},
    {MPI_LONG_DOUBLE, FLOATING, SUMMAND__COMBINE_LONG_DOUBLE},
    {MPI_C_FLOAT_COMPLEX, COMPLEX, SUMMAND__COMBINE_COMPLEX32},
    {MPI_C_DOUBLE_COMPLEX, COMPLEX, SUMMAND__COMBINE_COMPLEX64},
    {MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX, SUMMAND__COMBINE_COMPLEX_LONG},
    {MPI_C_BOOL, LOGICAL, SUMMAND__COMBINE_BOOL},
    {MPI_BYTE, BYTE, SUMMAND__COMBINE_U8},
    {MPI_DOUBLE_INT, PAIR, SUMMAND__COMBINE_F64_INT},
    {MPI_FLOAT_INT, PAIR, SUMMAND__COMBINE_F32_INT},
    {MPI_LONG_INT, PAIR, SUMMAND__COMBINE_LONG_INT},
    {MPI_2INT, PAIR, SUMMAND__COMBINE_INT_INT},
    {MPI_SHORT_INT, PAIR, SUMMAND__COMBINE_SHORT_INT},
    {MPI_LONG_DOUBLE_INT, PAIR, SUMMAND__COMBINE_LONG_DOUBLE_INT},
    {MPI_CHAR, 0, NONE},
    {MPI_WCHAR, 0, NONE},
    {MPI_PACKED, 0, NONE},
    {MPI_CXX_BOOL, LOGICAL, SUMMAND__COMBINE_BOOL},
    {MPI_CXX_FLOAT_COMPLEX, COMPLEX, SUMMAND__COMBINE_COMPLEX32},
    {MPI_CXX_DOUBLE_COMPLEX, COMPLEX, SUMMAND__COMBINE_COMPLEX64},
    {MPI_CXX_LONG_DOUBLE_COMPLEX, COMPLEX, SUMMAND__COMBINE_COMPLEX_LONG},
    {MPI_INTEGER, FORTRAN, BY_CLASS},
    {MPI_REAL, FLOATING, BY_CLASS},
    {MPI_DOUBLE_PRECISION, FLOATING, BY_CLASS},
    {MPI_COMPLEX, COMPLEX, BY_CLASS},
    {MPI_DOUBLE_COMPLEX, COMPLEX, BY_CLASS},
    {MPI_INTEGER1, FORTRAN, BY_CLASS},
    {MPI_INTEGER2, FORTRAN, BY_CLASS},
    {MPI_INTEGER4, FORTRAN, BY_CLASS},
    {MPI_INTEGER8, FORTRAN, BY_CLASS},
    {MPI_REAL4, FLOATING, BY_CLASS},
    {MPI_REAL8, FLOATING, BY_CLASS},
    {MPI_COMPLEX8, COMPLEX, BY_CLASS},
    {MPI_COMPLEX16, COMPLEX, BY_CLASS},
    {MPI_LOGICAL, LOGICAL, NONE}, /* the compiler decides the value of true */
    {MPI_2INTEGER, PAIR, NONE},
    {MPI_2REAL, PAIR, NONE},
    {MPI_2DOUBLE_PRECISION, PAIR, NONE},
    {MPI_CHARACTER, 0, NONE},
#if defined(MPIX_C_FLOAT16)
    {MPIX_C_FLOAT16, HALF, SUMMAND__COMBINE_F16},
#endif
#if defined(MPIX_BFLOAT16)
    {MPIX_BFLOAT16, HALF, SUMMAND__COMBINE_BF16},
#endif
};

/* Those of summand/datatype.h, whose handles are made at run time. */
static const struct datatype_row halves[] = {
    [SUMMAND__FLOAT16] = {.class = HALF, .kernel = SUMMAND__COMBINE_F16},
    [SUMMAND__BFLOAT16] = {.class = HALF, .kernel = SUMMAND__COMBINE_BF16},
};

/* Kernels of Fortran's types, by class and size. */
static const struct {
    unsigned class;
    int size, kernel;
} families[] = {
    {FORTRAN, 1, SUMMAND__COMBINE_I8},        {FORTRAN, 2, SUMMAND__COMBINE_I16},
    {FORTRAN, 4, SUMMAND__COMBINE_I32},       {FORTRAN, 8, SUMMAND__COMBINE_I64},
    {FLOATING, 4, SUMMAND__COMBINE_F32},      {FLOATING, 8, SUMMAND__COMBINE_F64},
    {COMPLEX, 8, SUMMAND__COMBINE_COMPLEX32}, {COMPLEX, 16, SUMMAND__COMBINE_COMPLEX64},
};

#define ROWS(table) (sizeof(table) / sizeof *(table))

static const struct operator_row *find_operator(MPI_Op op)
{
    for (size_t i = 0; i < ROWS(operators); i++)
        if (op == operators[i].op)
            return &operators[i];
    return NULL;
}

/* The row that was found last: programs repeat their calls, and the handles of rows last. */
static const struct datatype_row *_Atomic last_found = datatypes;

static const struct datatype_row *find_datatype(MPI_Datatype datatype)
{
    const struct datatype_row *last = atomic_load_explicit(&last_found, memory_order_relaxed);
    /* Some MPIs give it the names of types that they lack; other names have no address. */
    if (datatype == MPI_DATATYPE_NULL || !datatype)
        return NULL;
    if (datatype == last->datatype)
        return last;
    const enum summand__process_datatype ours = summand__process_datatype_of(datatype);
    if (ours < ROWS(halves))
        return &halves[ours];
    for (size_t i = 0; i < ROWS(datatypes); i++)
        if (datatype == datatypes[i].datatype) {
            atomic_store_explicit(&last_found, &datatypes[i], memory_order_relaxed);
            return &datatypes[i];
        }
    return NULL;
}

const char *summand__op_name(MPI_Op op)
{
    const struct {
        MPI_Op op;
        const char *name;
    } rows[] = {
        {MPI_SUM, "MPI_SUM"},         {MPI_PROD, "MPI_PROD"},     {MPI_MIN, "MPI_MIN"},
        {MPI_MAX, "MPI_MAX"},         {MPI_LAND, "MPI_LAND"},     {MPI_LOR, "MPI_LOR"},
        {MPI_LXOR, "MPI_LXOR"},       {MPI_BAND, "MPI_BAND"},     {MPI_BOR, "MPI_BOR"},
        {MPI_BXOR, "MPI_BXOR"},       {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
        {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"},   {MPI_OP_NULL, "MPI_OP_NULL"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].op == op)
            return rows[i].name;
    return "an operator";
}

/* Bad handles may have no name, nor has MPICH 4.0.2's MPIX_C_FLOAT16. */
void summand__datatype_name(MPI_Datatype datatype, char *text, size_t room)
{
    char name[MPI_MAX_OBJECT_NAME] = "MPI_DATATYPE_NULL";
    int length = 0;
    if (datatype != MPI_DATATYPE_NULL) {
        *name = 0;
        PMPI_Type_get_name(datatype, name, &length);
    }
    const enum summand__combine_type kernel =
        *name ? SUMMAND__COMBINE_TYPES : summand__datatype_kernel(datatype);
    snprintf(text, room, "%s",
             *name                              ? name
             : kernel != SUMMAND__COMBINE_TYPES ? summand__combine_type_name(kernel)
                                                : "a derived datatype");
}

bool summand__op_predefined(MPI_Op op)
{
    return find_operator(op) != NULL;
}

bool summand__datatype_at(size_t i, MPI_Datatype *datatype)
{
    if (i < ROWS(datatypes))
        *datatype = datatypes[i].datatype;
    return i < ROWS(datatypes);
}

bool summand__datatype_predefined(MPI_Datatype datatype)
{
    return find_datatype(datatype) != NULL;
}

/* Reals of Fortran without a row, as not every MPI has them: the MPI is asked. */
static const MPI_Datatype rare_reals[] = {
#if defined(MPI_REAL2)
    MPI_REAL2,
#endif
#if defined(MPI_REAL16)
    MPI_REAL16,
#endif
    MPI_DATATYPE_NULL};

static bool is_real(const struct datatype_row *row, MPI_Datatype datatype)
{
    int integers, addresses, types, combiner = MPI_COMBINER_NAMED;
    if (row)
        return row->class == FLOATING;
    for (size_t i = 0; i < ROWS(rare_reals); i++)
        if (datatype == rare_reals[i])
            return true;
    PMPI_Type_get_envelope(datatype, &integers, &addresses, &types, &combiner);
    return combiner == MPI_COMBINER_F90_REAL;
}

/* MPICH 4 accepts logical operators on floating types but does not apply them: it aborts for C's
 * types and, in 4.2, for all others; in 4.0 it leaves the right operand unchanged for Fortran's.
 * MPI_LXOR works on C's. */
static bool misleads(const struct operator_row *how, const struct datatype_row *what,
                     MPI_Datatype datatype)
{
    return how && (how->classes & LOGICAL) && is_real(what, datatype) &&
           (how->op != MPI_LXOR || !what || what->kernel == BY_CLASS);
}

static int refuse_type(const char *name, MPI_Datatype datatype, int code)
{
    char type[SUMMAND__TYPE_NAME];
    summand__datatype_name(datatype, type, sizeof type);
    return summand__refuse_as(code, "%s is %s%s", name, type,
                              datatype == MPI_DATATYPE_NULL ? "" : ", which is not committed");
}

/* The MPI is not asked: to it, ours are integers. */
static int refuse_op_of_half(MPI_Op op, MPI_Datatype datatype)
{
    char type[SUMMAND__TYPE_NAME];
    summand__datatype_name(datatype, type, sizeof type);
    return summand__refuse_as(MPI_ERR_OP,
                              "op is %s, not MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX or a user's, for "
                              "%s",
                              summand__op_name(op), type);
}

int summand__op_check(MPI_Op op, MPI_Datatype datatype)
{
    const struct operator_row *how = find_operator(op);
    const struct datatype_row *what = find_datatype(datatype);
    if (datatype == MPI_DATATYPE_NULL)
        return refuse_type("datatype", datatype, MPI_ERR_TYPE);
    if (op == MPI_OP_NULL)
        return summand__refuse_as(MPI_ERR_OP, "op is MPI_OP_NULL");
    if (what && (!how || (how->classes & what->class)))
        return MPI_SUCCESS;
    if (what && what->class == HALF)
        return refuse_op_of_half(op, datatype);
    int code = summand__ask_reduction(op, datatype, how ? MPI_ERR_OP : MPI_SUCCESS);
    if (code == MPI_SUCCESS && misleads(how, what, datatype))
        code = MPI_ERR_OP;
    char type[SUMMAND__TYPE_NAME];
    summand__datatype_name(datatype, type, sizeof type);
    if (code == MPI_ERR_OP)
        summand__refuse_as(code, "op is %s, which the MPI does not define for %s",
                           summand__op_name(op), type);
    return code != MPI_ERR_TYPE ? code : refuse_type("datatype", datatype, code);
}

int summand__datatype_check(const char *name, MPI_Datatype datatype, MPI_Count count)
{
    if (datatype == MPI_DATATYPE_NULL)
        return refuse_type(name, datatype, MPI_ERR_TYPE);
    int code = find_datatype(datatype) ? MPI_SUCCESS : summand__ask_message(datatype, count);
    return code != MPI_ERR_TYPE ? code : refuse_type(name, datatype, code);
}

static int kernel_of(const struct datatype_row *row)
{
    int size = 0;
    if (row->kernel != BY_CLASS || PMPI_Type_size(row->datatype, &size) != MPI_SUCCESS)
        return row->kernel == BY_CLASS ? NONE : row->kernel;
    for (size_t i = 0; i < ROWS(families); i++)
        if (families[i].class == row->class && families[i].size == size)
            return families[i].kernel;
    return NONE;
}

int summand__datatype_basic(MPI_Datatype datatype)
{
    enum { FOREIGN = 1000 };
    const struct datatype_row *row = find_datatype(datatype);
    int kernel = row ? kernel_of(row) : NONE, length, hash = 0;
    char name[MPI_MAX_OBJECT_NAME] = "";
    if (kernel != NONE || row)
        return kernel != NONE ? 1 + kernel : FOREIGN + (int)(row - datatypes);
    PMPI_Type_get_name(datatype, name, &length);
    for (const char *letter = name; *letter; letter++)
        hash = (hash * 31 + (unsigned char)*letter) & 0xffffff;
    return 2 * FOREIGN + hash;
}

enum summand__combine_type summand__datatype_kernel(MPI_Datatype datatype)
{
    const struct datatype_row *row = find_datatype(datatype);
    const int kernel = row ? kernel_of(row) : NONE;
    return kernel == NONE ? SUMMAND__COMBINE_TYPES : (enum summand__combine_type)kernel;
}

bool summand__datatype_floating(MPI_Datatype datatype, bool *single, bool *complex)
{
    const enum summand__combine_type kernel = summand__datatype_kernel(datatype);
    *complex = kernel == SUMMAND__COMBINE_COMPLEX32 || kernel == SUMMAND__COMBINE_COMPLEX64;
    *single = kernel == SUMMAND__COMBINE_F32 || kernel == SUMMAND__COMBINE_COMPLEX32;
    return *complex || *single || kernel == SUMMAND__COMBINE_F64;
}

bool summand__op_exact(MPI_Op op, MPI_Datatype datatype)
{
    const struct operator_row *how = find_operator(op);
    const struct datatype_row *what = find_datatype(datatype);
    return how && what && (how->classes & what->class) && !(how->rounds & what->class);
}

bool summand__datatype_lanes(MPI_Datatype datatype, enum summand__lanes_type *type, size_t *each)
{
    static const struct {
        enum summand__combine_type kernel;
        enum summand__lanes_type type;
        size_t each;
    } rows[] = {{SUMMAND__COMBINE_F64, SUMMAND__LANES_F64, 1},
                {SUMMAND__COMBINE_F32, SUMMAND__LANES_F32, 1},
                {SUMMAND__COMBINE_COMPLEX64, SUMMAND__LANES_F64, 2},
                {SUMMAND__COMBINE_COMPLEX32, SUMMAND__LANES_F32, 2},
                {SUMMAND__COMBINE_F16, SUMMAND__LANES_F16, 1},
                {SUMMAND__COMBINE_BF16, SUMMAND__LANES_BF16, 1}};
    const enum summand__combine_type kernel = summand__datatype_kernel(datatype);
    for (size_t i = 0; i < ROWS(rows); i++)
        if (rows[i].kernel == kernel) {
            *type = rows[i].type;
            *each = rows[i].each;
            return true;
        }
    return false;
}

/* The kernel of characters and bytes, for operators that some MPIs accept beyond the standard: Open
 * MPI's sums saturate or wrap, depending on the place in the vector. */
static int kernel_of_byte(const struct operator_row *how, const struct datatype_row *what)
{
    if (!(how->classes & INTEGER))
        return NONE;
    if (what->datatype == MPI_BYTE)
        return SUMMAND__COMBINE_U8;
    return what->datatype != MPI_CHAR ? NONE
           : CHAR_MIN < 0             ? SUMMAND__COMBINE_I8
                                      : SUMMAND__COMBINE_U8;
}

struct summand__predefined summand__predefined(MPI_Op op, MPI_Datatype datatype)
{
    const struct operator_row *operator= find_operator(op);
    const struct datatype_row *row = operator? find_datatype(datatype) : NULL;
    struct summand__predefined found = {0};
    int type = !row                             ? NONE
               : row->class & operator->classes ? kernel_of(row)
                                                : kernel_of_byte(operator, row);
    if (type == NONE || operator->kernel == NONE)
        return found;
    enum summand__combine_type kernel = (enum summand__combine_type)type;
    MPI_Aint lb, extent;
    if (PMPI_Type_get_extent(datatype, &lb, &extent) != MPI_SUCCESS || lb ||
        extent != (MPI_Aint)summand__combine_type_extent(kernel))
        return found; /* laid out differently from C */
    found.kernel =
        summand__combine_kernel((enum summand__combine_operator) operator->kernel, kernel);
    found.environment = summand__combine_type_environment(kernel);
    return found;
}

void summand__predefined_run(const struct summand__predefined *predefined, const void *left,
                             const void *right, void *out, size_t count)
{
    if (predefined->environment == SUMMAND__COMBINE_PLAIN) {
        struct summand__fpenv_plain saved = summand__fpenv_enter();
        predefined->kernel(left, right, out, count);
        summand__fpenv_leave(saved);
    } else if (predefined->environment == SUMMAND__COMBINE_EXTENDED) {
        struct summand__x87 saved = summand__fpenv_enter_x87();
        predefined->kernel(left, right, out, count);
        summand__fpenv_leave_x87(&saved);
    } else {
        predefined->kernel(left, right, out, count);
    }
}

#include "collective/allowed.h"

#include <stddef.h>

enum { INTEGER = 1, FLOATING = 2, COMPLEX = 4, LOGICAL = 8, BYTE = 16, PAIR = 32, CHARACTER = 64 };

/* By operator: classes of datatypes. */
static unsigned operator_classes(MPI_Op op)
{
    const struct {
        MPI_Op op;
        unsigned classes;
    } rows[] = {
        {MPI_SUM, INTEGER | FLOATING | COMPLEX},
        {MPI_PROD, INTEGER | FLOATING | COMPLEX},
        {MPI_MIN, INTEGER | FLOATING},
        {MPI_MAX, INTEGER | FLOATING},
        {MPI_LAND, INTEGER | LOGICAL},
        {MPI_LOR, INTEGER | LOGICAL},
        {MPI_LXOR, INTEGER | LOGICAL},
        {MPI_BAND, INTEGER | BYTE},
        {MPI_BOR, INTEGER | BYTE},
        {MPI_BXOR, INTEGER | BYTE},
        {MPI_MINLOC, PAIR},
        {MPI_MAXLOC, PAIR},
        {MPI_REPLACE, 0},
        {MPI_NO_OP, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (op == rows[i].op)
            return rows[i].classes;
    return ~0u;
}

static bool among(MPI_Datatype datatype, const MPI_Datatype *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (datatype == list[i])
            return true;
    return false;
}

#define AMONG(datatype, list) among(datatype, list, sizeof(list) / sizeof *(list))

/* The class of a named datatype; all classes for one not listed. */
static unsigned datatype_class(MPI_Datatype datatype)
{
    const MPI_Datatype floating[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE};
    const MPI_Datatype complex[] = {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
                                    MPI_C_LONG_DOUBLE_COMPLEX};
    const MPI_Datatype pairs[] = {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_INT,
                                  MPI_2INT,      MPI_SHORT_INT,  MPI_LONG_DOUBLE_INT};
    const MPI_Datatype characters[] = {MPI_CHAR, MPI_WCHAR, MPI_PACKED};
    const MPI_Datatype integers[] = {MPI_SIGNED_CHAR,
                                     MPI_UNSIGNED_CHAR,
                                     MPI_SHORT,
                                     MPI_UNSIGNED_SHORT,
                                     MPI_INT,
                                     MPI_UNSIGNED,
                                     MPI_LONG,
                                     MPI_UNSIGNED_LONG,
                                     MPI_LONG_LONG,
                                     MPI_INT8_T,
                                     MPI_UNSIGNED_LONG_LONG,
                                     MPI_INT16_T,
                                     MPI_INT32_T,
                                     MPI_INT64_T,
                                     MPI_UINT8_T,
                                     MPI_UINT16_T,
                                     MPI_UINT32_T,
                                     MPI_UINT64_T,
                                     MPI_AINT,
                                     MPI_OFFSET,
                                     MPI_COUNT};
    if (AMONG(datatype, integers))
        return INTEGER;
    if (AMONG(datatype, floating))
        return FLOATING;
    if (AMONG(datatype, complex))
        return COMPLEX;
    if (AMONG(datatype, pairs))
        return PAIR;
    if (AMONG(datatype, characters))
        return CHARACTER;
    return datatype == MPI_BYTE ? BYTE : datatype == MPI_C_BOOL ? LOGICAL : ~0u;
}

bool summand__op_allowed(MPI_Op op, MPI_Datatype datatype)
{
    unsigned classes = operator_classes(op);
    if (classes == ~0u)
        return true;
    unsigned class = datatype_class(datatype);
    int integers, addresses, datatypes, combiner = MPI_COMBINER_NAMED;
    if (class == ~0u)
        MPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
    bool derived = combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_DUP &&
                   combiner != MPI_COMBINER_F90_REAL && combiner != MPI_COMBINER_F90_COMPLEX &&
                   combiner != MPI_COMBINER_F90_INTEGER;
    return !derived && (classes & class);
}

bool summand__op_predefined(MPI_Op op)
{
    return operator_classes(op) != ~0u;
}

bool summand__datatype_predefined(MPI_Datatype datatype)
{
    return datatype_class(datatype) != ~0u;
}

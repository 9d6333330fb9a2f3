/* SPDX-License-Identifier: BSD-3-Clause */
/* Kernels that combine two vectors element by element: MPI's predefined operators on C's types.
 *
 * Every instruction set gives the same bits, and the bits of a reduction depend on the order of its
 * operands as little as the operator allows:
 *   - integers wrap around (they are added and multiplied without sign);
 *   - a floating result that is not a number is the canonical quiet NaN;
 *   - MIN and MAX are the minimum and maximum of IEEE 754-2019: a NaN wins, and -0 is below +0; so
 *     they are commutative and associative in every bit;
 *   - logical results are 0 or 1;
 *   - MINLOC and MAXLOC give the value that MIN and MAX would, and the least index of those that
 *     compare equal to it (all NaNs are equal);
 *   - complex products are those of C11 annex G, with infinities recovered.
 * Padding of pairs stays as it is. Cost: one read of each operand and one write.
 *
 * The caller has set the default floating-point environment (kernel/fpenv.h) for floating types. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "kernel/arch.h"

enum summand__combine_operator {
    SUMMAND__COMBINE_SUM,
    SUMMAND__COMBINE_PROD,
    SUMMAND__COMBINE_MIN,
    SUMMAND__COMBINE_MAX,
    SUMMAND__COMBINE_LAND,
    SUMMAND__COMBINE_LOR,
    SUMMAND__COMBINE_LXOR,
    SUMMAND__COMBINE_BAND,
    SUMMAND__COMBINE_BOR,
    SUMMAND__COMBINE_BXOR,
    SUMMAND__COMBINE_MINLOC,
    SUMMAND__COMBINE_MAXLOC,
    SUMMAND__COMBINE_OPERATORS
};

/* C's types; pairs are structs of a value and an int, as in MPI. */
enum summand__combine_type {
    SUMMAND__COMBINE_I8,
    SUMMAND__COMBINE_I16,
    SUMMAND__COMBINE_I32,
    SUMMAND__COMBINE_I64,
    SUMMAND__COMBINE_U8,
    SUMMAND__COMBINE_U16,
    SUMMAND__COMBINE_U32,
    SUMMAND__COMBINE_U64,
    SUMMAND__COMBINE_F16, /* IEEE 754's binary16 */
    SUMMAND__COMBINE_BF16,
    SUMMAND__COMBINE_F32,
    SUMMAND__COMBINE_F64,
    SUMMAND__COMBINE_LONG_DOUBLE,
    SUMMAND__COMBINE_COMPLEX32,
    SUMMAND__COMBINE_COMPLEX64,
    SUMMAND__COMBINE_COMPLEX_LONG,
    SUMMAND__COMBINE_BOOL,
    SUMMAND__COMBINE_SHORT_INT,
    SUMMAND__COMBINE_INT_INT,
    SUMMAND__COMBINE_LONG_INT,
    SUMMAND__COMBINE_F32_INT,
    SUMMAND__COMBINE_F64_INT,
    SUMMAND__COMBINE_LONG_DOUBLE_INT,
    SUMMAND__COMBINE_TYPES
};

/* out[i] = left[i] op right[i]. `out` may be `left` or `right`, and otherwise overlaps neither.
 * Pointers need no alignment. */
typedef void summand__combiner(const void *left, const void *right, void *out, size_t count);

struct summand__combine_kernels {
    summand__combiner
        *of[SUMMAND__COMBINE_OPERATORS][SUMMAND__COMBINE_TYPES]; /* NULL: not defined */
};

/* The kernel of summand__arch(), or NULL if the operator is not defined on the type. */
summand__combiner *summand__combine_kernel(enum summand__combine_operator operator,
                                           enum summand__combine_type type);

const char *summand__combine_operator_name(enum summand__combine_operator operator);
const char *summand__combine_type_name(enum summand__combine_type type);
size_t summand__combine_type_extent(enum summand__combine_type type);
/* The part of the floating-point environment on which results depend. */
enum summand__combine_environment {
    SUMMAND__COMBINE_NONE,
    SUMMAND__COMBINE_PLAIN,   /* that of float and double */
    SUMMAND__COMBINE_EXTENDED /* that of long double */
};
enum summand__combine_environment
summand__combine_type_environment(enum summand__combine_type type);

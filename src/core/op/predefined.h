/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's predefined operators and named datatypes, and summand/datatype.h's: valid pairs, and our
 * kernel for each. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

#include "kernel/combine.h"
#include "kernel/lanes.h"

/* MPI_SUCCESS if the operator is defined for the datatype, else the MPI's error class, explained;
 * null handles are errors too. Asks the MPI about pairs outside the standard (MPI 4.0, 6.9.2 and
 * 6.9.4): each MPI takes some more. */
int summand__op_check(MPI_Op op, MPI_Datatype datatype);

/* The same for elements that are only moved; `name` is the argument's. */
int summand__datatype_check(const char *name, MPI_Datatype datatype, MPI_Count count);

/* True for handles that live as long as the program, the MPI's and summand/datatype.h's; false for
 * some such datatypes, too. */
bool summand__op_predefined(MPI_Op op);
bool summand__datatype_predefined(MPI_Datatype datatype);

/* The datatypes of the table, the most used first, for i from 0 on; false: there are no more. An
 * MPI may give a type that it lacks the name of another one, or MPI_DATATYPE_NULL. */
bool summand__datatype_at(size_t i, MPI_Datatype *datatype);

/* "MPI_SUM", or "an operator" for a user's. */
const char *summand__op_name(MPI_Op op);

/* "MPI_DOUBLE", a name that the user gave, or "a derived datatype". */
enum { SUMMAND__TYPE_NAME = 48 };
void summand__datatype_name(MPI_Datatype datatype, char *text, size_t room);

/* A number for the content of a named datatype: equal in all processes, and for datatypes with the
 * same numbers in the same bytes; not 0. */
int summand__datatype_basic(MPI_Datatype datatype);

/* What the elements of such a datatype are, SUMMAND__COMBINE_TYPES if no kernel takes them. */
enum summand__combine_type summand__datatype_kernel(MPI_Datatype datatype);

/* True if a named datatype holds floats or doubles (`single`: floats), or complex numbers of
 * them. */
bool summand__datatype_floating(MPI_Datatype datatype, bool *single, bool *complex);

/* True if the same operands in any order and bracketing give the same bits, and none is rounded. */
bool summand__op_exact(MPI_Op op, MPI_Datatype datatype);

/* True if exact sums in lanes take the datatype, which then has `each` numbers of the type. */
bool summand__datatype_lanes(MPI_Datatype datatype, enum summand__lanes_type *type, size_t *each);

/* Our way to combine elements. */
struct summand__predefined {
    summand__combiner *kernel;                     /* NULL: there is none */
    enum summand__combine_environment environment; /* floating-point environment to run it in */
};

/* For a predefined operator on a named datatype of C, of Fortran if its size determines it, or of
 * summand/datatype.h; no kernel otherwise. */
struct summand__predefined summand__predefined(MPI_Op op, MPI_Datatype datatype);

/* out = left op right, for `count` elements, by the kernel; `out` may be either operand. The
 * caller's rounding modes, also of long doubles, do not change the bits. */
void summand__predefined_run(const struct summand__predefined *predefined, const void *left,
                             const void *right, void *out, size_t count);

/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI's predefined operators and named datatypes: which go together, and our kernel for them. */
#ifndef SUMMAND_OP_PREDEFINED_H
#define SUMMAND_OP_PREDEFINED_H

#include <mpi.h>
#include <stdbool.h>

#include "kernel/combine.h"

/* MPI_SUCCESS if the operator goes with the datatype, else the class of error that the MPI has
 * for it, explained; null handles are errors too. The MPI is asked where the two are not a pair of
 * the standard (MPI 4.0, 6.9.2 and 6.9.4): each takes some more. */
int summand__op_check(MPI_Op op, MPI_Datatype datatype);

/* The same for elements that are only moved; `name` is the argument's. */
int summand__datatype_check(const char *name, MPI_Datatype datatype, MPI_Count count);

/* Handles of MPI's own that live as long as the program; false for some datatypes that do too. */
bool summand__op_predefined(MPI_Op op);
bool summand__datatype_predefined(MPI_Datatype datatype);

/* "MPI_SUM", or "an operator" of the user's. */
const char *summand__op_name(MPI_Op op);

/* "MPI_DOUBLE", a name that the user gave, or "a derived datatype". */
enum { SUMMAND__TYPE_NAME = 48 };
void summand__datatype_name(MPI_Datatype datatype, char *text, size_t room);

/* A number for what a named datatype holds, alike in all processes and for those that hold the same
 * numbers in the same bytes; not 0. */
int summand__datatype_basic(MPI_Datatype datatype);

/* Whether a named datatype holds floats or doubles (`single` says which), or complex numbers of
 * two. */
bool summand__datatype_floating(MPI_Datatype datatype, bool *single, bool *complex);

/* How we combine elements ourselves. */
struct summand__predefined {
    summand__combiner *kernel;                     /* NULL: there is none */
    enum summand__combine_environment environment; /* that it needs as by default */
};

/* For a predefined operator on a named datatype of C, or of Fortran where its size says what it is;
 * no kernel for all else. */
struct summand__predefined summand__predefined(MPI_Op op, MPI_Datatype datatype);

/* out = left op right, for `count` elements, by the kernel; `out` may be either operand. The same
 * bits whatever the caller's rounding, that of long doubles too. */
void summand__predefined_run(const struct summand__predefined *predefined, const void *left,
                             const void *right, void *out, size_t count);

#endif

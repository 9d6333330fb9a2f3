/* MPI's predefined operators and named datatypes: which go together, and our kernel for them. */
#ifndef SUMMAND_COMM_PREDEFINED_H
#define SUMMAND_COMM_PREDEFINED_H

#include <mpi.h>
#include <stdbool.h>

#include "kernel/combine.h"

/* Whether MPI allows the operator for the datatype (MPI 4.0, 6.9.2 and 6.9.4). True for operators
 * of the user's, and for a named datatype that is not in our table: the MPI is asked when it is
 * used. */
bool summand__op_allowed(MPI_Op op, MPI_Datatype datatype);

/* Handles of MPI's own that live as long as the program; false for some datatypes that do too. */
bool summand__op_predefined(MPI_Op op);
bool summand__datatype_predefined(MPI_Datatype datatype);

/* "MPI_SUM", or "an operator" of the user's. */
const char *summand__op_name(MPI_Op op);

/* How we combine elements ourselves. */
struct summand__predefined {
    summand__combiner *kernel; /* NULL: there is none */
    bool floating;             /* the kernel needs the default floating-point environment */
};

/* For a predefined operator on a named datatype of C, or of Fortran where its size says what it is;
 * no kernel for all else. */
struct summand__predefined summand__predefined(MPI_Op op, MPI_Datatype datatype);

/* out = left op right, for `count` elements, by the kernel; `out` may be either operand. The same
 * bits whatever the caller's rounding. (long double has a control word of its own, which stays as
 * it is.) */
void summand__predefined_run(const struct summand__predefined *predefined, const void *left,
                             const void *right, void *out, size_t count);

#endif

/* MPI's predefined operators and named datatypes: which go together, and our kernel for them. */
#ifndef SUMMAND_COMM_PREDEFINED_H
#define SUMMAND_COMM_PREDEFINED_H

#include <mpi.h>
#include <stdbool.h>

#include "kernel/combine.h"

/* Whether MPI allows the operator for the datatype (MPI 4.0, 6.9.2 and 6.9.4). True for operators
 * of the user's. A predefined operator is refused where it is known not to fit: types of C and
 * derived ones; for Fortran's the MPI is asked when the call runs. */
bool summand__op_allowed(MPI_Op op, MPI_Datatype datatype);

struct summand__predefined {
    summand__combine *kernel; /* NULL: there is none */
    bool floating;            /* the kernel needs the default floating-point environment */
    size_t extent;            /* bytes from element to element, as C has it */
};

/* The kernel for a predefined operator on a named datatype of C, or of Fortran where its size says
 * what it is. */
struct summand__predefined summand__predefined(MPI_Op op, MPI_Datatype datatype);

#endif

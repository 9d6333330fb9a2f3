/* Which predefined operators MPI allows for which datatypes (MPI 4.0, 6.9.2 and 6.9.4). */
#ifndef SUMMAND_COLLECTIVE_ALLOWED_H
#define SUMMAND_COLLECTIVE_ALLOWED_H

#include <mpi.h>
#include <stdbool.h>

/* True for operators of the user's. A predefined operator is refused where it is known not to fit:
 * types of C and derived ones; for Fortran's the MPI is asked when the call runs. */
bool summand__op_allowed(MPI_Op op, MPI_Datatype datatype);

/* Handles of MPI's own that live as long as the program; false for some datatypes that do too. */
bool summand__op_predefined(MPI_Op op);
bool summand__datatype_predefined(MPI_Datatype datatype);

#endif

! SPDX-License-Identifier: BSD-3-Clause
! Sums of the four types of elements; each generic name gets the procedures of all of them. The names of
! modules stand here, where builders look for them without a preprocessor.
#include "summand_mpi.inc"

module summand_real32
#define TERM summand_term_real32
#define ELEMENT real(c_float)
#define DATATYPE MPI_REAL4
#include "summand_type.inc"
end module

module summand_real64
#define TERM summand_term_real64
#define ELEMENT real(c_double)
#define DATATYPE MPI_REAL8
#include "summand_type.inc"
end module

module summand_complex32
#define TERM summand_term_complex32
#define ELEMENT complex(c_float)
#define DATATYPE MPI_COMPLEX8
#include "summand_type.inc"
end module

module summand_complex64
#define TERM summand_term_complex64
#define ELEMENT complex(c_double)
#define DATATYPE MPI_COMPLEX16
#include "summand_type.inc"
end module

/* SPDX-License-Identifier: BSD-3-Clause */
/* What fortran.f90 calls. C's handles differ between MPIs, so these few lines turn Fortran's into
 * C's; MPI_Type_f2c gives the datatype of MPI_DOUBLE_PRECISION, which Summand takes as MPI_DOUBLE.
 */
#include <summand.h>

int fortran_sum(const void *x, void *result, MPI_Count count, MPI_Fint datatype, MPI_Fint comm);
int fortran_allreduce(const void *in, void *out, int count, MPI_Fint datatype, MPI_Fint op,
                      int promise, MPI_Fint comm);

int fortran_sum(const void *x, void *result, MPI_Count count, MPI_Fint datatype, MPI_Fint comm)
{
    return summand_sum(x, result, count, MPI_Type_f2c(datatype), SUMMAND_ROOT_ALL,
                       MPI_Comm_f2c(comm), NULL);
}

int fortran_allreduce(const void *in, void *out, int count, MPI_Fint datatype, MPI_Fint op,
                      int promise, MPI_Fint comm)
{
    const summand_options options = {.promise = (enum summand_promise)promise};
    return summand_allreduce(in, out, count, MPI_Type_f2c(datatype), MPI_Op_f2c(op),
                             MPI_Comm_f2c(comm), &options);
}

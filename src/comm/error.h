#ifndef SUMMAND_COMM_ERROR_H
#define SUMMAND_COMM_ERROR_H

#include <summand/error.h>

/* Calls the error handler of `comm` unless code is MPI_SUCCESS; returns the code. */
int summand__raise(MPI_Comm comm, int code);

#endif

#ifndef SUMMAND_COMM_ERROR_H
#define SUMMAND_COMM_ERROR_H

#include <summand/error.h>

/* Ends the text of one of Summand's conditions with what is wrong in particular, for
 * MPI_Error_string on this process. */
void summand__error_explain(enum summand_error error, const char *what);

/* Calls the error handler of `comm` unless code is MPI_SUCCESS; returns the code. */
int summand__raise(MPI_Comm comm, int code);

#endif

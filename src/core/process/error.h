/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef SUMMAND_PROCESS_ERROR_H
#define SUMMAND_PROCESS_ERROR_H

#include <stdbool.h>
#include <summand/error.h>

/* In place of an error code: the MPI is not initialised, or finalized. summand__raise turns it into
 * the end of the program. */
enum { SUMMAND__NO_MPI = -1 };

/* Between MPI_Init and MPI_Finalize. (Sessions alone do not do: MPI_COMM_SELF is needed.) */
bool summand__mpi_runs(void);

/* Says that `call` came too early or too late, and makes a call of the MPI, which ends the program.
 * Returns MPI_ERR_OTHER if the MPI does not. */
int summand__no_mpi(const char *call);

/* The text of a condition, not of SUMMAND_ERR_NONE. */
const char *summand__error_text(enum summand_error error);

/* Says what is wrong in particular, for the text of one of Summand's conditions. Holds for the call
 * that the thread is in: summand__raise ends it. */
void summand__error_explain(enum summand_error error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Refuses an argument of this rank: returns the code, and explains it. The words name the argument,
 * its value and what is allowed; summand__raise adds the rank.
 *     return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.radix is %d, not 0 or more", radix); */
int summand__refuse(enum summand_error error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with a code of the MPI's, whose text stays the MPI's: the words are in
 * summand_error_text, and in the line on stderr if the error ends the program. */
int summand__refuse_as(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What this call has said of `code` so far; "" if nothing. Valid until more is said. */
const char *summand__error_words(int code);

/* For an error that no communicator is there to raise on: keeps its words, and returns the code. */
int summand__keep_words(int code);

/* How each public call ends: calls the error handler of `comm` (of MPI_COMM_SELF for MPI_COMM_NULL)
 * unless code is MPI_SUCCESS, and returns the code. `call` is the name of the public call, which is
 * said on stderr before a handler that ends the program does so. */
int summand__raise_error(const char *call, MPI_Comm comm, int code);
static inline int summand__raise(const char *call, MPI_Comm comm, int code)
{
    return code == MPI_SUCCESS ? code : summand__raise_error(call, comm, code);
}

#endif

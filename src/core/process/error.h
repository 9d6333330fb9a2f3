/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdbool.h>
#include <summand/error.h>

/* Returned for an error code if MPI is not initialized, or finalized. summand__raise then ends the
 * program. */
enum { SUMMAND__NO_MPI = -1 };

/* True between MPI_Init and MPI_Finalize. (Sessions are not enough: MPI_COMM_SELF is needed.) */
bool summand__mpi_runs(void);

/* Reports that `call` came too early or too late, and makes an MPI call, which ends the program.
 * Returns MPI_ERR_OTHER if the MPI does not. */
int summand__no_mpi(const char *call);

/* The text of a condition; not for SUMMAND_ERR_NONE. */
const char *summand__error_text(enum summand_error error);

/* Adds details to the text of one of Summand's conditions. Valid for the thread's current call,
 * until summand__raise. */
void summand__error_explain(enum summand_error error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Refuses an argument of this rank: explains the code and returns it. The words give the argument's
 * name, its value and the allowed values; summand__raise adds the rank.
 *     return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.radix is %d, not 0 or more", radix); */
int summand__refuse(enum summand_error error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same with an MPI code, whose text stays the MPI's: the words appear in summand_error_text,
 * and in the line on stderr if the error ends the program. */
int summand__refuse_as(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* This call's words on `code` so far; "" if none. Valid until more are added. */
const char *summand__error_words(int code);

/* For an error without a communicator to raise it on: keeps its words, and returns the code. */
int summand__keep_words(int code);

/* Ends each public call: calls the error handler of `comm` (MPI_COMM_NULL: of MPI_COMM_SELF) unless
 * code is MPI_SUCCESS, and returns the code. `call`: name of the public call, printed on stderr
 * before a handler ends the program. */
int summand__raise_error(const char *call, MPI_Comm comm, int code);

static inline int summand__raise(const char *call, MPI_Comm comm, int code)
{
    return code == MPI_SUCCESS ? code : summand__raise_error(call, comm, code);
}

/* Summand's own conditions, as MPI error codes.
 *
 * Functions return MPI_SUCCESS or an MPI error code. A condition that MPI knows (a bad
 * communicator, a null datatype) has MPI's code. The conditions below are added to MPI's list at
 * first use (MPI_Add_error_class, MPI_Add_error_code). MPI_Error_string returns their text, and
 * summand_error_code the code. A text may have details; these describe the last error with this
 * code in the process. summand_error_text has them for MPI's codes too.
 *
 * Each error is raised once on the caller's communicator. Its error handler decides; if the handler
 * returns, the call returns the error. If the handler ends the program (MPI_ERRORS_ARE_FATAL,
 * MPI_ERRORS_ABORT), a line on stderr first names the public call, the rank and the error.
 *
 * A public call before MPI_Init or after MPI_Finalize ends the program, as such a call of the MPI
 * does; a line on stderr names it. An MPI session without MPI_Init does not count. */
#ifndef SUMMAND_ERROR_H
#define SUMMAND_ERROR_H

#include <mpi.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* name, text */
#define SUMMAND_ERRORS(X)                                                                          \
    X(MEMORY, "out of memory")                                                                     \
    X(DATATYPE, "datatype not supported here: MPI_DOUBLE or MPI_FLOAT expected")                   \
    X(METHOD, "no such method of summation, or not applicable to this call")                       \
    X(DISTRIBUTION, "the ranks' element ranges do not tile the index range 0..N-1")                \
    X(ARGUMENT, "an argument is out of range")                                                     \
    X(BUSY, "the plan is already started")                                                         \
    X(ENVIRONMENT, "an environment variable SUMMAND_* has a value that cannot be used")            \
    X(ALGORITHM, "no such algorithm, or not applicable to this call")                              \
    X(MISMATCH, "the ranks disagree on an argument that must be the same on all")                  \
    X(NOT_FINITE, "an input is NaN or infinite")                                                   \
    X(REMOTE, "another rank reported an error in this collective call")                            \
    X(TIMEOUT, "waited longer than SUMMAND_TIMEOUT or the call's own timeout allows")              \
    X(NOT_STARTED, "the plan has never been started: there is nothing to wait for")                \
    X(DAMAGED, "bit flips were found that could not be repaired")                                  \
    X(FILE, "the file does not have the expected content")                                         \
    X(COMMUNICATORS, "the MPI has no communicators left: free some, or call Summand on "           \
                     "MPI_COMM_WORLD before they run out")

enum summand_error {
#define SUMMAND_ERROR_NAME(name, text) SUMMAND_ERR_##name,
    SUMMAND_ERRORS(SUMMAND_ERROR_NAME)
#undef SUMMAND_ERROR_NAME
        SUMMAND_ERR_COUNT
};

/** The MPI error code of one of Summand's conditions. Local; MPI must be initialised.
 *  @return the code, or MPI_ERR_UNKNOWN if `error` is out of range. */
SUMMAND_API int summand_error_code(enum summand_error error);

/** The MPI error class of all of Summand's conditions. Local; MPI must be initialised. */
SUMMAND_API int summand_error_class(void);

/** The text of an error code: MPI_Error_string's, and what the calling thread's last call that
 *  failed says of this code: the argument, its value, what is allowed, and the rank. Codes of
 *  MPI's own have such words here, and not in MPI_Error_string. Local; needs no communication.
 *  Before MPI_Init it has the words of summand_setting_set.
 *  @param[in] code an error code that a call returned; for another one what MPI_Error_string does
 *  @return a string of the calling thread, until it calls summand_error_text again; never NULL */
SUMMAND_API const char *summand_error_text(int code);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Summand's own conditions, as MPI error codes.
 *
 * Functions return MPI_SUCCESS or an MPI error code. A condition that MPI knows (a bad
 * communicator, a null datatype) has MPI's code. The conditions below are added to MPI's list at
 * first use (MPI_Add_error_class, MPI_Add_error_code). summand_error_of tells which condition a
 * code is; MPI_Error_string returns its text. A text may have details; these describe the last
 * error with this code in the process. summand_error_text has them for MPI's codes too.
 *
 * Each error is raised once on the caller's communicator. Its error handler decides; if the handler
 * returns, the call returns the error. If the handler ends the program (MPI_ERRORS_ARE_FATAL,
 * MPI_ERRORS_ABORT), a line on stderr first names the public call, the rank and the error.
 *
 * A public call before MPI_Init or after MPI_Finalize ends the program, as such a call of the MPI
 * does; a line on stderr names it. Calls that need no MPI, and calls that free, are exceptions;
 * their comments say so. An MPI session without MPI_Init does not count. */
#ifndef SUMMAND_ERROR_H
#define SUMMAND_ERROR_H

#include <summand/mpi.h>
#include <summand/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Summand's own conditions. No call returns these numbers as its code: they stand for codes that
 *  the MPI has given out, which differ from run to run. Compare conditions,
 *      if (summand_error_of(code) == SUMMAND_ERR_MEMORY)
 *  or codes:
 *      if (code == summand_error_code(SUMMAND_ERR_MEMORY))
 *  No condition equals MPI_SUCCESS. A later version may add conditions at the end. */
enum summand_error {
    SUMMAND_ERR_NONE = 0,           /**< success, or an error of the MPI's own */
    SUMMAND_ERR_MEMORY = 1,         /**< out of memory */
    SUMMAND_ERR_DATATYPE = 2,       /**< the call does not take this datatype */
    SUMMAND_ERR_DISTRIBUTION = 3,   /**< the ranks' element ranges do not tile 0..N-1 */
    SUMMAND_ERR_ARGUMENT = 4,       /**< an argument is out of range */
    SUMMAND_ERR_BUSY = 5,           /**< the plan is already started */
    SUMMAND_ERR_ENVIRONMENT = 6,    /**< a variable SUMMAND_* has a value that cannot be used */
    SUMMAND_ERR_ALGORITHM = 7,      /**< no such algorithm, or not applicable to this call */
    SUMMAND_ERR_MISMATCH = 8,       /**< the ranks disagree on an argument that must be the same */
    SUMMAND_ERR_NOT_FINITE = 9,     /**< an input is NaN or infinite */
    SUMMAND_ERR_REMOTE = 10,        /**< another rank reported an error in this collective call */
    SUMMAND_ERR_TIMEOUT = 11,       /**< waited longer than a timeout allows */
    SUMMAND_ERR_NOT_STARTED = 12,   /**< the plan has never been started */
    SUMMAND_ERR_DAMAGED = 13,       /**< damage was found that could not be repaired */
    SUMMAND_ERR_FILE = 14,          /**< the file does not have the expected content */
    SUMMAND_ERR_COMMUNICATORS = 15, /**< the MPI has no communicators left for a first call */
    SUMMAND_ERR_NOT_CONVERGED = 16  /**< a result is not as accurate as asked */
};

/** The MPI error code that calls return for a condition. Local; MPI must be initialised.
 *  @return the code, which is never MPI_SUCCESS; MPI_ERR_UNKNOWN if `error` is SUMMAND_ERR_NONE or
 *          out of range */
SUMMAND_API int summand_error_code(enum summand_error error);

/** The condition that a returned code stands for. Local; any time, also before MPI_Init.
 *  @param[in] code any number
 *  @return the condition; SUMMAND_ERR_NONE for MPI_SUCCESS, the MPI's own codes and classes, and
 *          all other numbers */
SUMMAND_API enum summand_error summand_error_of(int code);

/** The MPI error class of all of Summand's conditions. Local; MPI must be initialised. */
SUMMAND_API int summand_error_class(void);

/** The text of an error code: that of MPI_Error_string, with details of the calling thread's last
 *  failed call if it returned this code. Details are the argument, its value, the allowed values
 *  and the rank. MPI's own codes have details only here, not in MPI_Error_string. Local; needs no
 *  communication. Before MPI_Init it returns the details of summand_setting_set.
 *  @param[in] code an error code that a call returned, or one of the MPI's; for any other number
 *             the text is "not an error code"
 *  @return a string of the calling thread, until it calls summand_error_text again; never NULL */
SUMMAND_API const char *summand_error_text(int code);

#ifdef __cplusplus
}
#endif
#endif

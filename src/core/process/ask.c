/* SPDX-License-Identifier: BSD-3-Clause */
#include "process/ask.h"

#include <pthread.h>
#include <stdbool.h>

#include "process/finalize.h"

/* Serializes threads, as collective calls on one communicator require. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Comm alone = MPI_COMM_NULL;

static void forget(void)
{
    PMPI_Comm_free(&alone);
}

/* Not a duplicate, which would copy the program's attributes. Its errors stay here. A default
 * handler stays: MPICH 5 raises errors of completed requests on MPI_COMM_SELF as soon as it has a
 * handler, else on their communicator, and what was never set cannot be put back. */
static bool make(void)
{
    MPI_Errhandler callers;
    if (alone != MPI_COMM_NULL)
        return true;
    if (PMPI_Comm_get_errhandler(MPI_COMM_SELF, &callers) != MPI_SUCCESS)
        return false;
    const bool swaps = callers != MPI_ERRORS_ARE_FATAL;
    if (swaps)
        PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    if (PMPI_Comm_split(MPI_COMM_SELF, 0, 0, &alone) != MPI_SUCCESS)
        alone = MPI_COMM_NULL;
    else if (summand__at_finalize(forget) != MPI_SUCCESS)
        forget();
    else
        PMPI_Comm_set_errhandler(alone, MPI_ERRORS_RETURN);
    if (swaps)
        PMPI_Comm_set_errhandler(MPI_COMM_SELF, callers);
    PMPI_Errhandler_free(&callers);
    return alone != MPI_COMM_NULL;
}

/* MPI's codes may depend on the communicator, which is hidden: returns their class. */
static int class_of(int code)
{
    int class = code;
    return PMPI_Error_class(code, &class) == MPI_SUCCESS ? class : code;
}

int summand__ask_reduction(MPI_Op op, MPI_Datatype datatype, int otherwise)
{
    char nothing[1];
    pthread_mutex_lock(&lock);
    if (make())
        otherwise = class_of(PMPI_Reduce(NULL, nothing, 0, datatype, op, 0, alone));
    pthread_mutex_unlock(&lock);
    return otherwise;
}

int summand__ask_message(MPI_Datatype datatype, MPI_Count count)
{
    char nothing[1];
    int code = MPI_SUCCESS;
    pthread_mutex_lock(&lock);
    if (make())
        code = class_of(PMPI_Bcast(nothing, count != 0, datatype, 0, alone));
    pthread_mutex_unlock(&lock);
    return code;
}

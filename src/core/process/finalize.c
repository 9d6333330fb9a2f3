/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls functions when MPI_Finalize deletes the attributes of MPI_COMM_SELF: first of all. */
#include "process/finalize.h"
#include "kernel/fpenv_call.h"

#include <mpi.h>
#include <pthread.h>

#include "process/callbacks.h"

enum { MOST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void (*functions[MOST])(void);
static int count;
static int keyval = MPI_KEYVAL_INVALID;

static int on_delete(MPI_Comm comm, int key, void *value, void *extra)
{
    SUMMAND__IN_DEFAULT_FPENV;
    (void)comm, (void)key, (void)value, (void)extra;
    while (count)
        functions[--count]();
    PMPI_Comm_free_keyval(&keyval);
    return MPI_SUCCESS;
}

int summand__at_finalize(void (*function)(void))
{
    int code = MPI_SUCCESS;
    pthread_mutex_lock(&lock);
    if (keyval == MPI_KEYVAL_INVALID) {
        code = summand__create_keyval(on_delete, &keyval);
        if (code == MPI_SUCCESS)
            code = PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
        if (code != MPI_SUCCESS && keyval != MPI_KEYVAL_INVALID)
            PMPI_Comm_free_keyval(&keyval); /* the next call tries again */
    }
    if (code == MPI_SUCCESS && count < MOST)
        functions[count++] = function;
    else if (code == MPI_SUCCESS)
        code = MPI_ERR_INTERN;
    pthread_mutex_unlock(&lock);
    return code;
}

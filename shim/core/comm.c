/* SPDX-License-Identifier: BSD-3-Clause */
/* Communicators that intercepted calls have used: an attribute of each. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "comm/state.h"
#include "core/request.h"
#include "core/shim.h"
#include "core/world.h"
#include "process/error.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int keyval = MPI_KEYVAL_INVALID;
static int numbers;
static atomic_uint ended; /* communicators that were freed: their handles may be reused */

/* A thread's last communicator: asking the MPI takes as long as all else of a passed call. */
static _Thread_local struct {
    MPI_Comm handle;
    struct shim_comm *comm;
    unsigned ended;
} last;

static int on_delete(MPI_Comm handle, int key, void *value, void *extra)
{
    (void)handle, (void)key, (void)extra;
    struct shim_comm *comm = value;
    atomic_fetch_add(&ended, 1);
    if (shim_state.watches)
        watch_comm_free(comm);
    free(comm);
    return MPI_SUCCESS;
}

static struct shim_comm *make(MPI_Comm handle)
{
    struct shim_comm *comm = calloc(1, sizeof *comm);
    int inter = 0, code = MPI_SUCCESS;
    bool within = true;
    if (!comm && shim_state.serves)
        shim_request_fail("a call", "its communicator", summand_error_code(SUMMAND_ERR_MEMORY));
    if (!comm)
        return NULL;
    PMPI_Comm_rank(handle, &comm->rank);
    PMPI_Comm_size(handle, &comm->size);
    PMPI_Comm_test_inter(handle, &inter);
    comm->comm = handle;
    comm->inter = inter;
    comm->operands = comm->size;
    if (inter) {
        PMPI_Comm_remote_size(handle, &comm->operands);
        if (shim_state.runs && shim_state.requests >= 0)
            code = shim_is_within_world(handle, true, &within);
        comm->strange = !within;
    }
    pthread_mutex_lock(&lock);
    comm->number = numbers++;
    pthread_mutex_unlock(&lock);
    if (code == MPI_SUCCESS)
        code = PMPI_Comm_set_attr(handle, keyval, comm);
    if (code != MPI_SUCCESS && shim_state.serves)
        shim_request_fail("a call", "its communicator", code);
    if (code != MPI_SUCCESS) {
        free(comm);
        return NULL;
    }
    return comm;
}

static struct shim_comm *find(MPI_Comm handle)
{
    unsigned now = atomic_load(&ended);
    void *value = NULL;
    int found = 0;
    if (PMPI_Comm_get_attr(handle, keyval, &value, &found) != MPI_SUCCESS)
        return NULL;
    /* In MPI_Finalize attributes are being deleted, and MPICH does not survive a new one. */
    struct shim_comm *comm = found ? value : shim_state.ends ? NULL : make(handle);
    if (comm) {
        last.handle = handle;
        last.comm = comm;
        last.ended = now;
    }
    return comm;
}

struct shim_comm *shim_comm_of(MPI_Comm handle)
{
    if (last.comm && last.handle == handle && last.ended == atomic_load(&ended))
        return last.comm;
    if (handle == MPI_COMM_NULL || keyval == MPI_KEYVAL_INVALID)
        return NULL;
    return find(handle);
}

bool shim_comms_begin(void)
{
    return keyval != MPI_KEYVAL_INVALID ||
           PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &keyval, NULL) == MPI_SUCCESS;
}

struct summand__state *shim_state_of(struct shim_comm *comm, int *code)
{
    struct summand__state *state = NULL;
    *code = summand__state_of(comm->comm, &state);
    comm->lost = *code != MPI_SUCCESS;
    return comm->lost ? NULL : state;
}

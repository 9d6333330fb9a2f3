/* SPDX-License-Identifier: BSD-3-Clause */
/* The requests that are served, by handle. */
#include "core/request.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/hash.h"
#include "core/shim.h"
#include "process/datatype.h"
#include "process/error.h"

atomic_int shim_requests, shim_persistent;
_Thread_local int shim_depth;

enum { BUCKETS = 256 };
static struct shim_request *buckets[BUCKETS];
/* By the program while in flight: the handles are ours. */
static struct shim_request *_Atomic freed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Operators and datatypes of the program's that requests use: an operator may ask which datatype it
 * gets, so that is the program's own, too. One of the two is null. */
static struct used {
    MPI_Op op;
    MPI_Datatype type;
    int requests, freed; /* how often the program has freed it */
    struct used *next;
} * in_use;

_Noreturn void shim_request_fail(const char *name, const char *what, int code)
{
    int rank = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    shim_end_program("rank %d: %s: %s (%s); the other ranks wait for it, so the program ends", rank,
                     name, what, summand_error_text(code));
}

static struct shim_request **bucket_of(MPI_Request handle)
{
    return &buckets[summand__spread((uintptr_t)handle) % BUCKETS];
}

/* With the lock. */
static struct shim_request **find(MPI_Request handle)
{
    struct shim_request **at = bucket_of(handle);
    while (*at && (*at)->handle != handle)
        at = &(*at)->next;
    return at;
}

void shim_request_combine(struct shim_request *request)
{
    const int code = request->done ? MPI_SUCCESS : shim_fold_run(&request->fold);
    if (code != MPI_SUCCESS)
        shim_request_fail("a request", "its operands cannot be combined", code);
    request->done = true;
}

/* With the lock. */
static void link_in(struct shim_request *request)
{
    struct shim_request **bucket = bucket_of(request->handle);
    request->next = *bucket;
    *bucket = request;
}

static void insert(struct shim_request *request)
{
    pthread_mutex_lock(&lock);
    link_in(request);
    pthread_mutex_unlock(&lock);
}

/* An MPI may give all requests that are complete at once one handle. */
void shim_request_keep(struct shim_request *request)
{
    atomic_int *const all = request->persistent ? &shim_persistent : &shim_requests;
    int over = false;
    request->uses = !request->fold.vector.predefined.kernel &&
                    shim_use(request->fold.vector.op, request->fold.vector.datatype.handle, 1);
    atomic_fetch_add(all, 1);
    pthread_mutex_lock(&lock);
    const bool shared = !request->persistent && *find(request->handle);
    if (!shared)
        link_in(request);
    pthread_mutex_unlock(&lock);
    if (!shared)
        return;
    SHIM_REAL(MPI_Request_get_status)(request->handle, &over, MPI_STATUS_IGNORE);
    if (!over) {
        insert(request);
        return;
    }
    shim_request_combine(request);
    shim_request_drop(request);
    atomic_fetch_sub(all, 1);
}

void shim_request_drop(struct shim_request *request)
{
    if (request->uses)
        shim_use(request->fold.vector.op, request->fold.vector.datatype.handle, -1);
    shim_fold_end(&request->fold);
    free(request->counts);
    free(request);
}

/* One of the table that is active, if `active`; taken out of it. */
static struct shim_request *take(MPI_Request handle, bool active)
{
    pthread_mutex_lock(&lock);
    struct shim_request **at = find(handle), *found = *at;
    if (found && active && !found->active)
        found = NULL;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

struct shim_request *shim_request_take(MPI_Request handle)
{
    return handle == MPI_REQUEST_NULL ? NULL : take(handle, true);
}

void shim_request_put(struct shim_request *taken, enum watch_outcome outcome)
{
    if (outcome == WATCH_COMPLETE)
        shim_request_combine(taken);
    if (outcome != WATCH_IN_FLIGHT) {
        taken->active = false;
        atomic_fetch_sub(&shim_requests, 1);
    }
    if (outcome == WATCH_IN_FLIGHT || taken->persistent)
        insert(taken);
    else
        shim_request_drop(taken);
}

/* A second thread that looks waits until the result is there. */
void shim_request_look(MPI_Request handle)
{
    static pthread_mutex_t looking = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&looking);
    struct shim_request *request = shim_request_take(handle);
    if (request) {
        shim_request_combine(request);
        insert(request);
    }
    pthread_mutex_unlock(&looking);
}

void shim_request_begin(MPI_Request handle, bool begins)
{
    pthread_mutex_lock(&lock);
    struct shim_request *request = *find(handle);
    if (request && request->persistent && request->active != begins) {
        request->active = begins;
        request->done = false;
        atomic_fetch_add(&shim_requests, begins ? 1 : -1);
    }
    pthread_mutex_unlock(&lock);
}

bool shim_request_free(MPI_Request handle)
{
    struct shim_request *request = handle == MPI_REQUEST_NULL ? NULL : take(handle, false);
    if (!request)
        return false;
    if (request->persistent)
        atomic_fetch_sub(&shim_persistent, 1);
    if (!request->active) {
        shim_request_drop(request);
        return false;
    }
    pthread_mutex_lock(&lock);
    request->next = freed;
    freed = request;
    pthread_mutex_unlock(&lock);
    return true;
}

/* True if it is complete; its handle is freed then. */
static bool end_freed(struct shim_request *request, bool waits)
{
    int over = true;
    const int code = waits ? SHIM_REAL(MPI_Wait)(&request->handle, MPI_STATUS_IGNORE)
                           : SHIM_REAL(MPI_Test)(&request->handle, &over, MPI_STATUS_IGNORE);
    if (!over)
        return false;
    if (code == MPI_SUCCESS)
        shim_request_combine(request);
    if (request->handle != MPI_REQUEST_NULL)
        SHIM_REAL(MPI_Request_free)(&request->handle);
    shim_request_drop(request);
    atomic_fetch_sub(&shim_requests, 1);
    return true;
}

static void end_all_freed(bool waits)
{
    pthread_mutex_lock(&lock);
    struct shim_request *all = freed;
    freed = NULL;
    pthread_mutex_unlock(&lock);
    while (all) {
        struct shim_request *request = all;
        all = request->next;
        if (end_freed(request, waits))
            continue;
        pthread_mutex_lock(&lock);
        request->next = freed;
        freed = request;
        pthread_mutex_unlock(&lock);
    }
}

void shim_requests_poll(void)
{
    if (__builtin_expect(freed != NULL, 0))
        end_all_freed(false);
}

/* What the MPI may still write to stays. */
void shim_requests_end(void)
{
    end_all_freed(true);
    for (int i = 0; i < BUCKETS; i++)
        while (buckets[i]) {
            struct shim_request *request = buckets[i];
            buckets[i] = request->next;
            if (!request->active)
                shim_request_drop(request);
        }
}

static struct used **find_used(MPI_Op op, MPI_Datatype type)
{
    struct used **at = &in_use;
    while (*at && ((*at)->op != op || (*at)->type != type))
        at = &(*at)->next;
    return at;
}

/* With the lock. What no request uses any more is returned. */
static struct used *use(MPI_Op op, MPI_Datatype type, int more)
{
    struct used **at = find_used(op, type), *found = *at;
    if (!found && (found = calloc(1, sizeof *found))) {
        found->op = op;
        found->type = type;
        *at = found;
    }
    if (!found)
        shim_request_fail("a request", "what it uses", summand_error_code(SUMMAND_ERR_MEMORY));
    found->requests += more;
    if (found->requests)
        return NULL;
    *at = found->next;
    return found;
}

/* Without the lock: the program's attributes of a datatype may call the MPI. */
static void end_use(struct used *used)
{
    for (int i = 0; used && i < used->freed; i++) {
        MPI_Op op = used->op;
        MPI_Datatype type = used->type;
        if (op != MPI_OP_NULL)
            SHIM_REAL(MPI_Op_free)(&op);
        else
            SHIM_REAL(MPI_Type_free)(&type);
    }
    free(used);
}

bool shim_use(MPI_Op op, MPI_Datatype type, int more)
{
    const bool ends_op = !summand__op_predefined(op), ends_type = !summand__datatype_lasts(type);
    if (!ends_op && !ends_type)
        return false;
    pthread_mutex_lock(&lock);
    struct used *of_op = ends_op ? use(op, MPI_DATATYPE_NULL, more) : NULL;
    struct used *of_type = ends_type ? use(MPI_OP_NULL, type, more) : NULL;
    pthread_mutex_unlock(&lock);
    end_use(of_op);
    end_use(of_type);
    return true;
}

static bool keeps(MPI_Op op, MPI_Datatype type)
{
    pthread_mutex_lock(&lock);
    struct used *found = *find_used(op, type);
    if (found)
        found->freed++;
    pthread_mutex_unlock(&lock);
    return found;
}

bool shim_op_keeps(MPI_Op op)
{
    return keeps(op, MPI_DATATYPE_NULL);
}

bool shim_type_keeps(MPI_Datatype type)
{
    return keeps(MPI_OP_NULL, type);
}

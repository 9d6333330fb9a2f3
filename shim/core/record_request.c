/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests whose results are awaited, and persistent ones, by handle. A result is hashed only when
 * the MPI has said that its request is complete, and a persistent call's input when it starts. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/hash.h"
#include "shim/core/record.h"
#include "shim/core/record_file.h"

struct awaited {
    MPI_Request request;
    struct record_data input, result; /* derived datatypes are duplicates of ours */
    struct record_pending *line;      /* NULL: a persistent call that is not active */
    bool persistent;
    struct record_entry entry; /* persistent: what is the same at each start */
    struct shim_comm *comm;    /* persistent; NULL: it was freed */
    struct awaited *next;
};

enum { BUCKETS = 256 };
static struct awaited *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct awaited **bucket_of(MPI_Request request)
{
    return &buckets[summand__spread((uintptr_t)request) % BUCKETS];
}

static atomic_int persistent, pending; /* persistent requests; those of both kinds in flight */

static void insert(struct awaited *awaited)
{
    pthread_mutex_lock(&lock);
    struct awaited **bucket = bucket_of(awaited->request);
    awaited->next = *bucket;
    *bucket = awaited;
    pthread_mutex_unlock(&lock);
}

/* A program may free its datatype before the request completes. */
static void own_type(struct record_data *data)
{
    MPI_Datatype own = MPI_DATATYPE_NULL;
    if (data->blocks && record_type_derived(data->type)) {
        if (PMPI_Type_dup(data->type, &own) == MPI_SUCCESS)
            data->type = own;
        else
            data->blocks = 0;
    }
}

static void disown_type(struct record_data *data)
{
    if (data->blocks && record_type_derived(data->type))
        PMPI_Type_free(&data->type);
}

static bool add(const struct awaited *awaited)
{
    struct awaited *made = malloc(sizeof *made);
    if (!made)
        return false;
    *made = *awaited;
    own_type(&made->input);
    own_type(&made->result);
    insert(made);
    return true;
}

void record_request_await(MPI_Request request, const struct record_data *result,
                          struct record_pending *line)
{
    const struct awaited made = {.request = request, .result = *result, .line = line};
    if (add(&made))
        atomic_fetch_add(&pending, 1);
    else
        record_file_complete(line, (struct record_hashed){0}, NULL);
}

void record_request_keep(MPI_Request request, const struct record_entry *entry,
                         const struct record_data *input, const struct record_data *result,
                         struct shim_comm *comm)
{
    const struct awaited made = {.request = request,
                                 .input = *input,
                                 .result = *result,
                                 .persistent = true,
                                 .entry = *entry,
                                 .comm = comm};
    if (add(&made))
        atomic_fetch_add(&persistent, 1);
}

bool record_request_keeps(void)
{
    return atomic_load_explicit(&persistent, memory_order_relaxed) > 0;
}

bool record_waits(void)
{
    return atomic_load_explicit(&pending, memory_order_relaxed) > 0;
}

enum which { PERSISTENT, ALL };
/* Takes it out of the table, if it is not persistent or `whole`. */
static struct awaited *find(MPI_Request request, enum which which, bool whole)
{
    pthread_mutex_lock(&lock);
    struct awaited **at = bucket_of(request);
    while (*at && ((*at)->request != request || (which == PERSISTENT && !(*at)->persistent)))
        at = &(*at)->next;
    struct awaited *found = *at;
    if (found && (whole || !found->persistent))
        *at = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static void end(struct awaited *done)
{
    disown_type(&done->input);
    disown_type(&done->result);
    if (done->persistent)
        atomic_fetch_sub(&persistent, 1);
    free(done);
}

/* Completes its line: with the result, or without if there is none. */
static void complete(struct awaited *taken, enum watch_outcome outcome)
{
    if (outcome == WATCH_COMPLETE)
        record_file_complete(taken->line, record_hash_data(&taken->result),
                             record_values(&taken->result));
    else
        record_file_complete(taken->line, (struct record_hashed){0}, NULL);
    taken->line = NULL;
    atomic_fetch_sub(&pending, 1);
}

void record_request_start(MPI_Request request)
{
    struct awaited *kept = request == MPI_REQUEST_NULL ? NULL : find(request, PERSISTENT, false);
    if (!kept || !kept->comm)
        return;
    if (kept->line) /* the call that should have completed it has failed */
        complete(kept, WATCH_FAILED);
    kept->entry.call.number = (long long)++kept->comm->calls;
    kept->entry.call.input = record_hash_data(&kept->input);
    kept->entry.in = record_values(&kept->input);
    kept->line = record_file_begin(&kept->entry);
    if (kept->line)
        atomic_fetch_add(&pending, 1);
}

struct awaited *record_request_take(MPI_Request request)
{
    struct awaited *found = request == MPI_REQUEST_NULL ? NULL : find(request, ALL, false);
    return found && found->line ? found : NULL;
}

void record_request_put(struct awaited *taken, enum watch_outcome outcome)
{
    if (outcome == WATCH_IN_FLIGHT) {
        if (!taken->persistent)
            insert(taken);
        return;
    }
    complete(taken, outcome);
    if (!taken->persistent)
        end(taken);
}

void record_request_free(MPI_Request request)
{
    struct awaited *done = request == MPI_REQUEST_NULL ? NULL : find(request, ALL, true);
    if (!done)
        return;
    if (done->line) {
        record_file_complete(done->line, (struct record_hashed){0}, NULL);
        atomic_fetch_sub(&pending, 1);
    }
    end(done);
}

void record_request_comm_free(const struct shim_comm *comm)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < BUCKETS && record_request_keeps(); i++)
        for (struct awaited *a = buckets[i]; a; a = a->next)
            a->comm = a->comm == comm ? NULL : a->comm;
    pthread_mutex_unlock(&lock);
}

/* Requests that the program never completed: their lines go without results. */
void record_requests_end(void)
{
    for (int i = 0; i < BUCKETS; i++)
        while (buckets[i]) {
            struct awaited *done = buckets[i];
            buckets[i] = done->next;
            end(done);
        }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Requests whose results are awaited, by handle. A buffer is hashed only when the MPI has said that
 * its request is complete. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "shim/core/record.h"
#include "shim/core/record_file.h"

struct awaited {
    MPI_Request request;
    struct record_data result;
    struct record_pending *pending;
    bool copied; /* the datatype is a duplicate of ours */
    struct awaited *next;
};

enum { BUCKETS = 256 };
static struct awaited *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct awaited **bucket_of(MPI_Request request)
{
    return &buckets[(uint64_t)(uintptr_t)request * UINT64_C(0x9e3779b97f4a7c15) >> 56];
}

void record_request_await(MPI_Request request, const struct record_data *result,
                          struct record_pending *pending)
{
    struct awaited *made = malloc(sizeof *made);
    MPI_Datatype own = MPI_DATATYPE_NULL;
    if (!made) {
        record_file_complete(pending, (struct record_hashed){0}, NULL);
        return;
    }
    *made = (struct awaited){request, *result, pending, false, NULL};
    if (result->blocks && record_type_derived(result->type) &&
        PMPI_Type_dup(result->type, &own) == MPI_SUCCESS) {
        made->result.type = own;
        made->copied = true;
    }
    pthread_mutex_lock(&lock);
    struct awaited **bucket = bucket_of(request);
    made->next = *bucket;
    *bucket = made;
    pthread_mutex_unlock(&lock);
}

static struct awaited *take(MPI_Request request)
{
    pthread_mutex_lock(&lock);
    struct awaited **at = bucket_of(request);
    while (*at && (*at)->request != request)
        at = &(*at)->next;
    struct awaited *found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&lock);
    return found;
}

static void end(struct awaited *done)
{
    if (done->copied)
        PMPI_Type_free(&done->result.type);
    free(done);
}

void record_request_done(MPI_Request request)
{
    struct awaited *done = request == MPI_REQUEST_NULL ? NULL : take(request);
    if (!done)
        return;
    record_file_complete(done->pending, record_hash_data(&done->result),
                         record_values(&done->result));
    end(done);
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

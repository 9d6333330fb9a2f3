/* SPDX-License-Identifier: BSD-3-Clause */
#include "shim/core/record.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/environment.h"
#include "core/held.h"
#include "core/request.h"
#include "op/predefined.h"
#include "shim/core/record_file.h"
#include "shim/core/record_hash.h"
#include "shim/core/record_operands.h"
#include "shim/core/record_site.h"

static bool is_on;
static int world_rank;
static long long values; /* most values of a buffer to store */
enum { NUMBER_ROOM = 33 };

/* Communicators by the hash of their group. */
enum { BUCKETS = 1024 };
struct peers {
    struct record_peers peers;
    struct peers *next;
};
static struct peers *buckets[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Of the call that this thread is in. */
static _Thread_local struct {
    struct record_operands operands;
    struct record_hashed input;
    char *in;
} now;

/* One warning per process: the others may lie on other nodes. */
static void warn(const char *what, const char *why)
{
    shim_say("rank %d: %s: %s", world_rank, what, why);
}

/* The members' ranks in MPI_COMM_WORLD. */
static bool hash_group(MPI_Comm comm, uint64_t *hash)
{
    MPI_Group own = MPI_GROUP_NULL, world = MPI_GROUP_NULL;
    int size = 0;
    bool good = PMPI_Comm_group(comm, &own) == MPI_SUCCESS &&
                PMPI_Comm_group(MPI_COMM_WORLD, &world) == MPI_SUCCESS &&
                PMPI_Group_size(own, &size) == MPI_SUCCESS;
    int *ranks = good ? malloc(2 * (size_t)size * sizeof *ranks) : NULL;
    good = good && ranks;
    for (int i = 0; i < size && good; i++)
        ranks[i] = i;
    good = good && PMPI_Group_translate_ranks(own, size, ranks, world, ranks + size) == MPI_SUCCESS;
    if (good) {
        struct record_hash state = record_hash_begin();
        record_hash_add(&state, ranks + size, (size_t)size * sizeof *ranks);
        *hash = record_hash_end(&state);
    }
    free(ranks);
    if (own != MPI_GROUP_NULL)
        PMPI_Group_free(&own);
    if (world != MPI_GROUP_NULL)
        PMPI_Group_free(&world);
    return good;
}

static struct record_peers *make_peers(const struct shim_comm *comm)
{
    uint64_t group;
    struct peers *made = hash_group(comm->comm, &group) ? calloc(1, sizeof *made) : NULL;
    if (!made)
        return NULL;
    long long nth = 0;
    pthread_mutex_lock(&lock);
    struct peers **bucket = &buckets[group % BUCKETS];
    const struct peers *before = *bucket; /* the newest of this group */
    while (before && (before->peers.line.group != group || before->peers.line.size != comm->size))
        before = before->next;
    if (before)
        nth = before->peers.line.nth + 1;
    made->peers.line = (struct record_communicator){
        .size = comm->size, .rank = comm->rank, .group = group, .nth = nth};
    made->next = *bucket;
    *bucket = made;
    pthread_mutex_unlock(&lock);
    return &made->peers;
}

static struct record_peers *peers_of(struct shim_comm *comm)
{
    if (!comm->record)
        comm->record = make_peers(comm);
    return comm->record;
}

static void text_of_mpi(char *text, size_t room)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    size_t used = 0;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = 0;
    for (const char *at = version; *at && used + 1 < room; at++)
        if ((unsigned char)*at > ' ')
            text[used++] = *at;
        else if (used && text[used - 1] != ' ')
            text[used++] = ' ';
    text[used] = 0;
}

static void at_exit(void)
{
    record_abort();
}

bool record_start(void)
{
    struct summand__setting folder, most, mode;
    struct summand__complaint complaint;
    char mpi[128], program[4096] = "";
    int ranks = 0;
    MPI_Comm parent = MPI_COMM_NULL;
    PMPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (!summand__environment_read("SUMMAND_RECORD", &folder, &complaint) ||
        !summand__environment_read("SUMMAND_RECORD_VALUES", &most, &complaint) ||
        !summand__environment_read("SUMMAND_MODE", &mode, &complaint)) {
        if (world_rank == 0)
            warn("no record", complaint.text);
        return false;
    }
    if (!folder.text)
        return false;
    PMPI_Comm_get_parent(&parent);
    if (parent != MPI_COMM_NULL) {
        if (world_rank == 0)
            warn(folder.text, "programs that were spawned are not recorded");
        return false;
    }
    values = most.text ? most.number : 0;
    text_of_mpi(mpi, sizeof mpi);
    if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
        strcpy(program, "unknown");
    const char *why = record_types_begin()
                          ? record_file_open(folder.text, world_rank, ranks, program, mpi,
                                             mode.text ? mode.text : "fast")
                          : "no memory";
    if (why) {
        warn(folder.text, why);
        return false;
    }
    atexit(at_exit);
    return is_on = true;
}

char *record_values(const struct record_data *data)
{
    const size_t room = (size_t)values * 2 * NUMBER_ROOM + 2 * NUMBER_ROOM;
    if (!values || !data->blocks)
        return NULL;
    char *text = malloc(room);
    size_t used = text ? record_print_values(data, values, text, room) : 0;
    if (used) {
        text[used] = 0;
        return text;
    }
    free(text);
    return NULL;
}

void record_begin(struct shim_call *call)
{
    now.input = (struct record_hashed){0};
    now.in = NULL;
    if (!is_on || !call->number)
        return;
    now.operands = record_operands(call);
    if (call->form == SHIM_PERSISTENT_INIT)
        return; /* the input counts when it starts */
    now.input = record_hash_data(&now.operands.input);
    now.in = record_values(&now.operands.input);
}

static struct record_entry entry_of(const struct shim_call *call)
{
    const char *op = now.operands.has_op ? summand__op_name(call->op) : NULL;
    struct record_entry entry = {.peers = peers_of(call->comm),
                                 .in = now.in,
                                 .call = {.number = (long long)call->number,
                                          .name = now.operands.name,
                                          .count = now.operands.count,
                                          .op = op && strncmp(op, "MPI_", 4) ? "user" : op,
                                          .root = now.operands.root,
                                          .input = now.input,
                                          .how = call->served ? call->algorithm : "mpi",
                                          .site = record_site(call->caller)}};
    record_type_name(now.operands.type, entry.type, sizeof entry.type);
    return entry;
}

/* An MPI may give one handle to all calls that were complete at once, such as those on one rank. If
 * it is complete, its result is there. */
static bool is_complete(MPI_Request request)
{
    int flag = request == MPI_REQUEST_NULL;
    if (!flag && PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) == MPI_SUCCESS && flag)
        shim_request_look(request);
    return flag;
}

static void end_nonblocking(const struct shim_call *call, struct record_entry *entry)
{
    struct record_pending *pending = record_file_begin(entry);
    if (pending)
        record_request_await(*call->request, &now.operands.result, pending);
}

void record_end(struct shim_call *call)
{
    if (!is_on || !call->number)
        return;
    struct record_entry entry = entry_of(call);
    if (!entry.peers) {
        free(entry.in);
        return;
    }
    const struct record_data *input = &now.operands.input, *result = &now.operands.result;
    if (call->form == SHIM_PERSISTENT_INIT) {
        /* Arrays of counts may end before the request. */
        if (call->code == MPI_SUCCESS && call->collective != SHIM_ALLGATHERV)
            record_request_keep(*call->request, &entry, input, result, call->comm);
    } else if (call->code != MPI_SUCCESS) {
        record_file_add(&entry);
    } else if (call->form == SHIM_NONBLOCKING && !is_complete(*call->request)) {
        end_nonblocking(call, &entry);
    } else {
        const bool root_of_bcast = call->collective == SHIM_BCAST && input->blocks;
        entry.call.result = root_of_bcast ? now.input : record_hash_data(result);
        entry.out = record_values(result);
        record_file_add(&entry);
    }
}

void record_abort(void)
{
    if (is_on)
        record_file_flush();
}

void record_finish(void)
{
    const char *why;
    if (!is_on)
        return;
    is_on = false;
    record_requests_end();
    long long lost = record_file_close(&why);
    char text[160];
    if (lost) {
        snprintf(text, sizeof text, "its record lacks %lld calls or lines", lost);
        warn(text, why ? why : "unknown");
    }
    record_types_end();
    for (int i = 0; i < BUCKETS; i++)
        while (buckets[i]) {
            struct peers *done = buckets[i];
            buckets[i] = done->next;
            free(done);
        }
}

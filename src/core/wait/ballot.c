/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/ballot.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "process/world_root.h"

static bool test(void *request, int *code)
{
    int done = 0;
    *code = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
    return done;
}

int summand__ballot_request(struct summand__watch *watch, MPI_Request *request, bool oversubscribed)
{
    struct summand__wait wait = {.backoff = {.oversubscribed = oversubscribed, .awake = true},
                                 .watch = watch};
    watch->plans = true;
#ifdef SMPI_H /* SimGrid does not advance time in MPI_Test: polling would never end */
    if (!summand__wait_progress_plans())
        return PMPI_Wait(request, MPI_STATUS_IGNORE);
#endif
    int code = summand__wait_until(&wait, test, request);
    summand__watch_end(watch);
    return code;
}

static int wait(MPI_Comm comm, MPI_Request *request, bool oversubscribed)
{
    struct summand__watch watch = {.where = "its first call on a communicator, or for a window's "
                                            "memory, which not all ranks have come to"};
    PMPI_Comm_rank(comm, &watch.rank);
    PMPI_Comm_size(comm, &watch.ranks);
    return summand__ballot_request(&watch, request, oversubscribed);
}

int summand__ballot_wait(MPI_Comm comm, MPI_Request *request)
{
    return wait(comm, request, false);
}

bool summand__ballot_oversubscribed(void)
{
    const int ranks = summand__world_ranks(), allowed = summand__processors_allowed();
    /* One may be what mpiexec binds this rank to. */
    return !ranks || ranks > (allowed > 1 ? allowed : summand__processors());
}

enum { AT_ONCE = 2 };

/* A collective on copies of the caller's buffers: the MPI may use them after its wait has ended. */
struct collective {
    MPI_Comm comm;
    void *own, *all;
    size_t own_bytes, all_bytes;
    int count;
    MPI_Datatype type;
    MPI_Op op;
    int (*start)(const struct collective *collective, MPI_Request *request);
    bool oversubscribed;
};

/* Copies the caller's buffers to `memory`, and returns what follows. */
static char *copy_to(char *memory, struct collective *collective)
{
    const void *own = collective->own;
    collective->own = own == collective->all ? memory : memory + collective->all_bytes;
    collective->all = memory;
    memcpy(collective->own, own, collective->own_bytes);
    return memory + collective->own_bytes + collective->all_bytes;
}

/* Starts some collectives at once, and waits for all. Without memory for copies they use the
 * caller's buffers: this rank still joins, and waits until all do. */
static int run_all(const struct collective *wanted, int n)
{
    struct collective copy[AT_ONCE];
    MPI_Request request[AT_ONCE];
    size_t bytes = 0;
    int code = MPI_SUCCESS, open = 0;
    for (int i = 0; i < n; i++)
        bytes += wanted[i].own_bytes + wanted[i].all_bytes;
    char *memory = malloc(bytes), *next = memory;
    for (int i = 0; i < n; i++) {
        copy[i] = wanted[i];
        request[i] = MPI_REQUEST_NULL;
        if (memory)
            next = copy_to(next, &copy[i]);
        if (code == MPI_SUCCESS)
            code = copy[i].start(&copy[i], &request[i]);
    }
    for (int i = 0; i < n; i++) {
        int end = MPI_SUCCESS;
        if (!memory && request[i] != MPI_REQUEST_NULL)
            end = PMPI_Wait(&request[i], MPI_STATUS_IGNORE);
        else if (request[i] != MPI_REQUEST_NULL && code == MPI_SUCCESS)
            end = wait(copy[i].comm, &request[i], copy[i].oversubscribed);
        code = code == MPI_SUCCESS ? end : code;
        open += request[i] != MPI_REQUEST_NULL;
    }
    for (int i = 0; i < n && memory && code == MPI_SUCCESS; i++)
        memcpy(wanted[i].all, copy[i].all, wanted[i].all_bytes);
    if (!open) /* else the MPI may still write to it */
        free(memory);
    return code;
}

static int run(const struct collective *collective)
{
    return run_all(collective, 1);
}

static int start_reduction(const struct collective *c, MPI_Request *request)
{
    return PMPI_Iallreduce(MPI_IN_PLACE, c->all, c->count, c->type, c->op, c->comm, request);
}

static int start_bcast(const struct collective *c, MPI_Request *request)
{
    return PMPI_Ibcast(c->all, c->count, c->type, 0, c->comm, request);
}

static int start_gather(const struct collective *c, MPI_Request *request)
{
    return PMPI_Iallgather(c->own, c->count, c->type, c->all, c->count, c->type, c->comm, request);
}

static struct collective in_place(MPI_Comm comm, void *data, int count, size_t bytes,
                                  MPI_Datatype type)
{
    return (struct collective){.comm = comm,
                               .own = data,
                               .all = data,
                               .own_bytes = bytes * (size_t)count,
                               .all_bytes = bytes * (size_t)count,
                               .count = count,
                               .type = type,
                               .start = start_reduction,
                               .oversubscribed = summand__ballot_oversubscribed()};
}

int summand__ballot(MPI_Comm comm, uint64_t *words, int count, bool oversubscribed)
{
    struct collective vote = in_place(comm, words, count, sizeof *words, MPI_UINT64_T);
    vote.op = MPI_BAND;
    vote.oversubscribed = oversubscribed;
    return run(&vote);
}

int summand__ballot_or(MPI_Comm comm, uint64_t *words, int count)
{
    struct collective vote = in_place(comm, words, count, sizeof *words, MPI_UINT64_T);
    vote.op = MPI_BOR;
    return run(&vote);
}

int summand__ballot_least(MPI_Comm comm, int *numbers, int count)
{
    struct collective vote = in_place(comm, numbers, count, sizeof *numbers, MPI_INT);
    vote.op = MPI_MIN;
    return run(&vote);
}

static struct collective lowest(MPI_Comm comm, uint64_t *words, int count)
{
    struct collective vote = in_place(comm, words, count, sizeof *words, MPI_UINT64_T);
    vote.op = MPI_MIN;
    return vote;
}

int summand__ballot_lowest(MPI_Comm comm, uint64_t *words, int count)
{
    const struct collective vote = lowest(comm, words, count);
    return run(&vote);
}

int summand__ballot_tell(MPI_Comm comm, void *data, int bytes)
{
    struct collective bcast = in_place(comm, data, bytes, 1, MPI_BYTE);
    bcast.start = start_bcast;
    return run(&bcast);
}

static struct collective gathering(MPI_Comm comm, const void *mine, void *all, int bytes)
{
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    return (struct collective){.comm = comm,
                               .own = (void *)mine, /* only read */
                               .all = all,
                               .own_bytes = (size_t)bytes,
                               .all_bytes = (size_t)bytes * (size_t)ranks,
                               .count = bytes,
                               .type = MPI_BYTE,
                               .start = start_gather,
                               .oversubscribed = summand__ballot_oversubscribed()};
}

int summand__ballot_gather(MPI_Comm comm, const void *mine, void *all, int bytes)
{
    const struct collective gather = gathering(comm, mine, all, bytes);
    return run(&gather);
}

int summand__ballot_gather_lowest(MPI_Comm comm, const void *mine, void *all, int bytes,
                                  uint64_t *words, int count)
{
    return run_all(
        (const struct collective[]){gathering(comm, mine, all, bytes), lowest(comm, words, count)},
        2);
}

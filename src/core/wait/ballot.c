/* SPDX-License-Identifier: BSD-3-Clause */
#include "wait/ballot.h"

#include <stdlib.h>
#include <string.h>

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

/* Without memory, the rank still joins, using the caller's buffers: it waits until all join. */
static int run_without_memory(const struct collective *collective)
{
    MPI_Request request;
    int code = collective->start(collective, &request);
    return code == MPI_SUCCESS ? PMPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

static int run(const struct collective *collective)
{
    struct collective copy = *collective;
    MPI_Request request = MPI_REQUEST_NULL;
    char *memory = malloc(copy.own_bytes + copy.all_bytes);
    if (!memory)
        return run_without_memory(collective);
    copy.own = copy.own == copy.all ? memory : memory + copy.all_bytes;
    copy.all = memory;
    memcpy(copy.own, collective->own, copy.own_bytes);
    int code = copy.start(&copy, &request);
    if (code == MPI_SUCCESS)
        code = wait(copy.comm, &request, copy.oversubscribed);
    if (code == MPI_SUCCESS)
        memcpy(collective->all, copy.all, copy.all_bytes);
    if (request == MPI_REQUEST_NULL) /* else the MPI may still write to it */
        free(memory);
    return code;
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
                               .oversubscribed = true};
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

int summand__ballot_lowest(MPI_Comm comm, uint64_t *words, int count)
{
    struct collective vote = in_place(comm, words, count, sizeof *words, MPI_UINT64_T);
    vote.op = MPI_MIN;
    return run(&vote);
}

int summand__ballot_tell(MPI_Comm comm, void *data, int bytes)
{
    struct collective bcast = in_place(comm, data, bytes, 1, MPI_BYTE);
    bcast.start = start_bcast;
    return run(&bcast);
}

int summand__ballot_gather(MPI_Comm comm, const void *mine, void *all, int bytes)
{
    int ranks;
    PMPI_Comm_size(comm, &ranks);
    return run(&(struct collective){.comm = comm,
                                    .own = (void *)mine, /* only read */
                                    .all = all,
                                    .own_bytes = (size_t)bytes,
                                    .all_bytes = (size_t)bytes * (size_t)ranks,
                                    .count = bytes,
                                    .type = MPI_BYTE,
                                    .start = start_gather,
                                    .oversubscribed = true});
}

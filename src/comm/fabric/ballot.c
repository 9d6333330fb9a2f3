#include "comm/fabric/ballot.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "base/backoff.h"
#include "base/environment.h"
#include "base/warning.h"
#include "comm/error.h"

static void (*_Atomic moves)(void);

void summand__ballot_moves(void (*move)(void))
{
    atomic_store(&moves, move);
}

static double seconds_of(const char *name, double standard)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    bool given = summand__environment_read(name, &setting, &complaint) && setting.text;
    return given ? setting.seconds : standard;
}

static void say(MPI_Comm comm, double seconds)
{
    char text[160];
    int rank, ranks;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &ranks);
    snprintf(text, sizeof text,
             "rank %d of %d has waited for %.*f s in its first call on a communicator, or for a "
             "window's memory, which not all ranks have come to",
             rank, ranks, seconds < 0.1 ? 3 : seconds < 10, seconds);
    summand__tell(text);
}

/* What a wait looks at once it has begun to yield. */
static int look(MPI_Comm comm, uint64_t since, bool *said)
{
    double waited = (double)(summand__clock() - since) * 1e-9;
    double stall = seconds_of("SUMMAND_STALL", 60), timeout = seconds_of("SUMMAND_TIMEOUT", 0);
    if (stall > 0 && waited > stall && !*said) {
        say(comm, waited);
        *said = true;
    }
    if (!(timeout > 0) || waited <= timeout)
        return MPI_SUCCESS;
    summand__error_explain(SUMMAND_ERR_TIMEOUT,
                           "in the first call on a communicator, or for a window's memory");
    return summand_error_code(SUMMAND_ERR_TIMEOUT);
}

static int wait(MPI_Comm comm, MPI_Request *request, bool oversubscribed)
{
    struct summand__backoff backoff = {.oversubscribed = oversubscribed, .awake = true};
    bool said = false;
    int done = 0;
#ifdef SMPI_H /* SimGrid lets no time pass in MPI_Test: it would poll for ever */
    if (!atomic_load(&moves))
        return PMPI_Wait(request, MPI_STATUS_IGNORE);
#endif
    for (;;) {
        int code = PMPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || code != MPI_SUCCESS)
            return code;
        void (*move)(void) = atomic_load_explicit(&moves, memory_order_relaxed);
        if (move)
            move();
        if (summand__backoff_turn(&backoff))
            code = look(comm, backoff.yielded, &said);
        if (code != MPI_SUCCESS)
            return code;
    }
}

int summand__ballot_wait(MPI_Comm comm, MPI_Request *request)
{
    return wait(comm, request, false);
}

/* A collective on copies of the caller's buffers: the MPI may still use these when its wait is
 * over.
 */
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

/* A rank without memory comes all the same, with the caller's own buffers; until the others come.
 */
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
    if (request == MPI_REQUEST_NULL) /* else the MPI may still write there */
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
                                    .own = (void *)mine, /* read alone */
                                    .all = all,
                                    .own_bytes = (size_t)bytes,
                                    .all_bytes = (size_t)bytes * (size_t)ranks,
                                    .count = bytes,
                                    .type = MPI_BYTE,
                                    .start = start_gather,
                                    .oversubscribed = true});
}

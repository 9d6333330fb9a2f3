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
    return given ? (double)setting.number : standard;
}

static void say(MPI_Comm comm, double seconds)
{
    char text[160];
    int rank, ranks;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    snprintf(text, sizeof text,
             "rank %d of %d has waited for %.0f s in its first call on a communicator, which not "
             "all ranks have come to",
             rank, ranks, seconds);
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
    summand__error_explain(SUMMAND_ERR_TIMEOUT, "in the first call on a communicator");
    return summand_error_code(SUMMAND_ERR_TIMEOUT);
}

static int wait(MPI_Comm comm, MPI_Request *request, bool oversubscribed)
{
    struct summand__backoff backoff = {.oversubscribed = oversubscribed, .awake = true};
    bool said = false;
    int done = 0;
    for (;;) {
        int code = MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done || code != MPI_SUCCESS)
            return code;
        void (*move)(void) = atomic_load_explicit(&moves, memory_order_relaxed);
        if (move)
            move();
        if (summand__wait_a_turn(&backoff))
            code = look(comm, backoff.yielded, &said);
        if (code != MPI_SUCCESS)
            return code;
    }
}

/* A rank without memory votes all the same; by a collective of the same kind, or they would not
 * meet. */
static int vote_without_memory(MPI_Comm comm, uint64_t *words, int count)
{
    MPI_Request request;
    int code = MPI_Iallreduce(MPI_IN_PLACE, words, count, MPI_UINT64_T, MPI_BAND, comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
}

int summand__ballot(MPI_Comm comm, uint64_t *words, int count, bool oversubscribed)
{
    size_t bytes = (size_t)count * sizeof *words;
    uint64_t *own = malloc(2 * bytes), *all;
    MPI_Request request = MPI_REQUEST_NULL;
    if (!own)
        return vote_without_memory(comm, words, count);
    all = own + count;
    memcpy(own, words, bytes);
    int code = MPI_Iallreduce(own, all, count, MPI_UINT64_T, MPI_BAND, comm, &request);
#ifdef SMPI_H /* SimGrid lets no time pass in MPI_Test: it would poll for ever */
    if (code == MPI_SUCCESS && !atomic_load(&moves))
        code = MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    if (code == MPI_SUCCESS && request != MPI_REQUEST_NULL)
        code = wait(comm, &request, oversubscribed);
    if (code == MPI_SUCCESS)
        memcpy(words, all, bytes);
    if (request == MPI_REQUEST_NULL) /* else the MPI may still write there */
        free(own);
    return code;
}

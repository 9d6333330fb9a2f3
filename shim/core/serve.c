/* SPDX-License-Identifier: BSD-3-Clause */
/* Serving a call by Summand, or not, in the same way on all ranks.
 *
 * Whether a call is tried depends on what MPI's rules make equal on all ranks: the collective, the
 * communicator, the bytes. The first try of each size class (powers of 2) on a communicator agrees:
 * an error of one rank, such as too little memory, is an error of all, and they call the MPI
 * together. Later calls of the class send nothing but their data. If one of them runs out of
 * memory on one rank, the others may have their result, so that rank raises an error. */
#include <stdlib.h>
#include <summand.h>

#include "comm/state.h"
#include "core/shim.h"
#include "op/predefined.h"
#include "process/datatype.h"
#include "process/error.h"

/* How a mode serves: the promise for MPI_SUM of floating types, and for all else. */
static const struct {
    enum summand_promise sum, other;
} ways[SHIM_MODE_COUNT] = {
    [SHIM_MODE_FAST] = {SUMMAND_PROMISE_DEFAULT, SUMMAND_PROMISE_DEFAULT},
    [SHIM_MODE_ORDERED] = {SUMMAND_PROMISE_RANK_ORDER, SUMMAND_PROMISE_RANK_ORDER},
    [SHIM_MODE_CANONICAL] = {SUMMAND_PROMISE_CANONICAL, SUMMAND_PROMISE_CANONICAL},
    [SHIM_MODE_EXACT] = {SUMMAND_PROMISE_EXACT, SUMMAND_PROMISE_CANONICAL},
};

/* True if exact sums take the datatype. */
static bool has_exact_sums(MPI_Datatype type)
{
    enum summand__lanes_type numbers;
    size_t each;
    return summand__datatype_lanes(type, &numbers, &each);
}

MPI_Count shim_elements(const struct shim_call *call)
{
    MPI_Count sum = 0;
    const int size = call->comm->size;
    if (call->collective == SHIM_ALLGATHER || call->collective == SHIM_REDUCE_SCATTER_BLOCK)
        return call->recvcount * size;
    if (call->collective != SHIM_REDUCE_SCATTER && call->collective != SHIM_ALLGATHERV)
        return call->recvcount;
    if (!call->recvcounts && !call->recvcounts_c)
        return -1;
    for (int r = 0; r < size; r++) {
        const MPI_Count count = shim_count(call, r);
        if (count < 0)
            return -1;
        sum += count;
    }
    return sum;
}

/* Bytes of the vector, or of all blocks: the same on all ranks. Negative: an argument is wrong. */
static MPI_Count bytes_of(const struct shim_call *call)
{
    MPI_Count size = 0, count = shim_elements(call), bytes;
    if (count <= 0 || call->recvtype == MPI_DATATYPE_NULL)
        return count < 0 || call->recvtype == MPI_DATATYPE_NULL ? -1 : 0;
    const bool known = summand__type_size(call->recvtype, &size) == MPI_SUCCESS && size >= 0;
    return known && !__builtin_mul_overflow(count, size, &bytes) ? bytes : -1;
}

/* As summand_X or summand_X_c: the core has one meaning for both. */
static int run(const struct shim_call *c, const summand_options *options)
{
    switch (c->collective) {
    case SHIM_REDUCE:
        return summand_reduce_c(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op, c->root,
                                c->handle, options);
    case SHIM_ALLREDUCE:
        return summand_allreduce_c(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype, c->op,
                                   c->handle, options);
    case SHIM_REDUCE_SCATTER_BLOCK:
        return summand_reduce_scatter_block_c(c->sendbuf, c->recvbuf, c->recvcount, c->recvtype,
                                              c->op, c->handle, options);
    case SHIM_REDUCE_SCATTER:
        return c->large ? summand_reduce_scatter_c(c->sendbuf, c->recvbuf, c->recvcounts_c,
                                                   c->recvtype, c->op, c->handle, options)
                        : summand_reduce_scatter(c->sendbuf, c->recvbuf, c->recvcounts, c->recvtype,
                                                 c->op, c->handle, options);
    case SHIM_BCAST:
        return summand_bcast_c(c->recvbuf, c->recvcount, c->recvtype, c->root, c->handle, options);
    case SHIM_ALLGATHER:
        return summand_allgather_c(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf, c->recvcount,
                                   c->recvtype, c->handle, options);
    case SHIM_ALLGATHERV:
        return c->large
                   ? summand_allgatherv_c(c->sendbuf, c->sendcount, c->sendtype, c->recvbuf,
                                          c->recvcounts_c, c->displs_c, c->recvtype, c->handle,
                                          options)
                   : summand_allgatherv(c->sendbuf, (int)c->sendcount, c->sendtype, c->recvbuf,
                                        c->recvcounts, c->displs, c->recvtype, c->handle, options);
    case SHIM_SCAN:
    case SHIM_EXSCAN:
    case SHIM_COLLECTIVE_COUNT:;
    }
    return MPI_ERR_INTERN;
}

/* A bit for each power of 2. */
static uint64_t class_of(MPI_Count bytes)
{
    return UINT64_C(1) << (63 - __builtin_clzll((unsigned long long)bytes));
}

/* The state, or NULL: then all ranks have failed to make one, and none tries again. */
static struct summand__state *state_of(struct shim_call *call)
{
    struct summand__state *state = NULL;
    int code = summand__state_of(call->handle, &state);
    if (code == MPI_SUCCESS)
        return state;
    call->comm->lost = true;
    call->code = code;
    return NULL;
}

static int attempt(struct shim_call *call, struct summand__state *state, bool agrees,
                   const summand_options *options, MPI_Count bytes)
{
    const bool checks = state->checks;
    struct shim_call given = *call;
    void *copy;
    given.sendbuf = shim_operand(call, bytes, &copy);
    summand__raises_none = true;
    state->told = false;
    state->checks |= agrees;
    int code = run(&given, options);
    state->checks = checks;
    summand__raises_none = false;
    free(copy);
    return code;
}

/* Failed, by agreement on all ranks: they call the MPI. Three times: they do not try again. */
static void give_up(struct shim_comm *comm, enum shim_collective collective, uint64_t class)
{
    enum { MOST = 3 };
    if (++comm->failures[collective] >= MOST)
        comm->refused[collective] |= class;
}

/* What other ranks may not know of, so it is the program's: too little memory, or a rank that had
 * too little. */
static bool is_lone(const struct summand__state *state, int code)
{
    const enum summand_error error = summand_error_of(code);
    return !state->told && (error == SUMMAND_ERR_MEMORY || error == SUMMAND_ERR_REMOTE ||
                            error == SUMMAND_ERR_TIMEOUT);
}

static bool try(struct shim_call *call, struct summand__state *state, enum shim_mode mode,
                MPI_Count bytes)
{
    struct shim_comm *comm = call->comm;
    const uint64_t class = class_of(bytes);
    const bool sums =
        shim_combines(call->collective) && call->op == MPI_SUM && has_exact_sums(call->recvtype);
    const summand_options options = {.promise = sums ? ways[mode].sum : ways[mode].other};
    const bool agrees = !(comm->agreed[call->collective] & class);
    call->code = attempt(call, state, agrees, &options, bytes);
    if (call->code == MPI_SUCCESS) {
        comm->agreed[call->collective] |= class;
        call->algorithm = state->algorithm;
        call->transport = state->transport;
        return true;
    }
    if (state->told)
        give_up(comm, call->collective, class);
    if (summand_error_of(call->code) != SUMMAND_ERR_MEMORY &&
        summand_error_of(call->code) != SUMMAND_ERR_REMOTE)
        call->reason = "an argument that Summand does not take";
    return is_lone(state, call->code);
}

bool shim_serve(struct shim_call *call)
{
    struct shim_comm *comm = call->comm;
    const MPI_Count bytes = bytes_of(call);
    call->reason = bytes < 0 ? "a wrong argument" : "no elements";
    if (bytes <= 0)
        return false;
    const enum shim_mode mode = shim_rules_mode(&shim_state.rules, (int)call->collective, bytes);
    call->reason = "the mode is off";
    if (mode == SHIM_MODE_OFF)
        return false;
    call->promised = shim_mode_promises(mode);
    call->reason = "Summand could not be set up";
    if (comm->lost || (comm->refused[call->collective] & class_of(bytes)))
        return false;
    struct summand__state *state = state_of(call);
    const bool served = state && try(call, state, mode, bytes);
    if (served)
        call->reason = NULL;
    return served;
}

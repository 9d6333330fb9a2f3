/* SPDX-License-Identifier: BSD-3-Clause */
/* Serving a call by Summand, or not, in the same way on all ranks.
 *
 * Whether a call is tried depends on what MPI's rules make equal on all ranks: the collective, the
 * communicator, the bytes. The first try of each size class (powers of 2) on a communicator agrees:
 * an error of one rank, such as too little memory, is an error of all, and they call the MPI
 * together. Later calls of the class send nothing but their data. If one of them runs out of
 * memory on one rank, the others may have their result, so that rank raises an error. */
#include <stdlib.h>

#include "collective/reduction.h"
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

static const enum summand__collective meaning[SHIM_COLLECTIVE_COUNT] = {
    [SHIM_REDUCE] = SUMMAND__COLL_REDUCE,
    [SHIM_ALLREDUCE] = SUMMAND__COLL_ALLREDUCE,
    [SHIM_REDUCE_SCATTER] = SUMMAND__COLL_REDUCE_SCATTER,
    [SHIM_REDUCE_SCATTER_BLOCK] = SUMMAND__COLL_REDUCE_SCATTER_BLOCK,
    [SHIM_BCAST] = SUMMAND__COLL_BCAST,
    [SHIM_ALLGATHER] = SUMMAND__COLL_ALLGATHER,
    [SHIM_ALLGATHERV] = SUMMAND__COLL_ALLGATHERV,
    [SHIM_SCAN] = SUMMAND__COLL_SCAN,
    [SHIM_EXSCAN] = SUMMAND__COLL_EXSCAN};

static struct summand__operation operation_of(const struct shim_call *c, const void *sendbuf,
                                              const summand_options *options, bool agrees)
{
    const bool plain = options->promise == SUMMAND_PROMISE_DEFAULT;
    return (struct summand__operation){
        .collective = meaning[c->collective],
        .sendbuf = sendbuf,
        .recvbuf = c->recvbuf,
        .sendcount = c->sendcount,
        .sendtype = c->sendtype,
        .count = c->recvcount,
        .datatype = c->recvtype,
        .counts = {.narrow = c->recvcounts, .wide = c->recvcounts_c},
        .displacements = {.narrow = c->displs, .address = c->displs_c},
        .op = c->op,
        .root = c->root,
        .options = plain ? NULL : options, /* without them fewer words are compared */
        .agrees = agrees,
        .quiet = true};
}

/* A bit for each power of 2. */
static uint64_t class_of(MPI_Count bytes)
{
    return UINT64_C(1) << (63 - __builtin_clzll((unsigned long long)bytes));
}

static int attempt(struct shim_call *call, struct summand__state *state, bool agrees,
                   const summand_options *options, MPI_Count bytes)
{
    void *copy;
    const void *sendbuf = shim_operand(call, bytes, &copy);
    const struct summand__operation operation = operation_of(call, sendbuf, options, agrees);
    state->told = state->refused = false;
    const int code = summand__reduction_run(&operation, call->handle);
    call->algorithm = state->algorithm;
    call->transport = state->transport;
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

/* What other ranks may not know of, so it is the program's: whatever fails once data move, such as
 * damage or a message of the MPI; an agreement that fails; too little memory, or a rank that had
 * too little. What is refused without a message is the MPI's, which rejects it in its own words, or
 * takes it on all ranks. */
static bool is_lone(const struct summand__state *state, int code)
{
    const enum summand_error error = summand_error_of(code);
    return !state->told && (!state->refused || state->parted || error == SUMMAND_ERR_MEMORY ||
                            error == SUMMAND_ERR_REMOTE || error == SUMMAND_ERR_TIMEOUT);
}

static enum summand_promise promise_of(const struct shim_call *call, enum shim_mode mode)
{
    const bool sums =
        shim_combines(call->collective) && call->op == MPI_SUM && has_exact_sums(call->recvtype);
    return sums ? ways[mode].sum : ways[mode].other;
}

static bool try(struct shim_call *call, struct summand__state *state, enum shim_mode mode,
                MPI_Count bytes)
{
    struct shim_comm *comm = call->comm;
    const uint64_t class = class_of(bytes);
    const summand_options options = {.promise = promise_of(call, mode)};
    const bool agrees = !(comm->agreed[call->collective] & class);
    call->code = attempt(call, state, agrees, &options, bytes);
    if (!state->told && !state->refused) /* it has begun, so all ranks have agreed */
        comm->agreed[call->collective] |= class;
    if (call->code == MPI_SUCCESS || is_lone(state, call->code))
        return true;
    summand__keep_words(call->code); /* the MPI has others */
    if (state->told)
        give_up(comm, call->collective, class);
    if (summand_error_of(call->code) != SUMMAND_ERR_MEMORY &&
        summand_error_of(call->code) != SUMMAND_ERR_REMOTE)
        call->reason = "an argument that Summand does not take";
    return false;
}

/* Of an inter-communicator: true if this rank has operands or a result. The neighbours of a root
 * have none, and the MPI ignores what they pass. */
static bool has_part(const struct shim_call *call)
{
    return shim_combines(call->collective) && call->collective != SHIM_SCAN &&
           call->collective != SHIM_EXSCAN &&
           !(call->collective == SHIM_REDUCE && call->root == MPI_PROC_NULL);
}

bool shim_serve(struct shim_call *call)
{
    struct shim_comm *comm = call->comm;
    call->reason = comm->strange ? "ranks of another program" : "inter-communicator";
    if (comm->inter && (comm->strange || !has_part(call)))
        return false;
    const MPI_Count bytes = bytes_of(call);
    call->reason = bytes < 0 ? "a wrong argument" : "no elements";
    if (bytes <= 0)
        return false;
    const enum shim_mode mode = shim_rules_mode(&shim_state.rules, (int)call->collective, bytes);
    call->reason = "the mode is off";
    if (mode == SHIM_MODE_OFF)
        return false;
    call->promised = shim_mode_promises(mode);
    if (call->form != SHIM_BLOCKING || comm->inter)
        return shim_request_serve(call, promise_of(call, mode) == SUMMAND_PROMISE_EXACT);
    call->reason = "Summand could not be set up";
    if (comm->lost || (comm->refused[call->collective] & class_of(bytes)))
        return false;
    struct summand__state *state = shim_state_of(comm, &call->code);
    const bool served = state && try(call, state, mode, bytes);
    if (served)
        call->reason = NULL;
    return served;
}

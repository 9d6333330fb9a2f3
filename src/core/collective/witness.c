/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/witness.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "algorithm/call.h"
#include "kernel/seal.h"
#include "op/predefined.h"
#include "process/damaged.h"
#include "process/error.h"

/* How a call ended on a rank. FINAL: it cannot be repeated. */
enum { GOOD, FINAL, CHANGED };

/* The largest of all ranks are compared: how it ended; a hash and its complement, or zeros. */
enum { END, HASH, INVERSE, WORDS };

struct summand__witness {
    const struct summand__state *state;
    summand_plan *stage;
    uint64_t words[WORDS];
    uint64_t input, result; /* their hashes */
    int code;
    bool changed;                     /* the input */
    bool compares, corrects, repeats; /* repeats: for the second time */
};

/* All bits are data. Long doubles have six bytes that are none, in which equal results may differ.
 */
static bool plain(const struct summand__datatype *type)
{
    const MPI_Datatype handle = type->handle;
    return type->dense && summand__datatype_predefined(handle) && handle != MPI_LONG_DOUBLE &&
           handle != MPI_C_LONG_DOUBLE_COMPLEX && handle != MPI_CXX_LONG_DOUBLE_COMPLEX;
}

/* Of this rank's input, if the call must not change it; else 0. */
static uint64_t input_of(const struct summand__collective_work *work)
{
    const struct summand__operation *operation = &work->operation;
    const struct summand__call *call = &work->call;
    const bool source = call->collective == SUMMAND__COLL_BCAST && call->rank == call->root;
    const struct summand__region input = summand__call_input(call);
    const struct summand__datatype *type =
        summand__gathers(call->collective) ? &work->types.send : &work->types.recv;
    if ((input.place != SUMMAND__SENDBUF && !source) || !plain(type))
        return 0;
    return summand__seal_kernels()->hash(0, source ? operation->recvbuf : operation->sendbuf,
                                         input.count *
                                             (work->vector.bytes ? 1 : (size_t)type->size));
}

/* True if all ranks get the same bits. */
static bool is_shared(const struct summand__collective_work *work)
{
    const enum summand__collective collective = work->call.collective;
    return collective == SUMMAND__COLL_BCAST || summand__gathers(collective) ||
           (collective == SUMMAND__COLL_ALLREDUCE && work->options.promise != SUMMAND_PROMISE_NONE);
}

static uint64_t hash_of(const struct summand__collective_work *work)
{
    const struct summand__operation *operation = &work->operation;
    const size_t size = (size_t)work->types.recv.size;
    uint64_t (*const hash)(uint64_t, const void *, size_t) = summand__seal_kernels()->hash;
    uint64_t so_far = 0;
    if (!summand__gathers(work->call.collective))
        return hash(so_far, operation->recvbuf, (size_t)operation->count * size);
    MPI_Count first = 0;
    for (int r = 0; r < work->call.ranks; r++) {
        const MPI_Count count = summand__operation_count(operation, r);
        if (summand__collectives[operation->collective].displaced)
            first = summand__number_at(&operation->displacements, r);
        if (count)
            so_far = hash(so_far, (const char *)operation->recvbuf + first * (MPI_Count)size,
                          (size_t)count * size);
        first += count;
    }
    return so_far;
}

static void before(void *context)
{
    struct summand__collective_work *work = context;
    struct summand__witness *own = work->witness;
    own->input = input_of(work);
    own->compares = own->repeats = false;
    own->code = MPI_SUCCESS;
    summand__collective_hooks.before(work);
}

/* The schedule is over: this rank's words. */
static void testify(struct summand__collective_work *work)
{
    struct summand__witness *own = work->witness;
    own->code = summand__collective_hooks.after(work);
    own->changed = own->input != input_of(work);
    const bool good = own->code == MPI_SUCCESS;
    const bool hashed = good && is_shared(work) && plain(&work->types.recv);
    const bool gone = work->call.in_place && summand__has_operator(work->call.collective);
    own->words[END] = own->changed ? CHANGED : good && !gone ? GOOD : FINAL;
    own->result = hashed ? hash_of(work) : 0;
    own->words[HASH] = own->result;
    own->words[INVERSE] = hashed ? ~own->result : 0;
}

/* The error of a call whose words of all ranks do not agree. */
static int judge(const struct summand__collective_work *work)
{
    const struct summand__witness *own = work->witness;
    const struct summand__state *state = own->state;
    const char *name = summand__operation_name(&work->operation, false);
    if (own->changed)
        return summand__refuse_damaged(state->rank, state->ranks,
                                       "the input of %s has changed during the call", name);
    if (own->words[END] == CHANGED)
        return summand__refuse(SUMMAND_ERR_REMOTE,
                               "the input of another rank has changed during the call");
    return summand__refuse_damaged(state->rank, state->ranks,
                                   "ranks have different results of %s, which must be the same, "
                                   "or check words were damaged; this rank's hash is %016" PRIx64,
                                   name, own->result);
}

static int next(void *context, summand_plan *plan, bool *more)
{
    struct summand__collective_work *work = context;
    struct summand__witness *own = work->witness;
    summand__plan_swap(plan, own->stage);
    own->compares = !own->compares;
    if (own->compares) {
        testify(work);
        return MPI_SUCCESS;
    }
    const bool differ =
        own->words[HASH] != ~own->words[INVERSE] && (own->words[HASH] || own->words[INVERSE]);
    const bool bad = differ || own->changed || own->words[END] >= CHANGED; /* or damaged */
    *more = differ && own->words[END] == GOOD && own->corrects && !own->repeats;
    own->repeats = *more;
    if (*more) {
        summand__tell_repaired(own->state->rank, own->state->ranks,
                               "ranks have different results of %s, which is repeated; this rank's "
                               "hash is %016" PRIx64,
                               summand__operation_name(&work->operation, false), own->result);
        summand__collective_hooks.before(work);
    } else if (bad && own->code == MPI_SUCCESS) {
        own->code = judge(work);
    }
    return MPI_SUCCESS;
}

static int after(void *context)
{
    return ((const struct summand__collective_work *)context)->witness->code;
}

static void drop(void *context)
{
    struct summand__collective_work *work = context;
    if (work && work->witness) {
        summand_plan_free(&work->witness->stage);
        free(work->witness);
    }
    summand__collective_hooks.drop(work);
}

const struct summand__plan_hooks summand__witnessed_hooks = {.before = before,
                                                             .after = after,
                                                             .drop = drop,
                                                             .scratch = summand__work_scratch,
                                                             .describe = summand__work_describe,
                                                             .next = next};

int summand__witness_make(struct summand__collective_work *work, struct summand__state *state,
                          summand__make_stage *make)
{
    struct summand__witness *own = calloc(1, sizeof *own);
    work->witness = own;
    if (!own)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    own->state = state;
    own->corrects = summand__checked(state, work->asked.check) == SUMMAND__CORRECT;
    /* Where ranks may repeat, all must decide alike. Else damaged words need no seal: they differ,
     * and a rank whose input has changed knows. */
    const summand_options options = {.check = own->corrects ? SUMMAND_CHECKED_CORRECT
                                                            : SUMMAND_CHECKED_OFF};
    const struct summand__operation operation = {.collective = SUMMAND__COLL_ALLREDUCE,
                                                 .sendbuf = MPI_IN_PLACE,
                                                 .recvbuf = own->words,
                                                 .count = WORDS,
                                                 .datatype = MPI_UINT64_T,
                                                 .op = MPI_MAX,
                                                 .options = &options};
    return make(state, &operation, &own->stage);
}

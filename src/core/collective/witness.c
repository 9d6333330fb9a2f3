/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/witness.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "algorithm/call.h"
#include "collective/witness_sums.h"
#include "op/predefined.h"
#include "process/damaged.h"
#include "process/error.h"
#include "transport/sealed_log.h"

/* How a call ended on a rank. FINAL: it cannot be repeated; FAILED: there is no result. */
enum { GOOD, FINAL, FAILED, CHANGED };

/* What ranks tell of a call. The largest of all ranks: how it ended; a hash and its complement, or
 * zeros. The sums of all ranks, which are zeros: of sums of integers. */
enum { WORDS = 3 };
struct words {
    uint64_t end, hash, inverse;
    struct summand__seal_sums sums;
};

struct summand__witness {
    struct summand__state *state;
    summand__make_stage *make;
    summand_plan *plain; /* compares words without sums; made for the first such call */
    summand_plan *sums;  /* with sums; the same */
    struct words mine, all;
    MPI_Op op; /* that was bound last */
    MPI_Datatype type;
    unsigned bits;          /* of integers that are summed; or 0 */
    size_t bytes;           /* of the words that are used */
    uint64_t input, result; /* their hashes */
    uint64_t first;         /* that of the result that was wrong somewhere */
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

/* Tells if this rank has an input that the call must not change, and its type is known. */
static bool keeps(const struct summand__collective_work *work)
{
    const struct summand__call *call = &work->call;
    const bool sends = summand__call_input(call).place == SUMMAND__SENDBUF;
    const bool gathers = summand__gathers(call->collective);
    const bool source = call->collective == SUMMAND__COLL_BCAST && call->rank == call->root;
    return (sends || gathers || source) &&
           (work->witness->bits || plain(gathers && sends ? &work->types.send : &work->types.recv));
}

/* The hash of this rank's input, if the call must not change it; else 0. `writes`: its words of
 * sums. */
static uint64_t input_of(const struct summand__collective_work *work, bool writes)
{
    const struct summand__operation *operation = &work->operation;
    const struct summand__region input = summand__call_input(&work->call);
    const bool sends = input.place == SUMMAND__SENDBUF;
    const bool gathers = summand__gathers(work->call.collective);
    const char *bytes = sends ? operation->sendbuf : operation->recvbuf;
    const struct summand__datatype *type = gathers && sends ? &work->types.send : &work->types.recv;
    if (work->witness->bits && (writes || keeps(work))) {
        const uint64_t hash =
            summand__witness_input(work, work->witness->bits, bytes, &work->witness->mine.sums);
        return keeps(work) ? hash : 0;
    }
    if (!keeps(work) || !input.count)
        return 0;
    const size_t unit = work->vector.bytes ? 1 : (size_t)type->size;
    if (!sends && summand__collectives[operation->collective].displaced)
        bytes += summand__number_at(&operation->displacements, work->call.rank) * type->size;
    else
        bytes += input.first * unit;
    return summand__seal_kernels()->hash(0, bytes, input.count * unit);
}

/* True if all ranks get the same bits. */
static bool is_shared(const struct summand__collective_work *work)
{
    const enum summand__collective collective = work->call.collective;
    return collective == SUMMAND__COLL_BCAST || summand__gathers(collective) ||
           (collective == SUMMAND__COLL_ALLREDUCE &&
            (work->witness->bits || work->options.promise != SUMMAND_PROMISE_NONE));
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
    own->bytes = offsetof(struct words, sums) + (own->bits ? summand__witness_bytes(work) : 0);
    own->input = input_of(work, true);
    own->compares = own->repeats = false;
    own->code = MPI_SUCCESS;
    summand__collective_hooks.before(work);
}

/* The schedule is over: this rank's words. */
static void testify(struct summand__collective_work *work)
{
    struct summand__witness *own = work->witness;
    own->code = summand__collective_hooks.after(work);
    own->changed = own->input != input_of(work, false);
    const bool good = own->code == MPI_SUCCESS;
    const bool hashed = good && is_shared(work) && plain(&work->types.recv);
    /* A repeat would take what has changed unseen, or lies there no longer. */
    const bool gone = !keeps(work) && summand__call_input(&work->call).count;
    struct words *mine = &own->mine;
    mine->end = own->changed ? CHANGED : !good ? FAILED : gone ? FINAL : GOOD;
    own->result = 0;
    if (good && own->bits)
        own->result = summand__witness_result(work, own->bits, &mine->sums);
    else if (hashed)
        own->result = hash_of(work);
    mine->hash = hashed ? own->result : 0;
    mine->inverse = hashed ? ~own->result : 0;
}

/* True if the words of the results are not those of the inputs. */
static bool wrong(const struct summand__witness *own)
{
    static const struct summand__seal_sums zeros;
    return own->bits && own->all.end < FAILED &&
           memcmp(&own->all.sums, &zeros, own->bytes - offsetof(struct words, sums));
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
    if (own->all.end == CHANGED)
        return summand__refuse(SUMMAND_ERR_REMOTE,
                               "the input of another rank has changed during the call");
    if (wrong(own))
        return summand__refuse_damaged(state->rank, state->ranks,
                                       "a result of %s is not the sum of the ranks' integers, or "
                                       "check words were damaged",
                                       name);
    return summand__refuse_damaged(state->rank, state->ranks,
                                   "ranks have different results of %s, which must be the same, "
                                   "or check words were damaged; this rank's hash is %016" PRIx64,
                                   name, own->result);
}

/* Words of all ranks are one operand. */
static void reduce_words(const void *context, const void *in, void *inout, size_t count)
{
    const struct summand__witness *own = context;
    const struct words *other = in;
    struct words *mine = inout;
    (void)count;
    mine->end = other->end > mine->end ? other->end : mine->end;
    mine->hash = other->hash > mine->hash ? other->hash : mine->hash;
    mine->inverse = other->inverse > mine->inverse ? other->inverse : mine->inverse;
    if (own->bits)
        summand__witness_add(own->bits, mine->sums.word, other->sums.word,
                             own->bytes - offsetof(struct words, sums));
}

static void copy_words(const void *context, const void *from, void *to, size_t count)
{
    (void)count;
    memcpy(to, from, ((const struct summand__witness *)context)->bytes);
}

static size_t pack_words(const void *context, const void *from, size_t count, void *bytes)
{
    copy_words(context, from, bytes, count);
    return ((const struct summand__witness *)context)->bytes;
}

static void drop_nothing(void *work)
{
    (void)work;
}

static const struct summand__plan_hooks stage_hooks = {.drop = drop_nothing};

/* The largest of three words: messages are combined as they arrive. */
static int make_plain(struct summand__witness *own, int check)
{
    const summand_options options = {.check = (enum summand_checked)check};
    const struct summand__operation operation = {.collective = SUMMAND__COLL_ALLREDUCE,
                                                 .sendbuf = &own->mine,
                                                 .recvbuf = &own->all,
                                                 .count = WORDS,
                                                 .datatype = MPI_UINT64_T,
                                                 .op = MPI_MAX,
                                                 .options = &options};
    return own->make(own->state, &operation, &own->plain);
}

static int make_sums(struct summand__witness *own, int check)
{
    const struct summand__plan_parts parts = {.root = SUMMAND_ROOT_ALL,
                                              .choice = {.check = check},
                                              .operator= {.extent = sizeof own->mine,
                                                          .context = own,
                                                          .reduce = reduce_words,
                                                          .copy = copy_words,
                                                          .packed = sizeof own->mine,
                                                          .pack = pack_words,
                                                          .unpack = copy_words},
                                              .sendbuf = &own->mine,
                                              .recvbuf = &own->all,
                                              .hooks = &stage_hooks};
    return summand__plan_make(own->state, &parts, &own->sums);
}

/* Where ranks may repeat, all must decide alike. Else damaged words need no seal: they differ, and
 * a rank whose input has changed knows. */
static int make_stage(struct summand__witness *own)
{
    const int check = own->corrects ? SUMMAND_CHECKED_CORRECT : SUMMAND_CHECKED_OFF;
    if (own->bits)
        return own->sums ? MPI_SUCCESS : make_sums(own, check);
    return own->plain ? MPI_SUCCESS : make_plain(own, check);
}

/* Results differed, or were no sums: each rank tells it before the call is repeated. */
static void tell(const struct summand__collective_work *work)
{
    const struct summand__witness *own = work->witness;
    summand__tell_damaged(own->state->rank, own->state->ranks,
                          "ranks have different or wrong results of %s, which is repeated; this "
                          "rank's hash is %016" PRIx64,
                          summand__operation_name(&work->operation, false), own->result);
}

/* All ranks have repeated the call to its end. */
static void tell_wrong(const struct summand__collective_work *work,
                       const struct summand__link *link)
{
    const struct summand__witness *own = work->witness;
    char where[80];
    if (summand__sealed_is_wrong(link, own->first != own->result, where, sizeof where))
        summand__tell_more(own->state->rank, own->state->ranks,
                           "this rank computed a step of %s wrongly, %s",
                           summand__operation_name(&work->operation, false), where);
}

static int next(void *context, summand_plan *plan, bool *more)
{
    struct summand__collective_work *work = context;
    struct summand__witness *own = work->witness;
    summand__plan_swap(plan, own->bits ? own->sums : own->plain);
    own->compares = !own->compares;
    if (own->compares) {
        testify(work);
        return MPI_SUCCESS;
    }
    const struct words *all = &own->all;
    const bool differ = (all->hash != ~all->inverse && (all->hash || all->inverse)) || wrong(own);
    const bool bad = differ || own->changed || all->end >= CHANGED; /* or damaged */
    *more = differ && all->end == GOOD && own->corrects && !own->repeats;
    if (own->repeats && all->end < FAILED)
        tell_wrong(work, plan->route.link);
    if (own->repeats && !bad)
        summand__damage_repaired();
    own->repeats = *more;
    if (*more) {
        tell(work);
        own->first = own->result;
        summand__sealed_repeat(plan->route.link);
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
        summand_plan_free(&work->witness->plain);
        summand_plan_free(&work->witness->sums);
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
    own->op = MPI_OP_NULL;
    own->make = make;
    own->corrects = summand__checked(state, work->asked.check) == SUMMAND__CORRECT;
    return MPI_SUCCESS;
}

int summand__witness_bind(const struct summand__collective_work *work)
{
    struct summand__witness *own = work->witness;
    if (own->op != work->operation.op || own->type != work->operation.datatype)
        own->bits = summand__witness_bits(work);
    own->op = work->operation.op;
    own->type = work->operation.datatype;
    return make_stage(own);
}

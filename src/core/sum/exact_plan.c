/* SPDX-License-Identifier: BSD-3-Clause */
/* Exact sums: each rank deposits its elements, accumulators are merged, results rounded once. */
#include <stdlib.h>

#include "sum/elements.h"
#include "sum/exact_operand.h"
#include "sum/sums.h"

struct work {
    struct summand__exact_shape shape;
    struct summand__exact_operand *mine, *total; /* total: NULL on ranks without a result */
    summand_term *terms;
    void *results;
    bool single, complex; /* complex: two sums for each term */
    int root;
    bool chosen;                          /* the call had a choice */
    struct summand__choice choice;        /* this one */
    int rank, error;                      /* of this rank's arguments: sent instead of a sum */
    uint64_t offers[SUMMAND__OFFERS + 1]; /* of an operand without sums */
};

static void before(void *context)
{
    struct work *work = context;
    const struct summand__batch batch = summand__exact_batch(&work->shape, work->mine);
    work->mine->head = (struct summand__head){work->shape.signature,
                                              summand__error_flag_of(work->rank, work->error)};
    if (work->shape.k)
        summand__batch_clear(&batch);
    else
        memcpy(work->mine->sums, work->offers, sizeof work->offers);
    const size_t k = work->shape.k >> work->complex;
    for (size_t i = 0; i < k && work->error == MPI_SUCCESS; i++) {
        const summand_term *term = &work->terms[i];
        if (!summand__sums_plain(term, work->complex))
            summand__sums_deposit(&batch, i, term, work->single, work->complex);
        else
            summand__batch_add(&batch, i, summand__pass_kind_of(term->kind), work->single,
                               (size_t)term->count, term->x, term->y);
    }
}

static void store_norm(const struct work *work, const struct summand__batch *batch, size_t i)
{
    summand_exact sum;
    summand__batch_sum(batch, i, &sum);
    if (work->single)
        ((float *)work->results)[i] = summand_exact_sqrt_f32(&sum);
    else
        ((double *)work->results)[i] = summand_exact_sqrt(&sum);
}

static int after(void *context)
{
    struct work *work = context;
    if (work->error != MPI_SUCCESS || !work->total)
        return work->error;
    if (work->total->head.error_flag)
        return summand__error_flag_code(work->total->head.error_flag);
    if (!work->shape.k)
        return MPI_SUCCESS;
    const struct summand__batch batch = summand__exact_batch(&work->shape, work->total);
    summand__batch_round(&batch, work->single, work->results);
    for (size_t i = 0; i < work->shape.k >> work->complex; i++)
        if (work->terms[i].kind == SUMMAND_KIND_NRM2)
            store_norm(work, &batch, i << work->complex);
    return MPI_SUCCESS;
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    free(work->mine);
    free(work->total);
    free(work->terms);
    free(work);
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = drop};

static struct work *make_work(const struct summand__sums_call *call, bool receives)
{
    size_t k = (size_t)call->k;
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->shape = (struct summand__exact_shape){k << call->complex, call->signature};
    size_t bytes = summand__exact_operator(&work->shape).extent;
    work->terms = calloc(k + 1, sizeof *work->terms);
    work->mine = malloc(bytes);
    work->total = receives ? malloc(bytes) : NULL;
    work->single = call->single;
    work->complex = call->complex;
    work->root = call->root;
    work->chosen = call->choice;
    if (call->choice)
        work->choice = *call->choice;
    if (work->terms && work->mine && (work->total || !receives))
        return work;
    drop(work);
    return NULL;
}

static void bind(struct work *work, const struct summand__sums_call *call, int error)
{
    work->error = error;
    work->results = call->results;
    work->offers[0] = 0;
    for (size_t i = 0; call->offers && i < SUMMAND__OFFERS && call->offers[i]; i++) {
        work->offers[i] = call->offers[i];
        work->offers[i + 1] = 0;
    }
    for (int i = 0; i < call->k && error == MPI_SUCCESS; i++)
        work->terms[i] = summand__sums_term(call, i);
}

int summand__exact_plan(struct summand__state *state, const struct summand__sums_call *call,
                        int error, int tag, summand_plan **plan)
{
    bool receives = call->root == SUMMAND_ROOT_ALL || call->root == state->rank;
    struct work *work = make_work(call, receives);
    if (!work)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    work->rank = state->rank;
    bind(work, call, error);
    struct summand__plan_parts parts = {
        .tag = tag,
        .root = call->root,
        .choice = work->choice,
        .operator= summand__exact_operator(&work->shape),
        .sendbuf = work->mine,
        .recvbuf = work->total,
        .hooks = &hooks,
        .work = work,
    };
    return summand__plan_make(state, &parts, plan);
}

bool summand__exact_plan_serves(const void *work, const void *call)
{
    const struct work *own = work;
    const struct summand__sums_call *wanted = call;
    return own->shape.signature == wanted->signature && own->complex == wanted->complex &&
           own->shape.k == (size_t)wanted->k << wanted->complex && own->root == wanted->root &&
           own->single == wanted->single &&
           summand__sums_same_choice(own->chosen, &own->choice, wanted);
}

void summand__exact_plan_rebind(summand_plan *plan, const struct summand__sums_call *call,
                                int error)
{
    bind(plan->work, call, error);
}

uint64_t summand__exact_plan_offered(const summand_plan *plan)
{
    const struct work *work = plan->work;
    return work->total ? work->total->sums[0] : 0;
}

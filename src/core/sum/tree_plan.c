/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums in the index tree: each rank's forest of subtrees, merged with its neighbours' forests. */
#include <stdlib.h>
#include <string.h>

#include "kernel/forest.h"
#include "ordered/bundle_plan.h"
#include "ordered/number.h"
#include "sum/elements.h"
#include "sum/store.h"
#include "sum/sums.h"

struct work {
    struct summand__bundle_work tree;
    struct summand__part *parts;
    summand_term *terms; /* with the call's displacements */
    void *results;
    bool single, complex;
    bool chosen;                   /* the call had a choice */
    struct summand__choice choice; /* this one */
    uint64_t made_by;              /* number of the call */
};

/* Writes the values of a part's subtrees, `k` apart. A single number is its own subtree. */
static void plant(const struct work *work, size_t i, const struct summand__part *part)
{
    const summand_term *term = &work->terms[i];
    const size_t extent = work->tree.bundle.element.extent, k = work->tree.bundle.k;
    uint64_t start = (uint64_t)part->start, count = (uint64_t)part->count;
    char *place = summand__bundle_place(&work->tree.bundle, work->tree.mine, i, start, count);
    enum summand__tree_kind kind = summand__tree_kind_of(term->kind);
    double values[2 * SUMMAND__DYADIC_MAX];
    size_t n;
    if (!count)
        return;
    if (count == 1 && kind == SUMMAND__TREE_SUM) {
        memcpy(place, term->x, extent);
        return;
    }
    void *here = k == 1 ? (void *)place : values;
    if (!summand__sums_plain(term, work->complex))
        n = work->single ? summand__sums_forest_f32(term, work->complex, start, here)
                         : summand__sums_forest_f64(term, work->complex, start, here);
    else if (work->single)
        n = summand__forest_f32(kind, term->x, term->y, start, (size_t)count, here);
    else
        n = summand__forest_f64(kind, term->x, term->y, start, (size_t)count, here);
    for (size_t j = 0; j < n && k > 1; j++)
        memcpy(place + j * k * extent, (char *)values + j * extent, extent);
}

static void before(void *context)
{
    struct work *work = context;
    summand__bundle_begin(&work->tree.bundle, work->tree.mine);
    for (size_t i = 0; i < work->tree.bundle.k; i++)
        plant(work, i, &work->parts[i]);
}

static int after(void *context)
{
    struct work *work = context;
    if (!work->tree.total)
        return MPI_SUCCESS;
    uint32_t error_flag = summand__bundle_head(work->tree.total)->error_flag;
    if (!error_flag)
        summand__bundle_fold(&work->tree.bundle, work->tree.total);
    for (size_t i = 0; i < work->tree.bundle.k && !error_flag; i++)
        summand__store_root(summand__bundle_root(&work->tree.bundle, work->tree.total, i),
                            work->terms[i].kind, work->single, work->complex,
                            (char *)work->results + i * work->tree.bundle.element.extent);
    return summand__error_flag_code(error_flag);
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    summand__bundle_work_close(&work->tree);
    free(work->parts);
    free(work->terms);
    free(work);
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = drop};

static struct work *make_work(const struct summand__sums_call *call, bool receives,
                              uint64_t made_by)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    struct summand__operator element =
        call->complex ? summand__pair_operator(call->single)
                      : summand__number_operator(SUMMAND__TREE_SUM, call->single, false);
    summand__bundle_init(&work->tree.bundle, (size_t)call->k, call->signature, &element, 0, 0);
    work->single = call->single;
    work->complex = call->complex;
    work->chosen = call->choice;
    if (call->choice)
        work->choice = *call->choice;
    work->results = call->results;
    work->made_by = made_by;
    if (summand__keep_terms(call, &work->terms, &work->parts) &&
        summand__bundle_work_open(&work->tree, receives))
        return work;
    drop(work);
    return NULL;
}

int summand__tree_plan(struct summand__state *state, const struct summand__sums_call *call,
                       int error, int tag, summand_plan **plan)
{
    bool receives = call->root == SUMMAND_ROOT_ALL || call->root == state->rank;
    struct work *work = error == MPI_SUCCESS
                            ? make_work(call, receives, summand__public_call(state->channel.calls))
                            : NULL;
    struct summand__layout layout;
    struct summand__plan_parts parts = {.tag = tag,
                                        .root = call->root,
                                        .promises = SUMMAND__RANK_ORDER,
                                        .hooks = &hooks,
                                        .work = work};
    if (work)
        parts.choice = work->choice;
    int code =
        summand__sums_layout(state, call, error, tag, work ? work->parts : NULL, false, &layout);
    return summand__bundle_plan_make(state, code, &layout, &parts, plan);
}

bool summand__tree_plan_serves(const void *work, const void *call)
{
    const struct work *own = work;
    const struct summand__sums_call *wanted = call;
    if (own->tree.bundle.signature != wanted->signature ||
        own->tree.bundle.k != (size_t)wanted->k || own->single != wanted->single ||
        own->complex != wanted->complex ||
        !summand__sums_same_choice(own->chosen, &own->choice, wanted))
        return false;
    for (int i = 0; i < wanted->k; i++) {
        const struct summand_term *a = &own->terms[i], *b = &wanted->terms[i];
        if (a->kind != b->kind || a->count != b->count || a->displacement != b->displacement)
            return false;
    }
    return true;
}

void summand__tree_plan_rebind(summand_plan *plan, const struct summand__sums_call *call)
{
    struct work *work = plan->work;
    work->results = call->results;
    for (int i = 0; i < call->k; i++)
        work->terms[i] = summand__sums_term(call, i);
}

uint64_t summand__tree_plan_made_by(const summand_plan *plan)
{
    return ((const struct work *)plan->work)->made_by;
}

/* Four operands: this rank's, the result and two messages. */
size_t summand__tree_plan_bytes(const void *work)
{
    const struct work *own = work;
    return 4 * summand__bundle_extent(&own->tree.bundle) +
           own->tree.bundle.k * (sizeof *own->terms + sizeof *own->parts);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree as in the thesis: a rank sends the value of each of its outbound subtrees to the
 * rank of the parent node, up to four in a message. For studies; the bits are those of the tree
 * plan.
 *
 * The schedule consists of the programs of outbound.h, one after another for k sums. Cells are
 * scratch elements; local subtree values lie in sendbuf. */
#include "lab/index_tree/mpi/study.h"

#include <stdlib.h>

#include "kernel/forest.h"
#include "lab/index_tree/distribution.h"
#include "lab/index_tree/outbound.h"
#include "ordered/number.h"
#include "shape/dyadic.h"
#include "sum/store.h"
#include "sum/sums.h"

/* A subtree of this rank's own elements. */
struct local {
    int term;
    uint64_t x, count; /* leaves, cut at the end of the elements */
};

struct work {
    struct summand__layout layout;
    struct summand__part *parts;
    struct summand__schedule schedule; /* until the plan takes it */
    struct local *locals;
    size_t n_locals, room;
    void *values; /* of the locals: the plan's sendbuf */
    void *roots;  /* k elements, or NULL on ranks without result */
    summand_term *terms;
    size_t k;
    int position; /* of this rank in the order of displacements */
    void *results;
    bool single;
};

static size_t width(const struct work *work)
{
    return work->single ? sizeof(float) : sizeof(double);
}

/* The value of a subtree: its forest, combined from the right if it is cut. */
static void local_value(const struct work *work, size_t i)
{
    const struct local *local = &work->locals[i];
    const summand_term *term = &work->terms[local->term];
    enum summand__tree_kind kind = summand__tree_kind_of(term->kind);
    uint64_t first = local->x - (uint64_t)work->parts[local->term].start;
    bool dot = kind == SUMMAND__TREE_DOT;
    if (work->single) {
        float values[SUMMAND__DYADIC_MAX];
        size_t n = summand__forest_f32(kind, (const float *)term->x + first,
                                       dot ? (const float *)term->y + first : NULL, local->x,
                                       (size_t)local->count, values);
        ((float *)work->values)[i] = summand__tree_fold_f32(kind, values, n);
    } else {
        double values[SUMMAND__DYADIC_MAX];
        size_t n = summand__forest_f64(kind, (const double *)term->x + first,
                                       dot ? (const double *)term->y + first : NULL, local->x,
                                       (size_t)local->count, values);
        ((double *)work->values)[i] = summand__tree_fold_f64(kind, values, n);
    }
}

static void before(void *context)
{
    struct work *work = context;
    for (size_t i = 0; i < work->n_locals; i++)
        local_value(work, i);
}

static int after(void *context)
{
    struct work *work = context;
    for (size_t i = 0; i < work->k && work->roots; i++)
        summand__store_root((char *)work->roots + i * width(work), work->terms[i].kind,
                            work->single, false, (char *)work->results + i * width(work));
    return MPI_SUCCESS;
}

static void drop(void *context)
{
    struct work *work = context;
    if (!work)
        return;
    summand__layout_free(&work->layout);
    summand__schedule_free(&work->schedule);
    free(work->parts);
    free(work->locals);
    free(work->values);
    free(work->roots);
    free(work->terms);
    free(work);
}

static const struct summand__plan_hooks hooks = {.before = before, .after = after, .drop = drop};

static bool add_local(struct work *work, int term, uint64_t x, uint64_t end)
{
    if (work->n_locals == work->room) {
        size_t room = 2 * work->room + 16;
        struct local *locals = realloc(work->locals, room * sizeof *locals);
        if (!locals)
            return false;
        work->locals = locals;
        work->room = room;
    }
    work->locals[work->n_locals++] = (struct local){term, x, end - x};
    return true;
}

/* One operation of a program; its cells begin at `base` of the scratch. */
static bool add_op(struct work *work, int term, const struct summand__outbound_op *op, size_t base,
                   uint64_t end)
{
    struct summand__schedule *schedule = &work->schedule;
    struct summand__region cell = summand__region(SUMMAND__SCRATCH, base + (size_t)op->cell,
                                                  op->count ? (size_t)op->count : 1);
    uint64_t leaves = op->x + ((uint64_t)1 << op->level);
    switch (op->kind) {
    case SUMMAND__OUTBOUND_LOCAL:
        summand__copy(schedule, summand__region(SUMMAND__SENDBUF, work->n_locals, 1), cell);
        return add_local(work, term, op->x, leaves < end ? leaves : end);
    case SUMMAND__OUTBOUND_COMBINE: {
        struct summand__region right =
            summand__region(SUMMAND__SCRATCH, base + (size_t)op->right, 1);
        summand__reduce(schedule, cell, right);
        summand__copy(schedule, right, cell);
        return true;
    }
    case SUMMAND__OUTBOUND_RECEIVE:
    case SUMMAND__OUTBOUND_SEND:
        summand__round(schedule);
        if (op->kind == SUMMAND__OUTBOUND_SEND)
            summand__send(schedule, op->peer, cell);
        else
            summand__recv(schedule, op->peer, cell);
        summand__round(schedule);
        return true;
    }
    return false;
}

/* Moves the root from the owner of element 0 to the caller's root, or to all by a binomial tree. */
static bool add_delivery(struct work *work, size_t i, int ranks, int owner, int root, size_t base)
{
    struct summand__region cell = summand__region(SUMMAND__SCRATCH, base, 1);
    struct summand__region result = summand__region(SUMMAND__RECVBUF, i, 1);
    bool mine = work->position == owner;
    summand__round(&work->schedule);
    if (mine && (root < 0 || root == owner))
        summand__copy(&work->schedule, cell, result);
    if (root >= 0 && root != owner) {
        if (mine)
            summand__send(&work->schedule, root, cell);
        if (work->position == root)
            summand__recv(&work->schedule, owner, result);
    }
    summand__round(&work->schedule);
    struct summand__call call = {.collective = SUMMAND__COLL_BCAST,
                                 .rank = work->position,
                                 .ranks = ranks,
                                 .root = owner,
                                 .count = 1};
    struct summand__schedule bcast;
    if (root >= 0)
        return true;
    if (!summand__build(summand__algorithm_named("binomial"), &call, &bcast))
        return false;
    for (size_t s = 0; s < bcast.length; s++) {
        const struct summand__step *step = &bcast.steps[s];
        if (step->action == SUMMAND__SEND)
            summand__send(&work->schedule, step->peer, result);
        else if (step->action == SUMMAND__RECV)
            summand__recv(&work->schedule, step->peer, result);
        else
            summand__round(&work->schedule);
    }
    summand__round(&work->schedule);
    summand__schedule_free(&bcast);
    return true;
}

struct summand__outbound_rule summand__study_rule = {SUMMAND__OUTBOUND_VALUES,
                                                     SUMMAND__OUTBOUND_SUMMANDS};

static bool add_term(struct work *work, int term, int ranks, int root)
{
    const uint64_t *starts = work->layout.starts + (size_t)term * ((size_t)ranks + 1);
    uint64_t end = starts[work->position + 1];
    struct summand__outbound_op ops[SUMMAND__OUTBOUND_OPS_MAX];
    size_t base = work->schedule.scratch;
    int cells;
    if (!starts[ranks])
        return true;
    int n =
        summand__outbound_program(starts, ranks, work->position, summand__study_rule, ops, &cells);
    for (int i = 0; i < n; i++)
        if (!add_op(work, term, &ops[i], base, end))
            return false;
    int owner = summand__rank_of_index(starts, ranks, 0);
    return add_delivery(work, (size_t)term, ranks, owner, root, base) && !work->schedule.failed;
}

static int fill_work(struct work *work, const struct summand__state *state,
                     const struct summand__sums_call *call)
{
    work->position = summand__plan_position(work->layout.rank_of, state->rank);
    int root = call->root < 0 ? -1 : summand__plan_position(work->layout.rank_of, call->root);
    for (int i = 0; i < call->k; i++)
        if (!add_term(work, i, state->ranks, root))
            return summand_error_code(SUMMAND_ERR_MEMORY);
    work->values = calloc(work->n_locals + 1, width(work));
    return work->values ? MPI_SUCCESS : summand_error_code(SUMMAND_ERR_MEMORY);
}

static struct work *make_work(const struct summand__sums_call *call, bool receives)
{
    struct work *work = calloc(1, sizeof *work);
    if (!work)
        return NULL;
    work->k = (size_t)call->k;
    work->single = call->single;
    work->results = call->results;
    work->roots = receives ? calloc(work->k + 1, width(work)) : NULL; /* without elements: 0.0 */
    if (summand__keep_terms(call, &work->terms, &work->parts) && (work->roots || !receives))
        return work;
    drop(work);
    return NULL;
}

static int study_plan(struct summand__state *state, const struct summand__sums_call *call,
                      int error, int tag, summand_plan **plan)
{
    bool receives = call->root == SUMMAND_ROOT_ALL || call->root == state->rank;
    struct work *work = error == MPI_SUCCESS ? make_work(call, receives) : NULL;
    struct summand__layout layout;
    struct summand__schedule schedule;
    struct summand__plan_parts parts = {.tag = tag,
                                        .root = call->root,
                                        .datatype = call->single ? MPI_FLOAT : MPI_DOUBLE,
                                        .schedule = &schedule,
                                        .hooks = &hooks,
                                        .work = work};
    int code =
        summand__sums_layout(state, call, error, tag, work ? work->parts : NULL, true, &layout);
    if (layout.refused) {
        drop(work);
        return code;
    }
    if (code == MPI_SUCCESS) {
        work->layout = layout;
        code = fill_work(work, state, call);
    }
    if (code == MPI_SUCCESS) {
        schedule = work->schedule;
        summand__schedule_init(&work->schedule);
        parts.rank_of = work->layout.rank_of;
        parts.operator= summand__number_operator(SUMMAND__TREE_SUM, call->single, true);
        parts.sendbuf = work->values;
        parts.recvbuf = work->roots;
    }
    return summand__plan_make_together(state, code, &parts, plan);
}

const struct summand__sum_method summand__study = {
    .name = "study", .number = 2, .plain = true, .tree = true, .plan = study_plan};

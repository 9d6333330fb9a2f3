/* SPDX-License-Identifier: BSD-3-Clause */
/* Panels: every rank that computes receives its part of A and of B panel by panel of the inner
 * dimension, by puts into its slots, and adds the products in order.
 *
 * How: a job is some columns of a rank's tile; a stage is one panel of a job. The holder of a piece
 *   puts it into the next slot of the rank that computes, packed unless it is contiguous. Each pair
 *   of ranks has a counter of arrived pieces, and one of free slots. The product reads pieces in
 *   their slots, and own pieces in place, run by run, if their layout allows it; otherwise they are
 *   first copied into a panel. So each chain goes along the inner dimension in its order, for any
 *   grids. Helpers put their columns of a tile to the rank that holds it. There is no barrier,
 *   neither between stages nor between starts. A shared matrix is not put: operands are read, and C
 *   is computed, in place. A counter says that their rank has started; that rank ends once it knows
 *   that others no longer use its arrays.
 * When: always. One panel if there is room for all; several between nodes, so that they overlap.
 * Cost: each piece of A and B that is not shared is put once to each rank that computes with it;
 *   2 m n k operations, in equal parts.
 * Restrictions: memory for the slots.
 * Source: van de Geijn, Watts (1997), SUMMA, with C stationary; puts and rings of slots with
 *   credits after Schmidtobreick (2017). */
#include "matrix/gemm/panels.h"

#include <stdlib.h>

#include "outer/algorithm/build.h"

/* Finds the holder number of each rank. */
static void find_holders(struct summand__gemm_panels *p, int side)
{
    const struct summand__gemm_operand *operand =
        summand__gemm_operand(summand__gemm_shape_of(p), (enum summand__gemm_side)side);
    int ranks = p->build.call->ranks;
    p->holder[side] = malloc((size_t)ranks * sizeof *p->holder[side]);
    if (!p->holder[side]) {
        p->build.schedule->failed = true;
        return;
    }
    for (int rank = 0; rank < ranks; rank++)
        p->holder[side][rank] = -1;
    for (int h = 0; h < operand->count; h++)
        p->holder[side][operand->holder[h].rank] = h;
    p->own[side] = p->holder[side][p->build.rank];
}

/* Finds the ranks that put something for any stage of this rank. */
static void find_senders(struct summand__gemm_panels *p, bool *sends)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    size_t stages = summand__gemm_stages(shape, p->build.rank);
    for (size_t s = 0; s < stages; s++) {
        struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
        struct summand__gemm_stage stage = summand__gemm_stage(shape, p->build.rank, s);
        summand__gemm_stage_needs(shape, &stage, needs);
        for (int rank = 0; rank < p->build.call->ranks; rank++)
            sends[rank] = sends[rank] || (rank != p->build.rank &&
                                          summand__gemm_takes_part(p, &stage, s, needs, rank));
        for (int side = 0; side < SUMMAND__GEMM_SIDES && shape->chains; side++) {
            const struct summand__gemm_operand *operand =
                summand__gemm_operand(shape, (enum summand__gemm_side)side);
            for (int h = 0; h < operand->count && !operand->shared; h++)
                if (operand->holder[h].rank != p->build.rank &&
                    summand__gemm_common(shape, &needs[side], h))
                    sends[summand__gemm_source(p, p->build.rank, s, side,
                                               operand->holder[h].rank)] = true;
        }
    }
}

static void steps(struct summand__gemm_panels *p, const bool *sends)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    size_t own = summand__gemm_stages(shape, p->build.rank), most = 0;
    for (int rank = 0; rank < p->build.call->ranks; rank++) {
        size_t stages = summand__gemm_stages(shape, rank);
        most = stages > most ? stages : most;
    }
    bool all = shape->slots >= most && (!shape->chains || !most);
    size_t lead = all ? most : shape->slots > 2 ? shape->slots - 2 : shape->slots - 1;
    summand__gemm_put_stages(p, 0, lead);
    for (size_t s = 0; s < most; s++) {
        summand__gemm_put_stages(p, s + lead, s + lead + 1);
        p->passes = false;
        if (s < own)
            summand__gemm_take_stage(p, s, sends);
        if (!all || s + 1 == most) {
            summand__round(p->build.schedule);
            p->n_packed = p->room = 0;
        }
        if (p->passes)
            summand__gemm_give_credits(p, sends);
    }
}

/* The caller may write his arrays after this start, so the other ranks must have finished
 * reading. */
static void await_readers(const struct summand__gemm_panels *p)
{
    for (int rank = 0; rank < p->build.call->ranks; rank++)
        if (p->reached[rank])
            summand__wait_counter(p->build.schedule,
                                  summand__gemm_counter(&p->build, SUMMAND__GEMM_CREDITS, rank),
                                  (int64_t)summand__gemm_stages(summand__gemm_shape_of(p), rank));
}

void summand__gemm_build_panels(const struct summand__call *call,
                                struct summand__schedule *schedule)
{
    struct summand__gemm_panels p = {
        .build = summand__gemm_begin(call, schedule, call->gemm->slots * call->gemm->slot,
                                     call->gemm->results)};
    size_t ranks = (size_t)call->ranks;
    bool *sends = calloc(ranks, sizeof *sends);
    p.sent = calloc(ranks, sizeof *p.sent);
    p.arrived = calloc(ranks, sizeof *p.arrived);
    p.reached = calloc(ranks, sizeof *p.reached);
    p.passed = calloc(ranks, sizeof *p.passed);
    p.member = calloc(ranks, sizeof *p.member);
    schedule->failed =
        schedule->failed || !sends || !p.sent || !p.arrived || !p.reached || !p.passed || !p.member;
    for (int side = 0; side < SUMMAND__GEMM_SIDES && !schedule->failed; side++)
        find_holders(&p, side);
    if (!schedule->failed && !summand__gemm_panels(call->gemm))
        summand__gemm_only_update(&p.build);
    if (!schedule->failed && summand__gemm_panels(call->gemm)) {
        find_senders(&p, sends);
        steps(&p, sends);
        if (call->gemm->deep)
            summand__gemm_exchange_parts(&p.build);
        else
            summand__gemm_take_results(&p);
        await_readers(&p);
        for (int rank = 0; rank < call->ranks; rank++) {
            summand__gemm_expect(&p.build, SUMMAND__GEMM_ARRIVED, rank, p.arrived[rank]);
            summand__gemm_expect(&p.build, SUMMAND__GEMM_PASSED, rank, p.passed[rank]);
            if (p.sent[rank])
                summand__gemm_expect(&p.build, SUMMAND__GEMM_CREDITS, rank,
                                     summand__gemm_stages(call->gemm, rank));
        }
    }
    summand__round(schedule);
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++) {
        free(p.holder[side]);
        free(p.segment[side]);
    }
    free(p.packed);
    free(p.arrived);
    free(p.reached);
    free(p.passed);
    free(p.member);
    free(p.sent);
    free(sends);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    summand__gemm_build_panels(call, schedule);
}

/* Adds the puts of others for a stage. */
static void add_stage(const struct summand__gemm_shape *shape,
                      const struct summand__gemm_stage *stage, struct summand__cost *cost)
{
    struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
    summand__gemm_stage_needs(shape, stage, needs);
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++) {
        const struct summand__gemm_operand *operand =
            summand__gemm_operand(shape, (enum summand__gemm_side)side);
        for (int h = 0; h < operand->count && !operand->shared; h++) {
            size_t count = summand__gemm_common(shape, &needs[side], h);
            if (!count || operand->holder[h].rank == stage->job->rank)
                continue;
            cost->messages++;
            cost->elements += count;
        }
    }
}

void summand__gemm_add_pieces(const struct summand__gemm_shape *shape,
                              const struct summand__gemm_job *job, struct summand__cost *cost)
{
    for (int64_t panel = 0; panel < summand__gemm_panels(shape); panel++)
        add_stage(shape, &(struct summand__gemm_stage){.job = job, .panel = panel}, cost);
}

/* The cost of puts. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    (void)depth;
    const struct summand__gemm_shape *shape = call->gemm;
    struct summand__cost cost = {.depth_at_most = true};
    int64_t panels = summand__gemm_panels(shape);
    for (int j = 0; j < shape->jobs && panels; j++) {
        const struct summand__gemm_job *job = &shape->job[j];
        const struct summand__holder *owner = &shape->c.holder[job->holder];
        size_t stages = summand__gemm_stages(shape, job->rank);
        summand__gemm_add_pieces(shape, job, &cost);
        if (owner->rank != job->rank && !shape->c.shared) {
            int64_t back = summand__gemm_back(shape, job);
            cost.messages += (size_t)((job->count + back - 1) / back);
            cost.elements += (size_t)(summand__share_extent(&owner->rows) * job->count);
        }
        cost.depth = stages + 1 > cost.depth ? stages + 1 : cost.depth;
    }
    return cost;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    const struct summand__gemm_shape *shape = call->gemm;
    if (shape->seconds > 0)
        return shape->seconds;
    double most = 0, bytes = (double)shape->slot * (double)element;
    for (int j = 0; j < shape->jobs; j++) {
        double rows = (double)summand__share_extent(&shape->c.holder[shape->job[j].holder].rows);
        double operations =
            2 * rows * (double)shape->job[j].count * (double)summand__gemm_inner(shape);
        most = operations > most ? operations : most;
    }
    bool one_node = model->per_node >= call->ranks;
    const struct summand__level *level =
        &model->level[one_node ? SUMMAND__WITHIN_NODE : SUMMAND__REACHES - 1];
    return most * model->flop + bytes * (double)summand__gemm_panels(shape) * level->byte +
           level->latency;
}

static bool applicable(const struct summand__call *call)
{
    return call->gemm;
}

const struct summand__algorithm summand__gemm_whole_panels = {
    .name = "gemm-panels",
    .description = "owners put panels of A and B to the ranks that compute; sums in order",
    .source = "van de Geijn, Watts (1997); Schmidtobreick (2017)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_GEMM] = build},
    .cost = cost,
    .estimate = estimate,
};

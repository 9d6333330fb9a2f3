/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/prove.h"

#include <stdio.h>

#include "lab/verify/meaning.h"
#include "lab/verify/prove_steps.h"
#include "matrix/gemm/boxes.h"
#include "matrix/gemm/thesis_plan.h"
#include "outer/algorithm/kernels.h"

struct subject {
    const struct summand__call *call;
    /* For an algorithm that adds parts: its pairs or its boxes; else both are NULL. */
    struct summand__gemm_thesis *pairs;
    const struct summand__gemm_shape *boxes;
    const struct summand__schedule *schedules;
};

static bool adds_parts(const struct subject *subject)
{
    return subject->pairs || subject->boxes;
}

/* The offset of an index in a share; -1 if the share lacks it. */
static int64_t offset_of(const struct summand__share *share, int64_t index)
{
    struct summand__interval interval;
    return summand__share_next(share, index, &interval) && interval.index == index ? interval.offset
                                                                                   : -1;
}

/* Element (row, column) of an operand's matrix, from any rank that holds it. */
static uint32_t element_of(const struct subject *subject, struct summand__expressions *pool,
                           const struct summand__gemm_operand *operand, uint32_t place, int64_t row,
                           int64_t column)
{
    for (int h = 0; h < operand->count; h++) {
        const struct summand__holder *holder = &operand->holder[h];
        int64_t i = offset_of(&holder->rows, row), j = offset_of(&holder->columns, column);
        if (i >= 0 && j >= 0)
            return summand__input_operand(pool, &subject->schedules[holder->rank], holder->rank,
                                          place,
                                          (size_t)j * summand__gemm_lead(operand, h) + (size_t)i);
    }
    return 0;
}

/* The chain and the products of inner elements [k, end). */
static uint32_t links_of(const struct subject *subject, struct summand__expressions *pool,
                         int64_t row, int64_t column, int64_t k, int64_t end, uint32_t chain)
{
    const struct summand__gemm_shape *shape = subject->call->gemm;
    const struct summand__kernel *kernel =
        summand__gemm_kernel(shape->blas, shape->type, shape->a.turned, shape->b.turned, false);
    for (; k < end; k++) {
        uint32_t a = element_of(subject, pool, &shape->a, SUMMAND__GEMM_PLACE_A,
                                shape->a.turned ? k : row, shape->a.turned ? row : k);
        uint32_t b = element_of(subject, pool, &shape->b, SUMMAND__GEMM_PLACE_B,
                                shape->b.turned ? column : k, shape->b.turned ? k : column);
        chain = summand__link(pool, chain, summand__term(pool, kernel, b, a));
    }
    return chain;
}

static uint32_t chain_of(const struct subject *subject, struct summand__expressions *pool,
                         int64_t row, int64_t column)
{
    return links_of(subject, pool, row, column, 0, summand__gemm_inner(subject->call->gemm),
                    summand__chain_zero());
}

static uint32_t applied(const struct subject *subject, struct summand__expressions *pool,
                        uint32_t before, uint32_t made)
{
    const struct summand__kernel *apply =
        &summand__outer_applies[subject->call->gemm->type == SUMMAND__PRODUCT_F64
                                    ? SUMMAND__OUTER_F64
                                    : SUMMAND__OUTER_F32];
    uint32_t term = summand__term(pool, apply, summand__held(pool, made, 0), summand__symbol(0));
    return summand__updated(pool, before, summand__link(pool, summand__chain_zero(), term));
}

static size_t piece_of(const struct summand__gemm_cuts *cuts, int64_t index)
{
    size_t i = 0;
    while (cuts->first[i + 1] <= index)
        i++;
    return i;
}

/* The rank that multiplies this inner slice of the block. */
static int maker_of(const struct summand__gemm_thesis *plan, size_t inner)
{
    const struct summand__gemm_pair *pair = &plan->pair[plan->pair_of[inner]];
    return plan->number[inner] < pair->half ? pair->a : pair->b;
}

/* The sum of parts in the order of pairs; each part is a chain of the products of one rank.
 * Undefined if inner elements are missing or taken twice. */
static uint32_t parts_of(const struct subject *subject, struct summand__expressions *pool,
                         int64_t row, int64_t column)
{
    struct summand__gemm_thesis *plan = subject->pairs;
    const struct summand__gemm_block block = {piece_of(&plan->rows, row),
                                              piece_of(&plan->columns, column)};
    int64_t links = 0;
    uint32_t sum = 0;
    summand__gemm_thesis_look(plan, block);
    for (size_t m = 0; m < plan->makers; m++) {
        uint32_t part = summand__chain_zero();
        for (size_t p = 0; p < plan->pairs; p++)
            for (size_t k = 0; k < plan->inner.count; k++)
                if (plan->pair_of[k] == p && maker_of(plan, k) == plan->maker[m]) {
                    part = links_of(subject, pool, row, column, plan->inner.first[k],
                                    plan->inner.first[k + 1], part);
                    links += summand__gemm_cut(&plan->inner, k);
                }
        sum = m ? applied(subject, pool, summand__held(pool, sum, 0), part) : part;
    }
    return links == summand__gemm_inner(subject->call->gemm) ? sum : SUMMAND__UNDEFINED;
}

/* The sum of parts, each the chain of one box, in the order of the inner dimension. Undefined if
 * inner elements are missing or taken twice. */
static uint32_t boxes_of(const struct subject *subject, struct summand__expressions *pool,
                         int64_t row, int64_t column)
{
    const struct summand__gemm_shape *shape = subject->boxes;
    uint32_t sum = 0;
    int64_t k = 0;
    for (bool found = true; found;) {
        found = false;
        for (int j = 0; j < shape->jobs && !found; j++) {
            const struct summand__gemm_job *job = &shape->job[j];
            found = job->k == k && row >= job->row && row < job->row + job->rows &&
                    column >= job->first && column < job->first + job->count;
            if (!found)
                continue;
            uint32_t part =
                links_of(subject, pool, row, column, k, k + job->inner, summand__chain_zero());
            sum = k ? applied(subject, pool, summand__held(pool, sum, 0), part) : part;
            k += job->inner;
        }
    }
    return k == summand__gemm_inner(subject->call->gemm) ? sum : SUMMAND__UNDEFINED;
}

/* The global row and column of element i of a rank's C; false between its columns. */
static bool find(const struct subject *subject, int rank, size_t i, int64_t *row, int64_t *column)
{
    const struct summand__gemm_operand *c = &subject->call->gemm->c;
    const struct summand__holder *holder = &c->holder[summand__gemm_holder(c, rank)];
    size_t lead = summand__gemm_lead(c, summand__gemm_holder(c, rank));
    int64_t local = (int64_t)(i % lead);
    if (local >= summand__share_extent(&holder->rows))
        return false;
    *row = summand__share_index(&holder->rows, local);
    *column = summand__share_index(&holder->columns, (int64_t)(i / lead));
    return true;
}

static uint32_t before_of(const struct subject *subject, struct summand__expressions *pool,
                          int rank, uint32_t place, size_t i)
{
    return subject->call->gemm->beta != 0
               ? summand__input_operand(pool, &subject->schedules[rank], rank, place, i)
               : 0;
}

/* Applies the finishing kernel once, if the shape has one. */
static uint32_t finished(const struct subject *subject, struct summand__expressions *pool,
                         uint32_t made)
{
    const struct summand__gemm_shape *shape = subject->call->gemm;
    uint32_t term = summand__term(pool, &summand__gemm_finishes[shape->type], summand__symbol(0),
                                  summand__symbol(0));
    return shape->finishes ? summand__updated(pool, summand__held(pool, made, 0),
                                              summand__link(pool, summand__chain_zero(), term))
                           : made;
}

static uint32_t expected(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    const struct subject *subject = context;
    const struct summand__gemm_shape *shape = subject->call->gemm;
    int64_t row, column;
    if (place != SUMMAND__GEMM_PLACE_C)
        return SUMMAND__UNDEFINED;
    if (!find(subject, rank, i, &row, &column))
        return shape->beta != 0 ? before_of(subject, pool, rank, place, i) : SUMMAND__UNTOUCHED;
    bool parts = adds_parts(subject) && summand__gemm_inner(shape);
    uint32_t made = (!parts           ? chain_of
                     : subject->pairs ? parts_of
                                      : boxes_of)(subject, pool, row, column);
    if (parts && summand__gemm_updates(shape))
        made = applied(subject, pool, before_of(subject, pool, rank, place, i), made);
    else if (summand__gemm_updates(shape) || !summand__gemm_inner(shape))
        made = summand__updated(pool, before_of(subject, pool, rank, place, i), made);
    return summand__held(pool, finished(subject, pool, made), 0);
}

/* The same if the chain lay elsewhere before it updated the result. */
static bool meant(const void *context, struct summand__expressions *pool, int rank, uint32_t place,
                  size_t i, struct summand__cell cell)
{
    const struct subject *subject = context;
    const struct summand__gemm_shape *shape = subject->call->gemm;
    int64_t row, column;
    if (place != SUMMAND__GEMM_PLACE_C || !summand__gemm_updates(shape) || adds_parts(subject) ||
        !find(subject, rank, i, &row, &column))
        return false;
    uint32_t made = applied(subject, pool, before_of(subject, pool, rank, place, i),
                            chain_of(subject, pool, row, column));
    return made && finished(subject, pool, made) == cell.expression;
}

/* The puts of a start, counted as the messages that they replace. */
static struct summand__cost puts_of(const struct summand__call *call,
                                    const struct summand__schedule *schedules)
{
    struct summand__cost cost = {.depth = 0};
    for (int r = 0; r < call->ranks; r++)
        for (size_t i = 0; i < schedules[r].length; i++) {
            const struct summand__step *step = &schedules[r].steps[i];
            cost.messages += step->action == SUMMAND__PUT;
            cost.elements += step->action == SUMMAND__PUT ? step->from.count : 0;
        }
    return cost;
}

bool summand__prove_gemm(const struct summand__algorithm *algorithm,
                         const struct summand__call *call, const int *node,
                         const struct summand__schedule *schedules, struct summand__proof *proof)
{
    struct summand__gemm_thesis plan;
    struct summand__gemm_shape boxes = *call->gemm;
    bool boxed = algorithm->takes_boxes;
    bool pairs = algorithm->order;
    bool planned = boxed   ? summand__gemm_deal_boxes(&boxes, call->ranks)
                   : pairs ? summand__gemm_thesis_init(&plan, call->gemm, algorithm)
                           : true;
    const struct subject subject = {call, pairs ? &plan : NULL, boxed ? &boxes : NULL, schedules};
    struct summand__steps_proof steps = {.ranks = call->ranks,
                                         .schedules = schedules,
                                         .node = node,
                                         .expected = expected,
                                         .meant = meant,
                                         .context = &subject,
                                         .most_starts = 8};
    bool good = planned && summand__prove_steps(&steps);
    if (pairs)
        summand__gemm_thesis_free(&plan);
    if (boxed)
        summand__gemm_release(&boxes);
    struct summand__cost told = summand__cost_of(algorithm, call);
    *proof = (struct summand__proof){.counted = puts_of(call, schedules)};
    if (!good)
        snprintf(proof->fault, sizeof proof->fault, "%s", steps.fault);
    else if (told.messages != proof->counted.messages || told.elements != proof->counted.elements)
        snprintf(proof->fault, sizeof proof->fault,
                 "%zu puts of %zu elements, formula says %zu of %zu", proof->counted.messages,
                 proof->counted.elements, told.messages, told.elements);
    else
        return true;
    return false;
}

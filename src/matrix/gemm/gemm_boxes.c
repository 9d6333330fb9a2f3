/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes: rows, columns and the inner dimension are cut, each rank multiplies one box, and the ranks
 * that hold C add the parts of their elements.
 *
 * How: a box is a job of panels.c: holders put the pieces panel by panel, or ranks read them in
 *   place. Then each rank puts to each holder of C the holder's part of the box; a holder adds the
 *   parts of an element in the order of the inner dimension. Counters and credits are those of the
 *   panels; there is no barrier.
 * When: C is small beside A or B, or on few ranks, and sums may have any order; by the estimate.
 * Cost: R x C x K boxes; per rank (m / R + n / C) k / K elements of A and B that it does not hold,
 *   m n / (R C) of its part, and 2 m n k / (R C K) operations.
 * Restrictions: sums are added by parts, which depend on the boxes: the bits are those of the
 *   same grids, ranks and machine model.
 * Source: Agarwal, Balle, Gustavson, Joshi, Palkar (1995), the 3-d algorithm; Demmel, Eliahu,
 *   Fox, Kamil, Lipshitz, Schwartz, Spillinger (2013), CARMA, for grids of any shapes. */
#include <math.h>

#include "matrix/gemm/boxes.h"
#include "matrix/gemm/panels.h"

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    struct summand__gemm_shape shape = *call->gemm;
    struct summand__call own = *call;
    (void)algorithm;
    own.gemm = &shape;
    if (summand__gemm_deal_boxes(&shape, call->ranks))
        summand__gemm_build_panels(&own, schedule);
    else
        schedule->failed = true;
    summand__gemm_release(&shape);
}

static void add_parts(const struct summand__gemm_shape *shape, const struct summand__gemm_job *job,
                      struct summand__cost *cost)
{
    struct summand__gemm_part part;
    for (int h = 0; h < shape->c.count; h++) {
        if (shape->c.holder[h].rank == job->rank || !summand__gemm_part_of(shape, job, h, &part))
            continue;
        cost->messages++;
        cost->elements += (size_t)(part.rows * part.columns);
    }
}

/* The cost of puts. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    struct summand__gemm_shape shape = *call->gemm;
    struct summand__cost cost = {.depth_at_most = true};
    (void)algorithm;
    (void)depth;
    cost.unknown = !summand__gemm_deal_boxes(&shape, call->ranks);
    for (int j = 0; j < shape.jobs && !cost.unknown; j++) {
        summand__gemm_add_pieces(&shape, &shape.job[j], &cost);
        add_parts(&shape, &shape.job[j], &cost);
        cost.depth = (size_t)summand__gemm_panels(&shape) + 2;
    }
    summand__gemm_release(&shape);
    return cost;
}

/* Computed and stored when the product is laid out, because the estimate needs memory. */
static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    (void)model;
    return call->gemm->boxes.seconds > 0 ? call->gemm->boxes.seconds : INFINITY;
}

static bool applicable(const struct summand__call *call)
{
    return call->gemm && call->gemm->boxes.rows;
}

const struct summand__algorithm summand__gemm_in_boxes = {
    .name = "gemm-boxes",
    .description = "each rank multiplies a box of rows, columns and inner elements; then owners "
                   "of C add the parts",
    .source = "Agarwal, Balle, Gustavson, Joshi, Palkar (1995); Demmel et al. (2013)",
    .promises = SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_GEMM] = build},
    .cost = cost,
    .estimate = estimate,
    .takes_boxes = true,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of panels.c: the puts of this rank for other ranks' stages, and its own stages. */
#pragma once

#include "matrix/gemm/build.h"

/* A packed piece; it may be for several ranks. */
struct summand__gemm_packed {
    struct summand__gemm_need need;
    size_t first;
};

/* The needs of a rank for a stage. Ranks with the same needs form a list in rank order; its first
 * member has the data of the whole list. */
struct summand__gemm_member {
    bool active; /* it has such a stage */
    struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
    int before[SUMMAND__GEMM_SIDES], after[SUMMAND__GEMM_SIDES], head[SUMMAND__GEMM_SIDES];
    size_t index[SUMMAND__GEMM_SIDES], size[SUMMAND__GEMM_SIDES];
    int last[SUMMAND__GEMM_SIDES], next_head[SUMMAND__GEMM_SIDES];
};

struct summand__gemm_panels {
    struct summand__gemm_build build;
    int own[SUMMAND__GEMM_SIDES];        /* the holder of A and of B that this rank is, or -1 */
    int *holder[SUMMAND__GEMM_SIDES];    /* holder numbers of each rank, or -1 */
    size_t lead;                         /* number of stages by which pieces are put ahead */
    size_t *sent, *arrived;              /* stages so far, of each rank */
    size_t *passed;                      /* pieces of others that each rank has passed on so far */
    bool passes;                         /* this rank passes on a piece of this stage */
    struct summand__gemm_member *member; /* of each rank, for stage number `number` (chains) */
    int heads[SUMMAND__GEMM_SIDES];      /* of these lists */
    bool looked;
    size_t number;
    bool *reached;                       /* of each rank: it accesses this rank's arrays in place */
    struct summand__gemm_packed *packed; /* in this step */
    size_t n_packed, room;
    struct summand__gemm_segment *segment[SUMMAND__GEMM_SIDES]; /* of this stage */
    size_t segments[SUMMAND__GEMM_SIDES], capacity[SUMMAND__GEMM_SIDES];
};

/* A stage of a rank: one panel of one of its jobs. */
struct summand__gemm_stage {
    const struct summand__gemm_job *job;
    int64_t panel;
    bool last; /* of the job */
};

static inline const struct summand__gemm_shape *
summand__gemm_shape_of(const struct summand__gemm_panels *p)
{
    return p->build.shape;
}

struct summand__gemm_stage summand__gemm_stage(const struct summand__gemm_shape *shape, int rank,
                                               size_t number);
void summand__gemm_stage_needs(const struct summand__gemm_shape *shape,
                               const struct summand__gemm_stage *stage,
                               struct summand__gemm_need needs[]);

/* The number of slots of a rank with so many stages. */
static inline size_t summand__gemm_slots(const struct summand__gemm_shape *shape, size_t stages)
{
    return shape->slots < stages ? shape->slots : stages;
}

/* The element of the slots at which a holder's piece arrives: after those of the holders before it.
 * Shared pieces are read in place. */
size_t summand__gemm_lands_at(const struct summand__gemm_shape *shape, size_t slots, size_t stage,
                              const struct summand__gemm_need needs[], int side, int holder);

/* True if another rank's stage involves this rank: it needs a piece of this rank's, or computes its
 * columns in this rank's shared tile. */
bool summand__gemm_takes_part(struct summand__gemm_panels *p,
                              const struct summand__gemm_stage *stage, size_t number,
                              const struct summand__gemm_need needs[], int rank);

/* panels_chain.c: sets the needs of all ranks for their stages of that number (`member`), unless
 * set. */
void summand__gemm_look(struct summand__gemm_panels *p, size_t number);

/* source: the rank that puts a holder's piece to `rank` for a stage. successor: the rank to which
 * this rank passes it on, or -1. */
int summand__gemm_source(struct summand__gemm_panels *p, int rank, size_t number, int side,
                         int holder);
int summand__gemm_successor(struct summand__gemm_panels *p, size_t number, int side, int holder);

/* panels_put.c: a round that packs the pieces for stages [first, end) of each other rank, and a
 * round that puts them. There are no waits between stages. */
void summand__gemm_put_stages(struct summand__gemm_panels *p, size_t first, size_t end);

/* panels.c: the schedule of a rank's jobs; and the puts of others for a job. */
void summand__gemm_build_panels(const struct summand__call *call,
                                struct summand__schedule *schedule);
void summand__gemm_add_pieces(const struct summand__gemm_shape *shape,
                              const struct summand__gemm_job *job, struct summand__cost *cost);

/* panels_take.c: a stage of this rank. `sends`: the ranks that put pieces for any of its stages. If
 * this rank has passed on a piece, its credits follow once the piece has left. */
void summand__gemm_take_stage(struct summand__gemm_panels *p, size_t number, const bool *sends);
void summand__gemm_give_credits(struct summand__gemm_panels *p, const bool *sends);
/* Takes the columns of this rank's tile that others have computed. */
void summand__gemm_take_results(struct summand__gemm_panels *p);
/* boxes_parts.c: the same for boxes; also puts this rank's parts for others. */
void summand__gemm_exchange_parts(const struct summand__gemm_build *build);

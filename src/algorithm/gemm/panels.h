/* The parts of panels.c: what this rank puts for others' stages, and what it does in its own. */
#ifndef SUMMAND_ALGORITHM_GEMM_PANELS_H
#define SUMMAND_ALGORITHM_GEMM_PANELS_H

#include "algorithm/gemm/build.h"

/* A packed piece, which may be for several ranks. */
struct summand__gemm_packed {
    struct summand__gemm_need need;
    size_t first;
};

/* What a rank needs for a stage, and others that need the same, in a list by rank; of the list's
 * first one, what holds of the whole. */
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
    int *holder[SUMMAND__GEMM_SIDES];    /* those that each rank is, or -1 */
    size_t lead;                         /* stages that pieces are put ahead */
    size_t *sent, *arrived;              /* stages so far, of each rank */
    size_t *passed;                      /* others' pieces so far that each rank has passed on */
    bool passes;                         /* this rank, something of this stage */
    struct summand__gemm_member *member; /* of each rank, for stage number `number` (chains) */
    int heads[SUMMAND__GEMM_SIDES];      /* of these lists */
    bool looked;
    size_t number;
    bool *reached;                       /* by each rank: it touches this one's arrays in place */
    struct summand__gemm_packed *packed; /* in this step */
    size_t n_packed, room;
    struct summand__gemm_segment *segment[SUMMAND__GEMM_SIDES]; /* of this stage */
    size_t segments[SUMMAND__GEMM_SIDES], capacity[SUMMAND__GEMM_SIDES];
};

/* Stage number `stage` of a rank: which panel of which of its jobs. */
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

/* Slots of a rank with so many stages. */
static inline size_t summand__gemm_slots(const struct summand__gemm_shape *shape, size_t stages)
{
    return shape->slots < stages ? shape->slots : stages;
}

/* The element of the slots where a holder's piece lands: behind those of the holders before it;
 * shared ones are read where they are. */
size_t summand__gemm_lands_at(const struct summand__gemm_shape *shape, size_t slots, size_t stage,
                              const struct summand__gemm_need needs[], int side, int holder);

/* Whether another rank waits for this one for a stage of its: for a piece of this one's own, or as
 * it is made in this one's tile, which is shared. */
bool summand__gemm_takes_part(struct summand__gemm_panels *p,
                              const struct summand__gemm_stage *stage, size_t number,
                              const struct summand__gemm_need needs[], int rank);

/* panels_chain.c: sets what all ranks need for their stages of that number (`member`), unless it is
 * set. */
void summand__gemm_look(struct summand__gemm_panels *p, size_t number);

/* Who puts a piece of a holder (both are ranks) that a rank needs for a stage; and
 * the rank that this one passes it on to, or -1. */
int summand__gemm_source(struct summand__gemm_panels *p, int rank, size_t number, int side,
                         int holder);
int summand__gemm_successor(struct summand__gemm_panels *p, size_t number, int side, int holder);

/* panels_put.c: a round in which pieces for stages [first, end) of each other rank are packed, and
 * one in which they are put: nothing is waited for between stages. */
void summand__gemm_put_stages(struct summand__gemm_panels *p, size_t first, size_t end);

/* panels_take.c: a stage of this rank's; `sends`: who puts something for any of them. Where it has
 * passed something on, credits follow once that has left. */
void summand__gemm_take_stage(struct summand__gemm_panels *p, size_t number, const bool *sends);
void summand__gemm_give_credits(struct summand__gemm_panels *p, const bool *sends);
/* What others have made of this rank's tile. */
void summand__gemm_take_results(struct summand__gemm_panels *p);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains: a rank gets a piece from its holder, or from another rank that needs the same piece for
 * its stage of the same number and passes it on. So a holder's card does not send a piece once for
 * each rank. Ranks of one node are neighbours in a chain, so most pieces are passed on within the
 * node. Ranks that need the same piece, in the order of their numbers, are cut into chains. */
#include <stdlib.h>

#include "matrix/gemm/panels.h"

struct summand__gemm_stage summand__gemm_stage(const struct summand__gemm_shape *shape, int rank,
                                               size_t number)
{
    size_t panels = (size_t)summand__gemm_panels(shape), jobs;
    const struct summand__gemm_job *first = summand__gemm_jobs_of(shape, rank, &jobs);
    return (struct summand__gemm_stage){&first[number / panels], (int64_t)(number % panels),
                                        number % panels == panels - 1};
}

void summand__gemm_stage_needs(const struct summand__gemm_shape *shape,
                               const struct summand__gemm_stage *stage,
                               struct summand__gemm_need needs[])
{
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++)
        needs[side] =
            summand__gemm_needs(shape, stage->job, stage->panel, (enum summand__gemm_side)side);
}

static void join(struct summand__gemm_panels *p, int rank, int side)
{
    struct summand__gemm_member *members = p->member, *own = &members[rank];
    own->before[side] = own->after[side] = -1;
    own->head[side] = own->last[side] = rank;
    own->index[side] = 0;
    own->size[side] = 1;
    for (int head = p->heads[side]; head >= 0; head = members[head].next_head[side]) {
        if (!summand__gemm_same_need(&members[head].needs[side], &own->needs[side]))
            continue;
        int last = members[head].last[side];
        own->head[side] = head;
        own->before[side] = last;
        own->index[side] = members[head].size[side]++;
        members[last].after[side] = members[head].last[side] = rank;
        return;
    }
    own->next_head[side] = p->heads[side];
    p->heads[side] = rank;
}

void summand__gemm_look(struct summand__gemm_panels *p, size_t number)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    if (p->looked && p->number == number)
        return;
    p->looked = true;
    p->number = number;
    p->heads[SUMMAND__GEMM_A] = p->heads[SUMMAND__GEMM_B] = -1;
    for (int rank = 0; rank < p->build.call->ranks; rank++) {
        struct summand__gemm_member *own = &p->member[rank];
        own->active = number < summand__gemm_stages(shape, rank);
        if (!own->active)
            continue;
        struct summand__gemm_stage stage = summand__gemm_stage(shape, rank, number);
        summand__gemm_stage_needs(shape, &stage, own->needs);
        for (int side = 0; side < SUMMAND__GEMM_SIDES; side++)
            join(p, rank, side);
    }
}

/* True if the holder itself also needs the piece. */
static bool needs_own(const struct summand__gemm_panels *p, int holder, int rank, int side)
{
    return p->member[holder].active && p->member[holder].head[side] == p->member[rank].head[side];
}

int summand__gemm_source(struct summand__gemm_panels *p, int rank, size_t number, int side,
                         int holder)
{
    size_t chains = summand__gemm_shape_of(p)->chains;
    if (!chains)
        return holder;
    summand__gemm_look(p, number);
    const struct summand__gemm_member *members = p->member, *own = &members[rank];
    bool among = needs_own(p, holder, rank, side);
    size_t all = members[own->head[side]].size[side] - among;
    size_t index = own->index[side] - (among && members[holder].index[side] < own->index[side]);
    size_t length = (all + chains - 1) / chains;
    size_t most = (size_t)summand__gemm_panels(summand__gemm_shape_of(p));
    length = length < most ? length : most; /* a longer chain would not fill before the end */
    if (index % length == 0)
        return holder;
    int before = own->before[side];
    return before == holder ? members[holder].before[side] : before;
}

int summand__gemm_successor(struct summand__gemm_panels *p, size_t number, int side, int holder)
{
    if (!summand__gemm_shape_of(p)->chains)
        return -1;
    summand__gemm_look(p, number);
    int next = p->member[p->build.rank].after[side];
    if (next == holder)
        next = p->member[holder].after[side];
    return next >= 0 && summand__gemm_source(p, next, number, side, holder) == p->build.rank ? next
                                                                                             : -1;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix/gemm/panels.h"

#include <stdlib.h>

size_t summand__gemm_lands_at(const struct summand__gemm_shape *shape, size_t slots, size_t stage,
                              const struct summand__gemm_need needs[], int side, int holder)
{
    size_t first = stage % slots * shape->slot;
    if (side == SUMMAND__GEMM_B && !shape->a.shared)
        first += (size_t)(needs[SUMMAND__GEMM_A].count * needs[SUMMAND__GEMM_A].inner);
    for (int h = 0; h < holder; h++)
        first += summand__gemm_common(shape, &needs[side], h);
    return first;
}

bool summand__gemm_takes_part(struct summand__gemm_panels *p,
                              const struct summand__gemm_stage *stage, size_t number,
                              const struct summand__gemm_need needs[], int rank)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    bool part = summand__gemm_in_place(shape, stage->job) && !stage->panel &&
                shape->c.holder[stage->job->holder].rank == rank;
    for (int side = 0; side < SUMMAND__GEMM_SIDES && !part; side++) {
        const struct summand__gemm_operand *operand =
            summand__gemm_operand(shape, (enum summand__gemm_side)side);
        int h = p->holder[side][rank];
        part = h >= 0 && summand__gemm_common(shape, &needs[side], h) &&
               (operand->shared ||
                summand__gemm_source(p, stage->job->rank, number, side, rank) == rank);
    }
    return part;
}

static bool packs_before(const struct summand__gemm_panels *p,
                         const struct summand__gemm_need *need, size_t *first)
{
    for (size_t i = 0; i < p->n_packed; i++)
        if (summand__gemm_same_need(&p->packed[i].need, need)) {
            *first = p->packed[i].first;
            return true;
        }
    return false;
}

static bool remember(struct summand__gemm_panels *p, const struct summand__gemm_need *need,
                     size_t first)
{
    struct summand__gemm_packed *more = realloc(p->packed, (p->n_packed + 1) * sizeof *more);
    if (!more) {
        p->build.schedule->failed = true;
        return false;
    }
    p->packed = more;
    p->packed[p->n_packed++] = (struct summand__gemm_packed){*need, first};
    return true;
}

/* The piece as one region: in place, or packed. */
static struct summand__region gathered(struct summand__gemm_panels *p,
                                       const struct summand__gemm_need *need,
                                       const struct summand__gemm_piece *piece)
{
    struct summand__columns own = summand__gemm_array(&p->build, need->side);
    struct summand__columns to = {SUMMAND__GEMM_PACKED, p->room, summand__gemm_packed_lead(piece)};
    size_t count = piece->outer * piece->inner, first;
    if (summand__tiles_contiguous(&piece->rows, &piece->columns, true, own.lead, &first))
        return summand__region((enum summand__place)own.place, first, count);
    if (packs_before(p, need, &first))
        return summand__region((enum summand__place)to.place, first, count);
    if (remember(p, need, p->room)) {
        summand__tiles_copy(p->build.schedule, &piece->rows, &piece->columns, own, to);
        p->room += count;
        summand__gemm_room(&p->build, SUMMAND__GEMM_PACKED, p->room);
    }
    return summand__region((enum summand__place)to.place, to.first, count);
}

/* `packs`: only packs, if the piece is not contiguous. */
static void put_piece(struct summand__gemm_panels *p, int peer,
                      const struct summand__gemm_need needs[], int side, size_t number, bool packs)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    struct summand__schedule *schedule = p->build.schedule;
    size_t slots = summand__gemm_slots(shape, summand__gemm_stages(shape, peer));
    struct summand__gemm_piece piece;
    if (!summand__gemm_piece(shape, &needs[side], p->own[side], SUMMAND__VIEW_SENDER, &piece,
                             &schedule->failed))
        return;
    struct summand__region from = gathered(p, &needs[side], &piece);
    size_t to = summand__gemm_lands_at(shape, slots, number, needs, side, p->own[side]);
    if (!packs)
        summand__put(schedule, peer, from,
                     summand__region((enum summand__place)SUMMAND__GEMM_SLOTS, to, from.count));
    summand__gemm_piece_free(&piece);
}

static bool has(const struct summand__gemm_panels *p, const struct summand__gemm_need needs[],
                int side, bool shared)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    return p->own[side] >= 0 && summand__gemm_operand(shape, needs[side].side)->shared == shared &&
           summand__gemm_common(shape, &needs[side], p->own[side]);
}

/* True if this rank puts its piece to the peer itself. */
static bool gives(struct summand__gemm_panels *p, int peer, const struct summand__gemm_need needs[],
                  int side, size_t number)
{
    return has(p, needs, side, false) &&
           summand__gemm_source(p, peer, number, side, p->build.rank) == p->build.rank;
}

/* True if the stage accesses an array of this rank in place. */
static bool is_reached(const struct summand__gemm_panels *p,
                       const struct summand__gemm_stage *stage,
                       const struct summand__gemm_need needs[])
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    return has(p, needs, SUMMAND__GEMM_A, true) || has(p, needs, SUMMAND__GEMM_B, true) ||
           (summand__gemm_in_place(shape, stage->job) &&
            shape->c.holder[stage->job->holder].rank == p->build.rank);
}

/* Puts this rank's pieces for a stage of another rank. */
static void put_stage(struct summand__gemm_panels *p, int peer, size_t number, bool packs)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(p);
    struct summand__schedule *schedule = p->build.schedule;
    size_t stages = summand__gemm_stages(shape, peer), slots = summand__gemm_slots(shape, stages);
    struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
    if (number >= stages || peer == p->build.rank)
        return;
    struct summand__gemm_stage stage = summand__gemm_stage(shape, peer, number);
    summand__gemm_stage_needs(shape, &stage, needs);
    if (!summand__gemm_takes_part(p, &stage, number, needs, p->build.rank))
        return;
    p->reached[peer] = p->reached[peer] || is_reached(p, &stage, needs);
    bool gives_a = gives(p, peer, needs, SUMMAND__GEMM_A, number);
    bool gives_b = gives(p, peer, needs, SUMMAND__GEMM_B, number);
    if (!packs && (gives_a || gives_b))
        summand__wait_counter(schedule,
                              summand__gemm_counter(&p->build, SUMMAND__GEMM_CREDITS, peer),
                              summand__gemm_credits_for(slots, stages, number));
    if (gives_a)
        put_piece(p, peer, needs, SUMMAND__GEMM_A, number, packs);
    if (gives_b)
        put_piece(p, peer, needs, SUMMAND__GEMM_B, number, packs);
    if (packs)
        return;
    summand__notify(schedule, peer,
                    summand__gemm_counter(&p->build, SUMMAND__GEMM_ARRIVED, p->build.rank));
    p->sent[peer]++;
}

void summand__gemm_put_stages(struct summand__gemm_panels *p, size_t first, size_t end)
{
    int ranks = p->build.call->ranks;
    size_t before = p->n_packed;
    for (int packs = 1; packs >= 0; packs--) {
        for (size_t number = first; number < end; number++)
            for (int k = 1; k < ranks && !p->build.schedule->failed; k++)
                put_stage(p, (p->build.rank + k) % ranks, number, packs);
        if (packs && p->n_packed > before)
            summand__round(p->build.schedule);
    }
}

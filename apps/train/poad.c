/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/poad.h"

size_t train_poad_behind(int ranks, long long wanted)
{
    return wanted < 0 ? (size_t)ranks - 1 : (size_t)wanted;
}

size_t train_poad_stashed(int stages)
{
    return 2 * (size_t)stages - 1;
}

size_t train_poad_behind_in(const struct train_poad *poad, int stage)
{
    return poad->stashed ? train_poad_stashed(poad->stages - stage) : poad->behind;
}

size_t train_poad_slots(const struct train_poad *poad)
{
    return poad->behind + 1;
}

size_t train_poad_mark(const struct train_poad *poad)
{
    enum { OF_POAD = 2 * TRAIN_STAGES_MOST, OF_STASHED = 4096, OF_LAST = 8192 };
    return (poad->stashed ? OF_STASHED : poad->last ? OF_LAST : OF_POAD) + poad->behind;
}

int train_poad_ranks(const struct train_poad *poad)
{
    return poad->together ? poad->stages : 2 * poad->stages;
}

int train_poad_stage(const struct train_poad *poad, int rank)
{
    return rank % poad->stages;
}

int train_poad_twin(const struct train_poad *poad, int stage)
{
    return poad->together ? stage : poad->stages + stage;
}

int train_poad_keeper(const struct train_poad *poad, int stage)
{
    return train_poad_twin(poad, poad->last ? 0 : stage);
}

bool train_poad_follows(const struct train_poad *poad, int rank)
{
    return rank != train_poad_keeper(poad, train_poad_stage(poad, rank));
}

int train_poad_rings(const struct train_poad *poad)
{
    return poad->last ? TRAIN_SOURCES + poad->stages : TRAIN_SOURCES;
}

static void add(struct train_poad_turn *turn, const struct train_poad *poad, bool behind,
                enum train_poad_kind kind, enum train_ring ring, int peer, size_t number)
{
    struct train_poad_act act = {kind, ring, peer, number, number % train_poad_slots(poad)};
    if (behind)
        turn->after[turn->afters++] = act;
    else
        turn->before[turn->befores++] = act;
}

static size_t oldest_of(const struct train_poad *p, const struct train_poad_turn *turn)
{
    size_t behind = train_poad_behind_in(p, turn->stage);
    return turn->batch > behind ? turn->batch - behind : 0;
}

/* Any version from the oldest one on; stashed: that one. */
static void take(const struct train_poad *p, struct train_poad_turn *turn)
{
    turn->takes_version = true;
    if (turn->oldest)
        add(turn, p, false, TRAIN_WAIT, TRAIN_VERSIONS, train_poad_keeper(p, turn->stage),
            turn->oldest);
    if (p->stashed)
        add(turn, p, false, TRAIN_READ, TRAIN_VERSIONS, turn->stage, turn->oldest);
}

static void forward(const struct train_poad *p, struct train_poad_turn *turn)
{
    int g = turn->stage, twin = train_poad_twin(p, g);
    size_t t = turn->batch;
    if (g) {
        add(turn, p, false, TRAIN_WAIT, TRAIN_INPUTS, g - 1, t + 1);
        add(turn, p, false, TRAIN_READ, TRAIN_INPUTS, g, t);
    }
    turn->oldest = oldest_of(p, turn);
    if (!p->together)
        take(p, turn);
    add(turn, p, true, p->together ? TRAIN_STORE : TRAIN_PUT, TRAIN_OUTPUTS, twin, t);
    if (g + 1 < p->stages)
        add(turn, p, true, TRAIN_PUT, TRAIN_INPUTS, g + 1, t);
}

/* R(0), last: the gradients of all layers, and the next version to all ranks but itself. */
static void update_all(const struct train_poad *p, struct train_poad_turn *turn)
{
    const int own = train_poad_twin(p, 0);
    for (int g = 1; g < p->stages; g++) {
        const enum train_ring ring = (enum train_ring)(TRAIN_SOURCES + g);
        add(turn, p, false, TRAIN_WAIT, ring, train_poad_twin(p, g), turn->batch + 1);
        add(turn, p, false, TRAIN_READ, ring, own, turn->batch);
    }
    add(turn, p, true, TRAIN_IMPROVE, TRAIN_VERSIONS, own, turn->batch + 1);
    for (int rank = 0; rank < train_poad_ranks(p); rank++)
        if (rank != own)
            add(turn, p, true, TRAIN_PUT, TRAIN_VERSIONS, rank, turn->batch + 1);
}

static void update_own(const struct train_poad *p, struct train_poad_turn *turn)
{
    const int own = train_poad_twin(p, turn->stage);
    const size_t next = turn->batch + 1;
    add(turn, p, true, TRAIN_IMPROVE, TRAIN_VERSIONS, own, next);
    if (p->stashed)
        add(turn, p, true, TRAIN_STORE, TRAIN_STASH, own, next);
    add(turn, p, true, TRAIN_PUT, TRAIN_VERSIONS, turn->stage, next);
}

static void back(const struct train_poad *p, struct train_poad_turn *turn)
{
    int g = turn->stage, own = train_poad_twin(p, g);
    size_t t = turn->batch;
    if (!p->together)
        add(turn, p, false, TRAIN_WAIT, TRAIN_OUTPUTS, g, t + 1);
    else if (g)
        add(turn, p, false, TRAIN_READ, TRAIN_INPUTS, g, t);
    add(turn, p, false, TRAIN_READ, TRAIN_OUTPUTS, own, t);
    if (g + 1 < p->stages) {
        add(turn, p, false, TRAIN_WAIT, TRAIN_ERRORS, train_poad_twin(p, g + 1), t + 1);
        add(turn, p, false, TRAIN_READ, TRAIN_ERRORS, own, t);
    }
    turn->oldest = oldest_of(p, turn);
    if (p->stashed)
        add(turn, p, false, TRAIN_READ, TRAIN_STASH, own, turn->oldest);
    if (p->last && g)
        take(p, turn);
    if (p->together)
        add(turn, p, true, TRAIN_IMPROVE, TRAIN_VERSIONS, own, t + 1);
    if (g)
        add(turn, p, true, TRAIN_PUT, TRAIN_ERRORS, train_poad_twin(p, g - 1), t);
    if (p->last && g)
        add(turn, p, true, TRAIN_PUT, (enum train_ring)(TRAIN_SOURCES + g), train_poad_twin(p, 0),
            t);
    else if (p->last)
        update_all(p, turn);
    else if (!p->together)
        update_own(p, turn);
}

/* If twins are together: batches that go forward before the first one goes back. */
static size_t lead(const struct train_poad *p, int stage)
{
    size_t lead = (size_t)(p->stages - stage);
    lead = lead < train_poad_slots(p) ? lead : train_poad_slots(p);
    return lead < p->batches ? lead : p->batches;
}

static void alternate(const struct train_poad *p, size_t number, struct train_poad_turn *turn)
{
    size_t first = lead(p, turn->stage), rest = p->batches - first, i = number - first;
    turn->back = number >= first && (i >= 2 * rest || i % 2 == 0);
    turn->batch = number < first  ? number
                  : i >= 2 * rest ? i - rest
                  : turn->back    ? i / 2
                                  : first + i / 2;
}

bool train_poad_turn(const struct train_poad *poad, int rank, size_t number,
                     struct train_poad_turn *turn)
{
    turn->back = turn->takes_version = false;
    turn->stage = train_poad_stage(poad, rank);
    turn->batch = number;
    turn->befores = turn->afters = 0; /* the acts behind these are not read */
    turn->oldest = 0;
    if (number >= (poad->together ? 2 : 1) * poad->batches)
        return false;
    if (poad->together)
        alternate(poad, number, turn);
    else
        turn->back = rank >= poad->stages;
    (turn->back ? back : forward)(poad, turn);
    return true;
}

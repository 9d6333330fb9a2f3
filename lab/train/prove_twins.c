/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/train/prove_twins.h"

#include <stdio.h>

#include "lab/train/prove_pipeline.h"
#include "lab/verify/prove_steps.h"

enum { RANKS = 2 * TRAIN_PROOF_STAGES, BATCHES = 64 };

/* Places of every rank. An element of DATA stands for the content of one slot of a ring: a batch's
 * data or a version. LOG has the reads of each turn. */
enum { DATA = SUMMAND__PLACES, WINDOW, LOG };

/* When a rank reads. */
enum reading { FORWARD, BACK, AGAIN /* to improve */, END, READINGS };

struct twins {
    struct train_poad poad;
    const struct train_twins_flaw *flaw;
    size_t slots; /* of a ring */
    struct summand__schedule schedules[RANKS];
};

static struct summand__region element(int place, size_t first)
{
    return summand__region((enum summand__place)place, first, 1);
}

static size_t data_count(const struct twins *t)
{
    return (size_t)train_poad_rings(&t->poad) * (t->poad.batches + 1);
}

static size_t data_at(const struct twins *t, enum train_ring ring, size_t number)
{
    return (size_t)ring * (t->poad.batches + 1) + number;
}

static struct summand__region slot_of(const struct twins *t, enum train_ring ring, size_t slot)
{
    return element(WINDOW, (size_t)ring * t->slots + slot % t->slots);
}

/* The slot that the protocol names, if its rings have the length that it requires. */
static struct summand__region slot_in(const struct twins *t, const struct train_poad_act *act)
{
    return slot_of(t, act->ring, t->flaw->slot_less ? act->number : act->slot);
}

static void log_slot(struct twins *t, int rank, enum reading reading, enum train_ring ring,
                     struct summand__region slot, size_t number)
{
    summand__copy(&t->schedules[rank], slot,
                  element(LOG, (size_t)reading * data_count(t) + data_at(t, ring, number)));
}

static void wait_for(struct twins *t, int rank, enum train_ring ring, size_t number)
{
    if (!t->flaw->no_waits || t->flaw->ring != ring)
        summand__wait_counter(&t->schedules[rank], ring, (int64_t)number);
}

static void add_before(struct twins *t, int rank, enum reading reading,
                       const struct train_poad_act *act, size_t batch)
{
    if (act->kind == TRAIN_WAIT)
        wait_for(t, rank, act->ring, act->number);
    else
        log_slot(t, rank, reading, act->ring, slot_in(t, act), batch);
}

static void add_act(struct twins *t, int rank, const struct train_poad_act *act,
                    const struct train_poad_turn *turn)
{
    struct summand__schedule *schedule = &t->schedules[rank];
    struct summand__region data = element(DATA, data_at(t, act->ring, act->number));
    for (int i = 0; i < turn->befores && act->kind == TRAIN_IMPROVE; i++)
        if (turn->before[i].kind == TRAIN_READ)
            add_before(t, rank, AGAIN, &turn->before[i], turn->batch);
    if (act->kind == TRAIN_STORE)
        summand__copy(schedule, data, slot_in(t, act));
    if (act->kind != TRAIN_PUT)
        return;
    summand__put(schedule, act->peer, data, slot_in(t, act));
    summand__notify(schedule, act->peer, act->ring);
}

static void add_turn(struct twins *t, int rank, const struct train_poad_turn *turn)
{
    enum reading reading = turn->back ? BACK : FORWARD;
    for (int i = 0; i < turn->befores; i++)
        add_before(t, rank, reading, &turn->before[i], turn->batch);
    /* Reads the oldest version that may be the newest. Of the turns that may see it, the last one
     * reads it here; after that it may be overwritten. A later version is there if it is taken, and
     * is overwritten later. */
    if (turn->takes_version && !t->poad.stashed)
        log_slot(t, rank, reading, TRAIN_VERSIONS, slot_of(t, TRAIN_VERSIONS, turn->oldest),
                 turn->batch);
    for (int i = 0; i < turn->afters; i++)
        add_act(t, rank, &turn->after[t->flaw->turned ? turn->afters - 1 - i : i], turn);
}

static bool goes(const struct twins *t, int rank, bool back)
{
    return t->poad.together || back == (rank >= t->poad.stages);
}

/* The oldest version that is still there when all have arrived. */
static size_t first_left(const struct twins *t)
{
    return t->poad.batches < t->slots ? 0 : t->poad.batches + 1 - t->slots;
}

/* The rank that fills the slots of a ring of the stage. */
static int writer_of(const struct twins *t, int stage, enum train_ring ring)
{
    return ring == TRAIN_INPUTS    ? stage - 1
           : ring == TRAIN_OUTPUTS ? stage
           : ring == TRAIN_ERRORS  ? train_poad_twin(&t->poad, stage + 1)
           : ring >= TRAIN_SOURCES ? train_poad_twin(&t->poad, (int)ring - TRAIN_SOURCES)
                                   : train_poad_keeper(&t->poad, stage);
}

/* True if batches read something in that ring, by the definition of the training. */
static bool finds(const struct twins *t, int rank, enum reading reading, enum train_ring ring)
{
    int stage = rank % t->poad.stages;
    bool inputs = ring == TRAIN_INPUTS && stage, follows = train_poad_follows(&t->poad, rank);
    if (ring == TRAIN_VERSIONS)
        return follows && (reading == END || (reading != AGAIN && goes(t, rank, reading == BACK)));
    if (ring >= TRAIN_SOURCES)
        return (reading == BACK || reading == AGAIN) && goes(t, rank, true) && !stage &&
               ring > TRAIN_SOURCES;
    if (reading == FORWARD || reading == END)
        return goes(t, rank, false) && inputs && reading == FORWARD;
    if (reading == AGAIN && t->poad.last && stage)
        return false;
    return goes(t, rank, true) &&
           (ring == TRAIN_OUTPUTS || (ring == TRAIN_ERRORS && stage + 1 < t->poad.stages) ||
            (inputs && t->poad.together) || (ring == TRAIN_STASH && t->poad.stashed));
}

static size_t puts_to(const struct twins *t, int rank, enum train_ring ring)
{
    bool own = ring == TRAIN_STASH || (ring == TRAIN_OUTPUTS && t->poad.together);
    bool found = finds(t, rank, FORWARD, ring) || finds(t, rank, BACK, ring);
    return found && !own ? t->poad.batches : 0;
}

static void build(struct twins *t, int rank)
{
    struct summand__schedule *schedule = &t->schedules[rank];
    struct train_poad_turn turn;
    size_t batches = t->poad.batches;
    const int rings = train_poad_rings(&t->poad);
    summand__add_place(schedule, SUMMAND__INPUT, 1, data_count(t));
    summand__add_place(schedule, SUMMAND__WINDOW, 1, (size_t)rings * t->slots);
    summand__add_place(schedule, SUMMAND__RESULT, 1, READINGS * data_count(t));
    for (int ring = 0; ring < rings; ring++)
        summand__add_counter(schedule, writer_of(t, rank % t->poad.stages, (enum train_ring)ring),
                             puts_to(t, rank, (enum train_ring)ring));
    for (int ring = 0; ring < rings; ring++)
        if (ring == TRAIN_VERSIONS || ring == TRAIN_STASH) /* version 0 */
            summand__copy(schedule, element(DATA, data_at(t, (enum train_ring)ring, 0)),
                          slot_of(t, (enum train_ring)ring, 0));
    for (size_t i = 0; train_poad_turn(&t->poad, rank, i, &turn); i++)
        add_turn(t, rank, &turn);
    if (finds(t, rank, END, TRAIN_VERSIONS)) {
        wait_for(t, rank, TRAIN_VERSIONS, batches);
        for (size_t v = first_left(t); v <= batches; v++)
            log_slot(t, rank, END, TRAIN_VERSIONS, slot_of(t, TRAIN_VERSIONS, v), v);
    }
    summand__round(schedule);
}

/* The content that a turn reads, by the definition of the training. */
static uint32_t expected(const void *context, struct summand__expressions *pool, int rank,
                         uint32_t place, size_t i)
{
    const struct twins *t = context;
    enum reading reading = (enum reading)(i / data_count(t));
    enum train_ring ring = (enum train_ring)(i % data_count(t) / (t->poad.batches + 1));
    size_t number = i % (t->poad.batches + 1), holds = number;
    int stage = rank % t->poad.stages;
    bool end = reading == END, versions = ring == TRAIN_VERSIONS || ring == TRAIN_STASH;
    size_t behind = t->poad.stashed ? 2 * (size_t)(t->poad.stages - stage) - 1 : t->poad.behind;
    if (!finds(t, rank, reading, ring) ||
        (end ? number < first_left(t) : number == t->poad.batches))
        return SUMMAND__UNTOUCHED;
    if (versions && !end)
        holds = number < behind ? 0 : number - behind;
    int writer = versions && !holds ? rank : writer_of(t, stage, ring);
    (void)place; /* there is only one */
    return summand__input_operand(pool, &t->schedules[writer], writer, DATA,
                                  data_at(t, ring, holds));
}

bool train_prove_twins(const struct train_poad *poad, const struct train_twins_flaw *flaw,
                       char *fault, size_t room)
{
    static const struct train_twins_flaw none;
    struct twins t = {.poad = *poad, .flaw = flaw ? flaw : &none};
    struct summand__steps_proof proof = {.ranks = train_poad_ranks(poad),
                                         .schedules = t.schedules,
                                         .expected = expected,
                                         .context = &t};
    bool good = true;
    t.slots = train_poad_slots(poad) - t.flaw->slot_less;
    for (int r = 0; r < proof.ranks; r++) {
        summand__schedule_init(&t.schedules[r]);
        build(&t, r);
        good = good && !t.schedules[r].failed;
    }
    good = good && summand__prove_steps(&proof);
    if (!good)
        snprintf(fault, room, "%d stages %s%s%s, %zu behind, %zu batches: %s", poad->stages,
                 poad->together ? "together" : "apart", poad->stashed ? ", stashed" : "",
                 poad->last ? ", last" : "", poad->behind, poad->batches,
                 proof.fault[0] ? proof.fault : "out of memory");
    for (int r = 0; r < proof.ranks; r++)
        summand__schedule_free(&t.schedules[r]);
    return good;
}

bool train_prove_stashed_twins(int stages, size_t *proofs, char *fault, size_t room)
{
    for (size_t batches = 1; batches < BATCHES; batches++) {
        struct train_poad poad = {stages, train_poad_stashed(stages), batches, false, true, false};
        ++*proofs;
        if (!train_prove_twins(&poad, NULL, fault, room))
            return false;
    }
    return true;
}

bool train_prove_poad(int stages, size_t *proofs, char *fault, size_t room)
{
    static const struct train_poad kinds[] = {{0}, {.together = true}, {.last = true}};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        for (size_t behind = 0; behind < 20; behind += 1 + behind / 6)
            for (size_t batches = 1; batches < BATCHES; batches += 1 + batches / 3) {
                struct train_poad poad = kinds[kind];
                poad.stages = stages;
                poad.behind = behind;
                poad.batches = batches;
                ++*proofs;
                if (!train_prove_twins(&poad, NULL, fault, room))
                    return false;
            }
    return true;
}

#include "lab/train/prove_twins.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lab/train/prove_pipeline.h"

enum { STAGES = TRAIN_PROOF_STAGES, RANKS = 2 * STAGES, SLOTS = 24, BATCHES = 64 };

struct instant {
    int rank; /* -1: at the beginning */
    uint32_t time;
};

/* A slot of a ring: what is in it, since when, and who has read it when. */
struct slot {
    size_t number;
    bool filled;
    struct instant written;
    uint32_t read[RANKS];
};

struct play {
    struct train_poad poad;
    size_t slots; /* less than the protocol's, to be refuted */
    int without;  /* ring whose waits are left out, or -1 */
    bool turned;  /* what a turn leaves goes in the other order */
    uint32_t clock[RANKS][RANKS];
    uint32_t told[RANKS][TRAIN_RINGS][BATCHES + 1][RANKS]; /* clocks of notifications */
    size_t come[RANKS][TRAIN_RINGS];
    struct slot slot[RANKS][TRAIN_RINGS][SLOTS];
    uint32_t forward[STAGES][BATCHES]; /* times */
    size_t turn[RANKS];
    int act[RANKS];
    char fault[160];
};

static bool knows(const struct play *p, int rank, int other, uint32_t time)
{
    return p->clock[rank][other] >= time;
}

static bool fault(struct play *p, const char *what, int rank, const struct train_poad_turn *turn)
{
    if (!p->fault[0])
        snprintf(p->fault, sizeof p->fault, "%s: rank %d, %s of batch %zu", what, rank,
                 turn->back ? "back" : "forward", turn->batch);
    return false;
}

static void tick(struct play *p, int rank)
{
    p->clock[rank][rank]++;
}

/* Versions that batches up to the last one that may see them have not yet seen. */
static bool is_over(const struct play *p, int rank, int stage, size_t version)
{
    size_t last = version + train_poad_behind_in(&p->poad, stage);
    if (last >= p->poad.batches)
        last = p->poad.batches - 1;
    return p->forward[stage][last] && knows(p, rank, stage, p->forward[stage][last]);
}

static bool write_slot(struct play *p, int rank, int owner, const struct train_poad_act *act,
                       const struct train_poad_turn *turn)
{
    struct slot *slot = &p->slot[owner][act->ring][act->number % p->slots];
    if (slot->filled && act->ring == TRAIN_VERSIONS && !is_over(p, rank, owner, slot->number))
        return fault(p, "a version goes while it is wanted", rank, turn);
    if (slot->filled && slot->number + p->slots != act->number)
        return fault(p, "something is skipped", rank, turn);
    for (int r = 0; r < RANKS && slot->filled; r++)
        if (!knows(p, rank, r, slot->read[r]))
            return fault(p, "a slot is overwritten while it is read", rank, turn);
    if (slot->filled && slot->written.rank >= 0 &&
        !knows(p, rank, slot->written.rank, slot->written.time))
        return fault(p, "two write a slot", rank, turn);
    if (slot->filled && act->ring != TRAIN_VERSIONS && !slot->read[owner])
        return fault(p, "a slot is overwritten that nobody has read", rank, turn);
    *slot = (struct slot){
        .number = act->number, .filled = true, .written = {rank, p->clock[rank][rank]}};
    return true;
}

static bool read_slot(struct play *p, int rank, const struct train_poad_act *act,
                      const struct train_poad_turn *turn)
{
    struct slot *slot = &p->slot[rank][act->ring][act->number % p->slots];
    if (!slot->filled || slot->number != act->number)
        return fault(p, "a slot holds something else", rank, turn);
    if (slot->written.rank >= 0 && !knows(p, rank, slot->written.rank, slot->written.time))
        return fault(p, "a slot may not be whole when it is read", rank, turn);
    slot->read[rank] = p->clock[rank][rank];
    return true;
}

static bool read_again(struct play *p, int rank, const struct train_poad_turn *turn)
{
    for (int i = 0; i < turn->befores; i++)
        if (turn->before[i].kind == TRAIN_READ && !read_slot(p, rank, &turn->before[i], turn))
            return false;
    return true;
}

static bool notify(struct play *p, int rank, const struct train_poad_act *act)
{
    size_t count = ++p->come[act->peer][act->ring];
    memcpy(p->told[act->peer][act->ring][count], p->clock[rank], sizeof p->clock[rank]);
    return true;
}

/* False: it has to wait, or there is a fault. */
static bool do_act(struct play *p, int rank, const struct train_poad_act *act,
                   const struct train_poad_turn *turn)
{
    if (act->kind == TRAIN_WAIT) {
        if ((int)act->ring == p->without)
            return true;
        if (p->come[rank][act->ring] < act->number)
            return false;
        for (int r = 0; r < RANKS; r++) {
            uint32_t then = p->told[rank][act->ring][act->number][r];
            p->clock[rank][r] = then > p->clock[rank][r] ? then : p->clock[rank][r];
        }
        return true;
    }
    tick(p, rank);
    if (act->kind == TRAIN_READ)
        return read_slot(p, rank, act, turn);
    if (act->kind == TRAIN_IMPROVE)
        return read_again(p, rank, turn);
    if (!write_slot(p, rank, act->kind == TRAIN_PUT ? act->peer : rank, act, turn))
        return false;
    tick(p, rank);
    return act->kind != TRAIN_PUT || notify(p, rank, act);
}

/* Acts of a rank until it has to wait; how many. */
static size_t move(struct play *p, int rank)
{
    struct train_poad_turn turn;
    size_t moves = 0;
    while (!p->fault[0] && train_poad_turn(&p->poad, rank, p->turn[rank], &turn)) {
        int i = p->act[rank];
        if (i == turn.befores && !turn.back) {
            tick(p, rank);
            p->forward[turn.stage][turn.batch] = p->clock[rank][rank];
        }
        if (i == turn.befores + turn.afters) {
            p->act[rank] = 0;
            p->turn[rank]++;
            continue;
        }
        int after = p->turned ? turn.befores + turn.afters - 1 - i : i - turn.befores;
        if (!do_act(p, rank, i < turn.befores ? &turn.before[i] : &turn.after[after], &turn))
            break;
        p->act[rank]++;
        moves++;
    }
    return moves;
}

static bool prove(struct play *p, struct train_poad poad, const struct train_twins_flaw *flaw)
{
    memset(p, 0, sizeof *p);
    p->turned = flaw && flaw->turned;
    p->poad = poad;
    p->slots = train_poad_slots(&poad) - (flaw && flaw->slot_less);
    p->without = flaw && flaw->no_waits ? (int)flaw->ring : -1;
    int ranks = train_poad_ranks(&poad);
    for (int g = 0; g < poad.stages; g++) {
        p->slot[g][TRAIN_VERSIONS][0] = (struct slot){.filled = true, .written = {-1, 0}};
        p->slot[train_poad_twin(&poad, g)][TRAIN_STASH][0] = p->slot[g][TRAIN_VERSIONS][0];
    }
    for (size_t moves = 1; moves && !p->fault[0];) {
        moves = 0;
        for (int r = 0; r < ranks; r++)
            moves += move(p, r);
    }
    for (int r = 0; r < ranks && !p->fault[0]; r++) {
        struct train_poad_turn turn;
        if (train_poad_turn(&poad, r, p->turn[r], &turn))
            fault(p, "it waits for ever", r, &turn);
        size_t versions = p->come[r][TRAIN_VERSIONS];
        if (!poad.together && r < poad.stages && versions != poad.batches)
            snprintf(p->fault, sizeof p->fault, "rank %d has %zu versions", r, versions);
    }
    return !p->fault[0];
}

bool train_prove_twins(const struct train_poad *poad, const struct train_twins_flaw *flaw,
                       char *fault, size_t room)
{
    static struct play play;
    bool good = prove(&play, *poad, flaw);
    if (!good)
        snprintf(fault, room, "%d stages %s%s, %zu behind, %zu batches: %s", poad->stages,
                 poad->together ? "together" : "apart", poad->stashed ? ", stashed" : "",
                 poad->behind, poad->batches, play.fault);
    return good;
}

bool train_prove_stashed_twins(int stages, size_t *proofs, char *fault, size_t room)
{
    for (size_t batches = 1; batches < BATCHES; batches++) {
        struct train_poad poad = {stages, train_poad_stashed(stages), batches, false, true};
        ++*proofs;
        if (!train_prove_twins(&poad, NULL, fault, room))
            return false;
    }
    return true;
}

bool train_prove_poad(int stages, size_t *proofs, char *fault, size_t room)
{
    for (int together = 0; together < 2; together++)
        for (size_t behind = 0; behind < 20; behind += 1 + behind / 6)
            for (size_t batches = 1; batches < BATCHES; batches += 1 + batches / 3) {
                struct train_poad poad = {stages, behind, batches, together, false};
                ++*proofs;
                if (!train_prove_twins(&poad, NULL, fault, room))
                    return false;
            }
    return true;
}

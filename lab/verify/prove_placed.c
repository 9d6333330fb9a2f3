/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs of what runs: schedules after the passes, with and without combining on arrival among the
 * ranks of a node. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "lab/verify/placements.h"
#include "lab/verify/prove.h"
#include "lab/verify/schedules.h"
#include "schedule/passes/passes.h"

/* A rank and the placement. */
struct stand {
    const int *node;
    int rank;
};

static bool is_near(const void *context, int peer)
{
    const struct stand *stand = context;
    return stand->node[peer] == stand->node[stand->rank];
}

static bool run_passes(struct summand__schedule *schedule, const int *node, int rank)
{
    const struct stand stand = {node, rank};
    const struct summand__abilities abilities = {node ? is_near : NULL, &stand, true};
    return summand__passes(schedule, &abilities);
}

bool summand__placed_schedules(const struct summand__algorithm *algorithm,
                               const struct summand__call *call, const int *node,
                               struct summand__schedule *schedules)
{
    struct summand__call one = *call;
    memset(schedules, 0, (size_t)call->ranks * sizeof *schedules);
    for (one.rank = 0; one.rank < call->ranks; one.rank++) {
        one.in_place = summand__call_in_place(call, one.rank);
        if (!summand__build(algorithm, &one, &schedules[one.rank]) ||
            !run_passes(&schedules[one.rank], node, one.rank))
            return false;
    }
    return true;
}

/* The schedule of one rank. The passes ask of a placement only which peers of this rank are on its
 * node. Most placements of few ranks share this with others. */
struct variant {
    struct summand__schedule schedule;
    bool made, differs; /* differs: from the schedule without combining */
    bool proved;        /* it was part of an earlier proof */
    unsigned same;      /* the rank's first variant with the same steps */
    unsigned asked;     /* few ranks: peers that the proof asks whether they are intra-node */
};

/* The schedules of a call without combining, and on the current placement. */
struct placing {
    const struct summand__algorithm *algorithm;
    const struct summand__call *call;
    struct summand__schedule *built, *placed; /* `placed` borrows its memory */
    struct variant *variants; /* few ranks: one for each rank and each set of other ranks on its
                                 node; many: the last one of each rank */
    struct variant **at;      /* of each rank, the current one */
    bool *checked;
    int *node;
    bool few;
    unsigned seen[1 << (SUMMAND__EVERY_PARTITION * (SUMMAND__EVERY_PARTITION - 1) / 2 - 5)];
    uint64_t played[SUMMAND__PARTITIONS]; /* keys of the placements played so far */
    int plays;
};

static int variants_of(const struct placing *placing)
{
    return placing->call->ranks << (placing->few ? placing->call->ranks - 1 : 0);
}

static bool open_placing(struct placing *placing, size_t ranks)
{
    placing->few = ranks <= SUMMAND__EVERY_PARTITION;
    placing->built = calloc(2 * ranks, sizeof *placing->built);
    placing->placed = placing->built ? placing->built + ranks : NULL;
    placing->node = malloc(ranks * sizeof *placing->node);
    placing->at = calloc(ranks, sizeof *placing->at);
    placing->checked = calloc(ranks, sizeof *placing->checked);
    placing->variants = calloc((size_t)variants_of(placing), sizeof *placing->variants);
    return placing->built && placing->node && placing->at && placing->checked && placing->variants;
}

static void close_placing(struct placing *placing, int ranks)
{
    for (int r = 0; placing->built && r < ranks; r++)
        summand__schedule_free(&placing->built[r]);
    for (int v = 0; placing->variants && v < variants_of(placing); v++)
        summand__schedule_free(&placing->variants[v].schedule);
    free(placing->built);
    free(placing->node);
    free(placing->at);
    free(placing->checked);
    free(placing->variants);
}

/* The bit of a pair, for few ranks. */
static int pair_of(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return high * (high - 1) / 2 + low;
}

/* The bit of another rank, for few ranks. */
static unsigned bit_of(int rank, int other)
{
    return 1u << (other - (other > rank));
}

/* For few ranks: true if all pairs that exchange messages were placed like this before. */
static bool is_seen(struct placing *placing, unsigned talking)
{
    unsigned near = 0;
    for (int high = 1; high < placing->call->ranks; high++)
        for (int low = 0; low < high; low++)
            near |= (unsigned)(placing->node[low] == placing->node[high]) << pair_of(low, high);
    near &= talking;
    unsigned *word = &placing->seen[near / 32], mask = 1u << near % 32;
    bool seen = *word & mask;
    *word |= mask;
    return seen;
}

/* For few ranks: the pairs that exchange messages, as bits. */
static unsigned find_talking(const struct placing *placing)
{
    unsigned talking = 0;
    for (int r = 0; r < placing->call->ranks; r++)
        for (size_t i = 0; i < placing->built[r].length; i++) {
            const struct summand__step *step = &placing->built[r].steps[i];
            if (summand__is_message(step) && step->peer < r)
                talking |= 1u << pair_of(step->peer, r);
        }
    return talking;
}

/* For few ranks: the peers that a proof asks whether they are intra-node. They are those of
 * messages that complete later or combine, and of sends in a round that combines
 * (lab/verify/touch.h). */
static unsigned find_asked(const struct summand__schedule *schedule, int rank, int ranks)
{
    const struct summand__step *steps = schedule->steps;
    unsigned asked = 0, sends = 0;
    bool combines = false;
    for (size_t i = 0; i <= schedule->length; i++) {
        bool end = i == schedule->length || steps[i].action == SUMMAND__ROUND;
        if (end && combines)
            asked |= sends;
        if (end) {
            sends = 0;
            combines = false;
        } else if (summand__is_message(&steps[i]) && steps[i].peer >= 0 && steps[i].peer < ranks) {
            unsigned bit = bit_of(rank, steps[i].peer);
            bool reduces = steps[i].action == SUMMAND__RECV_REDUCE;
            combines = combines || reduces;
            asked |= reduces || steps[i].lag ? bit : 0;
            sends |= steps[i].action == SUMMAND__SEND ? bit : 0;
        }
    }
    return asked;
}

static bool make_variant(struct placing *placing, struct variant *variant, int rank)
{
    const struct summand__schedule *built = &placing->built[rank];
    if (!summand__schedule_copy(&variant->schedule, built) ||
        !run_passes(&variant->schedule, placing->node, rank))
        return false;
    variant->made = true;
    variant->differs = !summand__schedules_equal(built, &variant->schedule);
    return true;
}

/* For few ranks: the passes run on every variant. False when out of memory. */
static bool place_few(struct placing *placing, unsigned talking, int rank)
{
    int ranks = placing->call->ranks;
    unsigned near = 0;
    for (int r = 0; r < ranks; r++)
        if (r != rank && talking >> pair_of(r, rank) & 1 && placing->node[r] == placing->node[rank])
            near |= bit_of(rank, r);
    struct variant *all = &placing->variants[rank << (ranks - 1)], *variant = &all[near];
    placing->at[rank] = variant;
    if (variant->made)
        return true;
    if (!make_variant(placing, variant, rank))
        return false;
    variant->same = near;
    for (unsigned v = 0; v < 1u << (ranks - 1) && variant->same == near; v++)
        if (v != near && all[v].made &&
            summand__schedules_equal(&all[v].schedule, &variant->schedule))
            variant->same = all[v].same;
    variant->asked = find_asked(&variant->schedule, rank, ranks);
    return true;
}

static bool hears_neighbours(const struct placing *placing, int rank)
{
    const struct summand__schedule *built = &placing->built[rank];
    for (size_t i = 0; i < built->length; i++)
        if (summand__receives(&built->steps[i]) &&
            placing->node[built->steps[i].peer] == placing->node[rank])
            return true;
    return false;
}

/* For many ranks: a rank that receives from no rank of its node runs the schedule without
 * combining. Proofs of few ranks cover this, as they run the passes there too. */
static bool place_one(struct placing *placing, int rank)
{
    struct variant *variant = placing->at[rank] = &placing->variants[rank];
    variant->differs = false;
    return !hears_neighbours(placing, rank) || make_variant(placing, variant, rank);
}

/* Places all ranks. True if any rank runs another schedule than without combining, or memory ran
 * out. An earlier proof with a rank's variant would have found its own errors, so these are not
 * checked again. */
static bool place(struct placing *placing, unsigned talking, bool *memory)
{
    bool differs = false;
    for (int r = 0; *memory && r < placing->call->ranks; r++) {
        *memory = placing->few ? place_few(placing, talking, r) : place_one(placing, r);
        if (!*memory)
            break;
        const struct variant *variant = placing->at[r];
        placing->placed[r] = variant->differs ? variant->schedule : placing->built[r];
        placing->checked[r] = !variant->differs || (placing->few && variant->proved);
        differs = differs || variant->differs;
    }
    return differs || !*memory;
}

/* For few ranks: true if an earlier placement had the same steps and the same answers to all
 * questions of the proof. */
static bool is_played(struct placing *placing)
{
    const int bits = SUMMAND__EVERY_PARTITION - 1;
    uint64_t key = 0;
    for (int r = 0; r < placing->call->ranks; r++) {
        const struct variant *variant = placing->at[r];
        unsigned near =
            (unsigned)(variant - placing->variants) & ((1u << (placing->call->ranks - 1)) - 1);
        key = key << 2 * bits | variant->same << bits | (near & variant->asked);
    }
    for (int i = 0; i < placing->plays; i++)
        if (placing->played[i] == key)
            return true;
    placing->played[placing->plays++] = key;
    return false;
}

/* Puts the nodes in front of the error. */
static void say_nodes(const struct placing *placing, struct summand__proof *proof)
{
    char text[sizeof proof->fault] = "on nodes";
    size_t used = strlen(text);
    for (int r = 0; r < placing->call->ranks && used < sizeof text / 2; r++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %d", placing->node[r]);
    snprintf(text + used, sizeof text - used, ": %.*s", (int)(sizeof text - used - 3),
             proof->fault);
    memcpy(proof->fault, text, sizeof text);
}

static bool prove_placements(struct placing *placing, unsigned turn, size_t *proofs,
                             struct summand__proof *proof)
{
    const struct summand__call *call = placing->call;
    struct summand__placements placements = {call->ranks, turn, 0};
    bool memory = true;
    unsigned talking = placing->few ? find_talking(placing) : 0;
    placing->seen[0] = placing->few; /* no such pair on one node */
    while (summand__placements_next(&placements, placing->node)) {
        if ((placing->few && is_seen(placing, talking)) || !place(placing, talking, &memory))
            continue;
        if (!memory) {
            *proof = (struct summand__proof){.fault = "out of memory"};
            return false;
        }
        if (placing->few && is_played(placing))
            continue;
        ++*proofs;
        if (!summand__prove_checked(placing->algorithm, call, placing->node, placing->placed,
                                    placing->checked, proof)) {
            say_nodes(placing, proof);
            return false;
        }
        for (int r = 0; r < call->ranks; r++)
            placing->at[r]->proved = true;
    }
    return true;
}

bool summand__prove_placed(const struct summand__algorithm *algorithm,
                           const struct summand__call *call, unsigned turn, size_t *proofs,
                           struct summand__proof *proof)
{
    struct placing placing = {.algorithm = algorithm, .call = call};
    bool good = open_placing(&placing, (size_t)call->ranks) &&
                summand__placed_schedules(algorithm, call, NULL, placing.built);
    ++*proofs;
    if (!good)
        *proof = (struct summand__proof){.fault = "out of memory"};
    good = good && summand__prove_schedules(algorithm, call, NULL, placing.built, proof) &&
           prove_placements(&placing, turn, proofs, proof);
    close_placing(&placing, call->ranks);
    return good;
}

bool summand__prove(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__proof *proof)
{
    struct summand__schedule *schedules = calloc((size_t)call->ranks, sizeof *schedules);
    bool good = schedules && summand__placed_schedules(algorithm, call, NULL, schedules);
    if (good)
        good = summand__prove_schedules(algorithm, call, NULL, schedules, proof);
    else
        *proof = (struct summand__proof){.fault = "out of memory"};
    for (int r = 0; schedules && r < call->ranks; r++)
        summand__schedule_free(&schedules[r]);
    free(schedules);
    return good;
}

/* Proofs of what runs: schedules after the passes, where nothing is combined as it arrives and
 * where ranks of a node do. */
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "lab/verify/placements.h"
#include "lab/verify/prove.h"
#include "schedule/passes/passes.h"

/* Where a rank stands. */
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
        one.in_place = call->in_place && summand__call_result(call, one.rank);
        if (!summand__build(algorithm, &one, &schedules[one.rank]) ||
            !run_passes(&schedules[one.rank], node, one.rank))
            return false;
    }
    return true;
}

/* What runs on one of few ranks: passes ask no more of a placement than which of the ranks that
 * this one has messages with are on its node. Most placements have it in common with others. */
struct variant {
    struct summand__schedule schedule;
    bool made, differs; /* differs: from what runs without combining */
};

/* The schedules of a call as they run without combining, and on the placement at hand. */
struct placing {
    const struct summand__algorithm *algorithm;
    const struct summand__call *call;
    struct summand__schedule *built, *placed;
    struct variant *variants; /* of few ranks, whose schedules `placed` borrows: a bit for each
                                 other rank, of each rank in turn; or NULL */
    int *node;
    unsigned seen[1 << (SUMMAND__EVERY_PARTITION * (SUMMAND__EVERY_PARTITION - 1) / 2 - 5)];
};

static bool open_placing(struct placing *placing, int ranks)
{
    bool few = ranks <= SUMMAND__EVERY_PARTITION;
    placing->built = calloc(2 * (size_t)ranks, sizeof *placing->built);
    placing->placed = placing->built ? placing->built + ranks : NULL;
    placing->node = malloc((size_t)ranks * sizeof *placing->node);
    if (few)
        placing->variants = calloc((size_t)ranks << (ranks - 1), sizeof *placing->variants);
    return placing->built && placing->node && (placing->variants || !few);
}

static void close_placing(struct placing *placing, int ranks)
{
    for (int r = 0; placing->built && r < (placing->variants ? ranks : 2 * ranks); r++)
        summand__schedule_free(&placing->built[r]);
    for (int v = 0; placing->variants && v < ranks << (ranks - 1); v++)
        summand__schedule_free(&placing->variants[v].schedule);
    free(placing->built);
    free(placing->node);
    free(placing->variants);
}

/* The bit of a pair of few ranks. */
static int pair_of(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    return high * (high - 1) / 2 + low;
}

/* Whether few ranks are placed as they were before, as far as they send each other messages. */
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

/* The pairs of few ranks that send each other messages, as bits. */
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

static bool is_alone(const struct placing *placing, int rank)
{
    int near = 0;
    for (int r = 0; r < placing->call->ranks; r++)
        near += placing->node[r] == placing->node[rank];
    return near == 1;
}

/* False when out of memory. */
static bool place_variant(struct placing *placing, unsigned talking, int rank, bool *differs)
{
    const struct summand__schedule *built = &placing->built[rank];
    int ranks = placing->call->ranks;
    unsigned near = 0, bit = 0;
    for (int r = 0; r < ranks; r++)
        if (r != rank)
            near |= (unsigned)(talking >> pair_of(r, rank) & 1 &&
                               placing->node[r] == placing->node[rank])
                    << bit++;
    struct variant *variant = &placing->variants[(unsigned)rank << (ranks - 1) | near];
    if (!variant->made) {
        if (!summand__schedule_copy(&variant->schedule, built) ||
            !run_passes(&variant->schedule, placing->node, rank))
            return false;
        variant->made = true;
        variant->differs = !summand__schedules_equal(built, &variant->schedule);
    }
    placing->placed[rank] = variant->schedule;
    *differs = *differs || variant->differs;
    return true;
}

/* The same of many ranks. On a rank that is alone on its node the schedule runs that runs without
 * combining: proved among few, where passes run there too. */
static bool place_anew(struct placing *placing, int rank, bool *differs)
{
    const struct summand__schedule *built = &placing->built[rank];
    struct summand__schedule *placed = &placing->placed[rank];
    bool alone = is_alone(placing, rank);
    if (!summand__schedule_copy(placed, built) ||
        !(alone || run_passes(placed, placing->node, rank)))
        return false;
    *differs = *differs || (!alone && !summand__schedules_equal(built, placed));
    return true;
}

/* Whether on the placement another schedule runs than without combining. */
static bool place(struct placing *placing, unsigned talking, bool *memory)
{
    bool differs = false;
    for (int r = 0; *memory && r < placing->call->ranks; r++)
        *memory = placing->variants ? place_variant(placing, talking, r, &differs)
                                    : place_anew(placing, r, &differs);
    return differs || !*memory;
}

/* Says which nodes, in front of what is wrong. */
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
    bool few = call->ranks <= SUMMAND__EVERY_PARTITION, memory = true;
    unsigned talking = few ? find_talking(placing) : 0;
    placing->seen[0] = few; /* no two of them on one node */
    while (summand__placements_next(&placements, placing->node)) {
        if ((few && is_seen(placing, talking)) || !place(placing, talking, &memory))
            continue;
        if (!memory) {
            *proof = (struct summand__proof){.fault = "out of memory"};
            return false;
        }
        ++*proofs;
        if (!summand__prove_schedules(placing->algorithm, call, placing->node, placing->placed,
                                      proof)) {
            say_nodes(placing, proof);
            return false;
        }
    }
    return true;
}

bool summand__prove_placed(const struct summand__algorithm *algorithm,
                           const struct summand__call *call, unsigned turn, size_t *proofs,
                           struct summand__proof *proof)
{
    struct placing placing = {.algorithm = algorithm, .call = call};
    bool good = open_placing(&placing, call->ranks) &&
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

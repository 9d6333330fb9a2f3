/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/cases.h"

#include <stdint.h>
#include <stdlib.h>

#include "algorithm/call.h"
#include "algorithm/regroup.h"

struct walk {
    const struct summand__algorithm *algorithm;
    enum summand__effort effort;
    bool (*visit)(const struct summand__algorithm *, const struct summand__call *, void *);
    void *context;
    size_t *offsets;
    struct summand__groupings *layouts[SUMMAND__LAYOUTS]; /* tried besides nodes of one size */
    struct summand__call call;
    int combination; /* of count, segment and parameters: its number */
};

/* Values of a parameter besides its default; values out of range are skipped. */
enum { TRIED = 3 };
static const size_t tried[SUMMAND__PARAMETERS][TRIED] = {[SUMMAND__RADIX] = {2, 3, 1},
                                                         [SUMMAND__NODE_SIZE] = {4, 3, 7},
                                                         [SUMMAND__LEADERS] = {2, 3, 0},
                                                         [SUMMAND__INTER_NODE_RADIX] = {3, 2, 1}};

static bool few(const struct walk *walk)
{
    return walk->effort <= SUMMAND__FEW_ALL_ROOTS;
}

static bool in_places(struct walk *walk, int first, int last)
{
    for (int in_place = first; in_place <= last; in_place++) {
        walk->call.in_place = in_place;
        if (in_place && walk->call.collective == SUMMAND__COLL_BCAST)
            continue;
        if (summand__algorithm_does(walk->algorithm, &walk->call) &&
            !walk->visit(walk->algorithm, &walk->call, walk->context))
            return false;
    }
    return true;
}

/* Defaults get every root; other parameters get one root in TURN, each with other roots. Every
 * second of these runs is in place. */
enum { TURN = 7 };

static bool are_defaults(const struct summand__call *call)
{
    for (int which = SUMMAND__SEGMENT + 1; which < SUMMAND__PARAMETERS; which++)
        if (call->parameter[which])
            return false;
    return true;
}

static bool roots_in_turn(struct walk *walk)
{
    bool every = are_defaults(&walk->call);
    for (int root = every ? 0 : walk->combination % TURN; root < walk->call.ranks;
         root += every ? 1 : TURN) {
        int in_place = root / TURN % 2 && summand__has_operator(walk->call.collective);
        walk->call.root = root;
        if (!in_places(walk, every ? 0 : in_place, every ? 1 : in_place))
            return false;
    }
    return true;
}

/* Every root, or the ends, the middle and some that depend on the rank count. */
static bool some_roots(struct walk *walk)
{
    int ranks = walk->call.ranks, last = -1;
    if (walk->effort == SUMMAND__ALL_ROOTS) {
        for (walk->call.root = 0; walk->call.root < ranks; walk->call.root++)
            if (!in_places(walk, 0, 1))
                return false;
        return true;
    }
    const int some[] = {0, ranks / 3, ranks / 2, (int)(ranks * 40503ll % 65536 * ranks / 65536),
                        ranks - 1};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        if (some[i] == last || (few(walk) && i % 2))
            continue;
        walk->call.root = last = some[i];
        if (!in_places(walk, 0, 1))
            return false;
    }
    return true;
}

static bool roots(struct walk *walk)
{
    bool rooted = summand__has_root(walk->call.collective);
    bool good = !rooted                                  ? in_places(walk, 0, 1)
                : walk->effort == SUMMAND__FEW_ALL_ROOTS ? roots_in_turn(walk)
                                                         : some_roots(walk);
    walk->combination++;
    return good;
}

static bool may_be(const struct walk *walk, enum summand__parameter which, size_t value)
{
    const struct summand__limits *limits = &walk->algorithm->limits[which];
    return value && value >= limits->least && value <= limits->most;
}

static bool one_value(struct walk *walk, enum summand__parameter which, size_t value)
{
    if (!may_be(walk, which, value))
        return true;
    walk->call.parameter[which] = value;
    bool good = roots(walk);
    walk->call.parameter[which] = 0;
    return good;
}

/* True if the call differs from the same one on runs of one size. */
static bool matters(const struct walk *walk, const struct summand__grouping *grouping)
{
    struct summand__call call = walk->call;
    call.grouping = grouping;
    if (grouping->member && summand__is_prefix(call.collective))
        return false;
    return (grouping->first && walk->algorithm->limits[SUMMAND__NODE_SIZE].most) ||
           summand__regroups(walk->algorithm, &call);
}

/* Tries one of the other layouts that matter, in turn, with few roots. */
static bool layouts(struct walk *walk)
{
    const struct summand__grouping *mattering[2 * SUMMAND__LAYOUTS];
    const enum summand__effort effort = walk->effort;
    int count = 0;
    for (int i = 0; !walk->call.grouping && i < 2 * SUMMAND__LAYOUTS; i++) {
        const struct summand__groupings *both = walk->layouts[i / 2];
        const struct summand__grouping *grouping = summand__grouping_for(both, i % 2);
        bool twice = i % 2 && both && !both->any.member; /* both groupings are the same */
        if (grouping && !twice && matters(walk, grouping))
            mattering[count++] = grouping;
    }
    if (!count)
        return true;
    walk->effort = few(walk) ? effort : SUMMAND__FEW_CASES;
    walk->call.grouping = mattering[walk->combination % count];
    bool good = roots(walk);
    walk->call.grouping = NULL;
    walk->effort = effort;
    return good;
}

/* Tries the defaults, other values one parameter at a time, and all parameters different
 * together. */
static bool parameters(struct walk *walk)
{
    const int values = few(walk) ? 1 : TRIED, segment = SUMMAND__SEGMENT;
    int different = 0;
    if (!roots(walk) || !layouts(walk))
        return false;
    for (int which = segment + 1; which < SUMMAND__PARAMETERS; which++)
        for (int i = 0; i < values; i++)
            if (!one_value(walk, (enum summand__parameter)which, tried[which][i]))
                return false;
    for (int which = segment + 1; which < SUMMAND__PARAMETERS; which++)
        if (may_be(walk, (enum summand__parameter)which, tried[which][1])) {
            walk->call.parameter[which] = tried[which][1];
            different++;
        }
    bool good = (different < 2 || roots(walk)) && layouts(walk);
    for (int which = segment + 1; which < SUMMAND__PARAMETERS; which++)
        walk->call.parameter[which] = 0;
    return good;
}

static bool segments(struct walk *walk, size_t count)
{
    static const size_t sizes[] = {1, 3, 4};
    walk->call.count = count;
    walk->call.parameter[SUMMAND__SEGMENT] = 0;
    if (!parameters(walk))
        return false;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        if (!walk->algorithm->limits[SUMMAND__SEGMENT].most ||
            sizes[i] >= summand__call_total(&walk->call) || (few(walk) && i % 2 == 0))
            continue;
        walk->call.parameter[SUMMAND__SEGMENT] = sizes[i];
        if (!parameters(walk))
            return false;
    }
    return true;
}

/* Block patterns: few among empty ones, all in one rank, unequal ones, none at all. */
static size_t block_size(int pattern, int rank, int ranks)
{
    uint32_t hash = ((uint32_t)rank + 1) * 2654435761u;
    switch (pattern) {
    case 0:
        return hash >> 30;
    case 1:
        return rank == ranks / 2 ? 5 : 0;
    case 2:
        return (size_t)(rank % 3 + 1);
    default:
        return 0;
    }
}

static bool blocks(struct walk *walk)
{
    int patterns = few(walk) ? 1 : 4;
    walk->call.offsets = walk->offsets;
    for (int pattern = 0; pattern < patterns; pattern++) {
        for (int r = 0; r < walk->call.ranks; r++)
            walk->offsets[r + 1] = walk->offsets[r] + block_size(pattern, r, walk->call.ranks);
        if (!segments(walk, 0))
            return false;
    }
    return true;
}

/* Rooted collectives with segments, or with every root, use the first four counts only; others also
 * use counts near the rank count. */
static bool counts(struct walk *walk)
{
    size_t ranks = (size_t)walk->call.ranks;
    bool all_roots = walk->effort == SUMMAND__FEW_ALL_ROOTS;
    bool rooted = summand__has_root(walk->call.collective) &&
                  (walk->algorithm->limits[SUMMAND__SEGMENT].most || all_roots);
    bool blocked = summand__has_blocks(walk->call.collective);
    const size_t sizes[] = {0, 1, 3, 8, ranks - 1, ranks + 1, 2 * ranks + 3};
    size_t most = blocked ? 3 : rooted ? 4 : 7;
    if (summand__has_offsets(walk->call.collective))
        return blocks(walk);
    for (size_t i = 0; i < most; i++)
        if (!(few(walk) && (rooted ? i != 3 : i % 3 != 2)) && !segments(walk, sizes[i]))
            return false;
    return true;
}

static int next_at_random(uint32_t *state, int below)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((uint64_t)(*state >> 8) * (uint32_t)below >> 24);
}

bool summand__layout(int ranks, int way, struct summand__groupings **made)
{
    static const int sizes[] = {3, 5, 1, 4, 2};
    int *node = malloc((size_t)ranks * sizeof *node), left = 0, at = -1, nodes = (ranks + 3) / 4;
    uint32_t state = (uint32_t)ranks;
    *made = NULL;
    for (int r = 0; node && r < ranks; r++) {
        if (!left--) {
            at++;
            left = sizes[at % (int)(sizeof sizes / sizeof *sizes)] - 1;
        }
        node[r] = way == 0   ? at
                  : way == 1 ? r % (nodes > 1 ? nodes : 2)
                             : next_at_random(&state, nodes);
    }
    bool good = node && summand__groupings_make(node, ranks, ranks + 2, made);
    free(node);
    return good;
}

static bool open_walk(struct walk *walk, int ranks)
{
    bool good = (walk->offsets = calloc((size_t)ranks + 1, sizeof *walk->offsets)) != NULL;
    for (int way = 0; good && !walk->call.grouping && way < SUMMAND__LAYOUTS; way++)
        good = summand__layout(ranks, way, &walk->layouts[way]);
    return good;
}

static bool go(struct walk *walk)
{
    enum summand__collective collective = walk->call.collective;
    if (!walk->algorithm->build[collective])
        return true;
    if (collective == SUMMAND__COLL_OUTER)
        return summand__cases_outer(walk->algorithm, walk->call.ranks, walk->effort, walk->visit,
                                    walk->context);
    if (collective == SUMMAND__COLL_GEMM)
        return summand__cases_gemm(walk->algorithm, walk->call.ranks, walk->effort, walk->visit,
                                   walk->context);
    bool good = open_walk(walk, walk->call.ranks) && counts(walk);
    for (int way = 0; way < SUMMAND__LAYOUTS; way++)
        free(walk->layouts[way]);
    free(walk->offsets);
    return good;
}

bool summand__cases(const struct summand__algorithm *algorithm, enum summand__collective collective,
                    int ranks, enum summand__effort effort,
                    bool (*visit)(const struct summand__algorithm *algorithm,
                                  const struct summand__call *call, void *context),
                    void *context)
{
    struct walk walk = {.algorithm = algorithm,
                        .effort = effort,
                        .visit = visit,
                        .context = context,
                        .call = {.collective = collective, .ranks = ranks}};
    return go(&walk);
}

bool summand__cases_on(const struct summand__algorithm *algorithm,
                       enum summand__collective collective,
                       const struct summand__groupings *groupings, enum summand__effort effort,
                       bool (*visit)(const struct summand__algorithm *algorithm,
                                     const struct summand__call *call, void *context),
                       void *context)
{
    struct walk walk = {.algorithm = algorithm,
                        .effort = effort,
                        .visit = visit,
                        .context = context,
                        .call = {.collective = collective, .ranks = groupings->any.ranks}};
    bool good = true;
    const int first = groupings->any.member && summand__is_prefix(collective);
    for (int ordered = first; good && ordered < (groupings->any.member ? 2 : 1); ordered++) {
        walk.call.grouping = summand__grouping_for(groupings, ordered);
        walk.combination = 0;
        good = go(&walk);
    }
    return good;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/search.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Pipelines of more segments need too much memory for their steps and save little time. */
enum { MOST_SEGMENTS = 1024 };

/* Index in `tried` of the first segment; number of radices that are tried with segments. */
enum { FIRST_SEGMENT = 2, NARROW = 3 };

/* The values to try, ended by 0; segments are in bytes. */
static const size_t tried[SUMMAND__PARAMETERS][12] = {
    [SUMMAND__SEGMENT] = {1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 262144},
    [SUMMAND__RADIX] = {2, 3, 4, 5, 6, 8, 12, 16},
    [SUMMAND__LEADERS] = {1, 2, 4, 8, 16, 32, 64, 128},
    [SUMMAND__INTER_NODE_RADIX] = {2, 3, 4, 6, 8, 12, 16},
};

/* A candidate slower than the rival by `hopeless` is not searched again; one whose first trial is
 * slower by `forlorn` is searched for its segments alone. Searching has made a chosen candidate at
 * most 7.2 times faster (node-direct, whose groups have one node at first). test_select compares
 * the choice with a search of all candidates. */
static const double hopeless = 1.5, forlorn = 8;

static bool is_forlorn(const struct summand__search *search, double seconds)
{
    return search->rival > 0 && seconds > forlorn * search->rival;
}

static double try(struct summand__search *search, const struct summand__call *call, double enough)
{
    search->enough = enough;
    double seconds = search->seconds(search, call);
    if (isfinite(seconds) && (!search->best.algorithm || seconds < search->best.seconds)) {
        search->best.algorithm = search->algorithm;
        search->best.seconds = seconds;
        memcpy(search->best.parameter, call->parameter, sizeof call->parameter);
    }
    return seconds;
}

/* Number of nodes that the algorithm knows; 0: none. */
static size_t nodes_of(const struct summand__search *search, const struct summand__call *call)
{
    size_t node = call->parameter[SUMMAND__NODE_SIZE];
    bool sees = node && search->algorithm->limits[SUMMAND__NODE_SIZE].most;
    if (sees && call->grouping)
        return (size_t)call->grouping->groups;
    return sees ? ((size_t)call->ranks - 1) / node + 1 : 0;
}

/* True if a value differs in effect from the next smaller one. If nodes have several leaders, the
 * radix groups nodes: one value from the number of nodes on is enough. */
static bool sensible(const struct summand__search *search, const struct summand__call *call,
                     size_t nodes, int which, int index)
{
    size_t value = tried[which][index], smaller = index ? tried[which][index - 1] : 1;
    const struct summand__limits *limits = &search->algorithm->limits[which];
    size_t node = call->parameter[SUMMAND__NODE_SIZE];
    if (value < limits->least || value > limits->most || value > (size_t)call->ranks)
        return false;
    if (!nodes)
        return true;
    if (which == SUMMAND__LEADERS)
        return value <= node;
    if (which == SUMMAND__RADIX && search->algorithm->limits[SUMMAND__LEADERS].most)
        return smaller < nodes;
    return value <= nodes || (which == SUMMAND__RADIX && value <= node);
}

/* Sets the parameter to its best value, the others fixed; true if it changes. With segments only
 * narrow trees are tried. */
static bool try_parameter(struct summand__search *search, struct summand__call *call, int which,
                          double *best)
{
    bool whole = !call->parameter[SUMMAND__SEGMENT];
    size_t kept = call->parameter[which];
    size_t first = kept ? kept : search->algorithm->limits[which].standard;
    size_t nodes = nodes_of(search, call);
    struct summand__call next = *call;
    for (int i = 0; tried[which][i] && (whole || i < NARROW); i++) {
        size_t value = tried[which][i];
        if (value == first || !sensible(search, call, nodes, which, i))
            continue;
        next.parameter[which] = value;
        double seconds = try(search, &next, *best);
        if (seconds < *best) {
            *best = seconds;
            kept = value;
        }
    }
    bool changed = kept != call->parameter[which];
    call->parameter[which] = kept;
    return changed;
}

/* Sets the best parameters, starting from those of the call, which takes `best` seconds. Repeats
 * once if several changed, because each was best with those before it. */
static double try_parameters(struct summand__search *search, struct summand__call *call,
                             double best)
{
    int changes = 0, known[SUMMAND__PARAMETERS], changed = is_forlorn(search, best) ? 0 : 2;
    memset(known, -1, sizeof known); /* changes before the last search of each; -1: none yet */
    for (int pass = 0; pass < 2 && changed > 1; pass++) {
        if (pass && search->rival > 0 && best > hopeless * search->rival)
            break;
        changed = -changes;
        for (int which = SUMMAND__PARAMETERS - 1; which > SUMMAND__SEGMENT; which--) {
            if (search->given[which] || !search->algorithm->limits[which].most ||
                known[which] == changes)
                continue;
            changes += try_parameter(search, call, which, &best);
            known[which] = changes;
        }
        changed += changes;
    }
    return best;
}

/* The segment of tried[index] bytes, in elements; 0: not usable. */
static size_t segment_of(const struct summand__search *search, int index)
{
    size_t segment = tried[SUMMAND__SEGMENT][index] / search->element;
    size_t count = search->call.count;
    return segment < count && count / (segment ? segment : 1) <= MOST_SEGMENTS ? segment : 0;
}

/* Tries longer segments, or shorter ones, while times improve; sets the best one. */
static double climb(struct summand__search *search, struct summand__call *call, int index, int way,
                    double seconds)
{
    for (index += way; index >= 0 && segment_of(search, index); index += way) {
        struct summand__call next = *call;
        next.parameter[SUMMAND__SEGMENT] = segment_of(search, index);
        double then = try(search, &next, seconds);
        if (then >= seconds)
            break;
        seconds = then;
        *call = next;
    }
    return seconds;
}

/* Searches the segment with the parameters for the first one, then parameters for that segment. */
static void try_segments(struct summand__search *search, int start)
{
    struct summand__call call = search->call;
    size_t first = segment_of(search, start);
    call.parameter[SUMMAND__SEGMENT] = first;
    double seconds = try_parameters(search, &call, try(search, &call, INFINITY));
    seconds = climb(search, &call, start, 1, seconds);
    seconds = climb(search, &call, start, -1, seconds);
    if (call.parameter[SUMMAND__SEGMENT] != first)
        try_parameters(search, &call, seconds);
}

void summand__search(struct summand__search *search)
{
    struct summand__call call = search->call;
    int start = FIRST_SEGMENT;
    search->best = (struct summand__choice){0};
    try_parameters(search, &call, try(search, &call, INFINITY));
    if (!search->algorithm->limits[SUMMAND__SEGMENT].most || search->given[SUMMAND__SEGMENT])
        return;
    while (start > 0 && tried[SUMMAND__SEGMENT][start] / search->element >= search->call.count)
        start--;
    while (!segment_of(search, start) && tried[SUMMAND__SEGMENT][start])
        start++;
    if (!segment_of(search, start))
        return;
    try_segments(search, start);
}

/* The value at an index; 0: not usable. */
static size_t value_at(const struct summand__search *search, const struct summand__call *call,
                       int which, int index)
{
    if (which == SUMMAND__SEGMENT)
        return segment_of(search, index);
    bool good = sensible(search, call, nodes_of(search, call), which, index);
    return good ? tried[which][index] : 0;
}

/* Changes a parameter one way from the best one's, while times improve. Segments are tried to the
 * end, because those that need not wait for their receiver may lie beyond worse ones. A whole
 * vector is the longest segment. */
static void walk(struct summand__search *search, struct summand__call *call, int which, int way)
{
    int end = 0;
    size_t from = call->parameter[which];
    if (!from)
        from = which == SUMMAND__SEGMENT ? SIZE_MAX : search->algorithm->limits[which].standard;
    while (tried[which][end])
        end++;
    for (int i = way > 0 ? 0 : end - 1; i >= 0 && i < end; i += way) {
        struct summand__call next = *call;
        size_t value = next.parameter[which] = value_at(search, call, which, i);
        double before = search->best.seconds;
        if (!value || (way > 0 ? value <= from : value >= from))
            continue;
        if (!(try(search, &next, before) < before) && which != SUMMAND__SEGMENT)
            break;
    }
    memcpy(call->parameter, search->best.parameter, sizeof call->parameter);
}

void summand__search_near(struct summand__search *search)
{
    struct summand__call call = search->call;
    memcpy(call.parameter, search->best.parameter, sizeof call.parameter);
    for (int which = 0; which < SUMMAND__PARAMETERS; which++) {
        if (which == SUMMAND__NODE_SIZE || !search->algorithm->limits[which].most)
            continue;
        for (int way = -1; way <= 1; way += 2)
            walk(search, &call, which, way);
        struct summand__call standard = call;
        standard.parameter[which] = 0;
        if (call.parameter[which])
            try(search, &standard, search->best.seconds);
        memcpy(call.parameter, search->best.parameter, sizeof call.parameter);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/algorithm.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "algorithm/call.h"
#include "algorithm/regroup.h"

static const char *const parameter_names[SUMMAND__PARAMETERS] = {"segment", "radix", "node",
                                                                 "leaders", "between"};

const struct summand__algorithm *summand__algorithm_named(const char *name)
{
    for (int i = 0; summand__algorithms[i]; i++)
        if (!strcmp(name, summand__algorithms[i]->name))
            return summand__algorithms[i];
    return NULL;
}

const char *summand__parameter_name(enum summand__parameter parameter)
{
    return parameter_names[parameter];
}

bool summand__needs_commutative(const struct summand__algorithm *algorithm)
{
    return !(algorithm->promises & SUMMAND__RANK_ORDER);
}

/* The call of an estimate may lack the offsets of its blocks; then `count` is their mean length. */
static size_t least_segment(const struct summand__call *call)
{
    bool mean = summand__has_offsets(call->collective) && !call->offsets;
    size_t total = mean ? call->count * (size_t)call->ranks : summand__call_total(call);
    return total / SUMMAND__MOST_SEGMENTS + (total % SUMMAND__MOST_SEGMENTS > 0);
}

struct summand__call summand__call_complete(const struct summand__algorithm *algorithm,
                                            const struct summand__call *call)
{
    struct summand__call complete = *call;
    for (int i = 0; i < SUMMAND__PARAMETERS; i++) {
        const struct summand__limits *limits = &algorithm->limits[i];
        size_t *value = &complete.parameter[i];
        if (!limits->most || !*value)
            *value = limits->standard;
        else if (*value < limits->least)
            *value = limits->least;
        else if (*value > limits->most)
            *value = limits->most;
    }
    if (call->grouping && algorithm->limits[SUMMAND__NODE_SIZE].most)
        complete.parameter[SUMMAND__NODE_SIZE] = (size_t)call->grouping->most;
    size_t *segment = &complete.parameter[SUMMAND__SEGMENT];
    if (*segment && *segment < SIZE_MAX / SUMMAND__MOST_SEGMENTS && *segment < least_segment(call))
        *segment = least_segment(call);
    return complete;
}

bool summand__algorithm_does(const struct summand__algorithm *algorithm,
                             const struct summand__call *call)
{
    struct summand__call complete = summand__call_complete(algorithm, call);
    return algorithm->build[call->collective] &&
           (!algorithm->applicable || algorithm->applicable(&complete));
}

bool summand__build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                    struct summand__schedule *schedule)
{
    struct summand__call complete = summand__call_complete(algorithm, call);
    summand__schedule_init(schedule);
    if (summand__regroups(algorithm, call))
        summand__regroup_build(algorithm, &complete, schedule);
    else
        algorithm->build[call->collective](algorithm, &complete, schedule);
    bool built = !schedule->failed;
    if (!built)
        summand__schedule_free(schedule);
    return built;
}

static struct summand__cost cost_of(const struct summand__algorithm *algorithm,
                                    const struct summand__call *call, bool depth)
{
    struct summand__call complete = summand__call_complete(algorithm, call);
    return summand__regroups(algorithm, call) ? summand__regroup_cost(algorithm, &complete, depth)
                                              : algorithm->cost(algorithm, &complete, depth);
}

struct summand__cost summand__cost_of(const struct summand__algorithm *algorithm,
                                      const struct summand__call *call)
{
    return cost_of(algorithm, call, true);
}

struct summand__cost summand__volume_of(const struct summand__algorithm *algorithm,
                                        const struct summand__call *call)
{
    return cost_of(algorithm, call, false);
}

unsigned summand__promises_of(const struct summand__algorithm *algorithm,
                              const struct summand__call *call)
{
    const unsigned of_order = SUMMAND__RANK_ORDER | SUMMAND__CANONICAL;
    bool combines = summand__has_operator(call->collective);
    return combines && summand__regroups(algorithm, call) ? algorithm->promises & ~of_order
                                                          : algorithm->promises;
}

double summand__estimate_of(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, size_t element,
                            const struct summand__model *model)
{
    struct summand__call complete = summand__call_complete(algorithm, call);
    if (!algorithm->estimate)
        return INFINITY;
    if (summand__has_offsets(call->collective)) {
        size_t ranks = (size_t)call->ranks;
        complete.count = call->offsets ? (call->offsets[ranks] + ranks - 1) / ranks : call->count;
        complete.collective = summand__collectives[call->collective].even;
    }
    return call->grouping ? summand__regroup_estimate(algorithm, &complete, element, model)
                          : algorithm->estimate(algorithm, &complete, element, model);
}

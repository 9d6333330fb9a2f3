/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/tuning.h"

#include <string.h>

#include "algorithm/call.h"

/* Earlier versions wrote uneven nodes as nodes of one rank. */
static bool is_for(const struct summand__tuning_rule *rule, const struct summand__query *query)
{
    size_t ranks = (size_t)query->ranks;
    size_t lie = query->node_size < ranks ? query->node_size : ranks;
    bool fits = query->grouping ? rule->node_size == 1 || rule->node_size == SUMMAND__UNEVEN
                                : rule->node_size == lie;
    return (!rule->ranks || rule->ranks == query->ranks) && (!rule->node_size || fits);
}

static void choose(const struct summand__tuning_rule *rule, const struct summand__query *query,
                   struct summand__choice *choice)
{
    *choice = (struct summand__choice){.algorithm = rule->algorithm,
                                       .runs = rule->runs && query->groupings};
    memcpy(choice->parameter, rule->parameter, sizeof choice->parameter);
    size_t *segment = &choice->parameter[SUMMAND__SEGMENT];
    if (*segment)
        *segment = *segment > query->element ? *segment / query->element : 1;
    if (!choice->parameter[SUMMAND__NODE_SIZE])
        choice->parameter[SUMMAND__NODE_SIZE] =
            choice->runs ? (size_t)query->groupings->ordered.most : query->node_size;
}

static bool fits(const struct summand__tuning_rule *rule, const struct summand__query *query)
{
    return rule->collective == query->collective && query->bytes >= rule->least &&
           query->bytes < rule->end && (query->promises & rule->promises) == rule->promises &&
           is_for(rule, query);
}

bool summand__tuning_lookup(const struct summand__tuning *tuning,
                            const struct summand__query *query, const struct summand__call *call,
                            struct summand__choice *choice)
{
    struct summand__call one = *call;
    for (size_t i = tuning->rules; i-- > 0;) {
        const struct summand__tuning_rule *rule = &tuning->rule[i];
        if (!fits(rule, query) ||
            !summand__promises_kept(rule->algorithm, query->collective, query->promises))
            continue;
        choose(rule, query, choice);
        memcpy(one.parameter, choice->parameter, sizeof one.parameter);
        one.grouping = choice->runs ? &query->groupings->ordered : call->grouping;
        if (summand__algorithm_does(rule->algorithm, &one))
            return true;
    }
    return false;
}

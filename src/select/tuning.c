#include "select/tuning.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"

static bool is_for(const struct summand__tuning_rule *rule, int ranks, size_t node_size)
{
    size_t lie = node_size < (size_t)ranks ? node_size : (size_t)ranks;
    return (!rule->ranks || rule->ranks == ranks) && (!rule->node_size || rule->node_size == lie);
}

static void choose(const struct summand__tuning_rule *rule, const struct summand__query *query,
                   struct summand__choice *choice)
{
    *choice = (struct summand__choice){.algorithm = rule->algorithm};
    memcpy(choice->parameter, rule->parameter, sizeof choice->parameter);
    size_t *segment = &choice->parameter[SUMMAND__SEGMENT];
    if (*segment)
        *segment = *segment > query->element ? *segment / query->element : 1;
    if (!choice->parameter[SUMMAND__NODE_SIZE])
        choice->parameter[SUMMAND__NODE_SIZE] = query->node_size;
}

static bool fits(const struct summand__tuning_rule *rule, const struct summand__query *query)
{
    return rule->collective == query->collective && query->bytes >= rule->least &&
           query->bytes < rule->end && (query->promises & rule->promises) == rule->promises &&
           is_for(rule, query->ranks, query->grouping ? 1 : query->node_size);
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
        if (summand__algorithm_does(rule->algorithm, &one))
            return true;
    }
    return false;
}

static bool same_calls(const struct summand__tuning_rule *a, const struct summand__tuning_rule *b)
{
    return a->collective == b->collective && a->ranks == b->ranks && a->node_size == b->node_size &&
           a->promises == b->promises;
}

static bool make_room(struct summand__tuning *tuning, size_t more)
{
    if (tuning->rules + more <= tuning->room)
        return true;
    size_t room = 2 * tuning->room + more;
    struct summand__tuning_rule *rule = realloc(tuning->rule, room * sizeof *rule);
    if (rule) {
        tuning->rule = rule;
        tuning->room = room;
    }
    return rule;
}

/* Takes [least, end) out of the rule at `i`, which may leave none, one or two parts. Whether the
 * place now holds another rule. */
static bool cut(struct summand__tuning *tuning, size_t i, size_t least, size_t end)
{
    struct summand__tuning_rule *rule = &tuning->rule[i], rest = *rule;
    if (end <= rule->least || least >= rule->end)
        return false;
    bool before = rule->least < least, after = end < rule->end;
    rest.least = end;
    if (before)
        rule->end = least;
    if (before && after)
        tuning->rule[tuning->rules++] = rest;
    else if (after)
        *rule = rest;
    else if (!before)
        *rule = tuning->rule[--tuning->rules];
    return !before && !after;
}

bool summand__tuning_drop(struct summand__tuning *tuning, const struct summand__tuning_rule *rule)
{
    if (!make_room(tuning, tuning->rules + 1)) /* each rule may fall into two */
        return false;
    for (size_t i = 0, before = tuning->rules; i < before && i < tuning->rules;) {
        if (same_calls(&tuning->rule[i], rule) && cut(tuning, i, rule->least, rule->end))
            before = tuning->rules;
        else
            i++;
    }
    return true;
}

bool summand__tuning_put(struct summand__tuning *tuning, const struct summand__tuning_rule *rule)
{
    bool good = summand__tuning_drop(tuning, rule) && make_room(tuning, 1);
    if (good)
        tuning->rule[tuning->rules++] = *rule;
    return good;
}

#define COMPARE(a, b)                                                                              \
    if ((a) != (b))                                                                                \
    return (a) < (b) ? -1 : 1

static int order(const void *left, const void *right)
{
    const struct summand__tuning_rule *a = left, *b = right;
    COMPARE(a->collective, b->collective);
    COMPARE(a->ranks, b->ranks);
    COMPARE(a->node_size, b->node_size);
    COMPARE(a->promises, b->promises); /* so that the most special line is the last */
    COMPARE(a->least, b->least);
    return 0;
}

void summand__tuning_tidy(struct summand__tuning *tuning)
{
    size_t kept = 0;
    if (tuning->rules)
        qsort(tuning->rule, tuning->rules, sizeof *tuning->rule, order);
    for (size_t i = 0; i < tuning->rules; i++) {
        struct summand__tuning_rule *rule = &tuning->rule[i];
        struct summand__tuning_rule *last = kept ? &tuning->rule[kept - 1] : NULL;
        if (last && same_calls(last, rule) && last->end == rule->least &&
            last->algorithm == rule->algorithm &&
            !memcmp(last->parameter, rule->parameter, sizeof rule->parameter))
            last->end = rule->end;
        else
            tuning->rule[kept++] = *rule;
    }
    tuning->rules = kept;
}

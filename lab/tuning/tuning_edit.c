/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/tuning/tuning.h"

#include <stdlib.h>
#include <string.h>

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

/* Takes [least, end) out of the rule at `i`, which may leave none, one or two parts. True if index
 * i now has another rule. */
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
    if (!make_room(tuning, tuning->rules + 1)) /* each rule may split into two */
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
    COMPARE(a->promises, b->promises); /* the most specific line comes last */
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
            last->algorithm == rule->algorithm && last->runs == rule->runs &&
            !memcmp(last->parameter, rule->parameter, sizeof rule->parameter))
            last->end = rule->end;
        else
            tuning->rule[kept++] = *rule;
    }
    tuning->rules = kept;
}

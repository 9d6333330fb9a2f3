/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/select.h"

#include <string.h>

#include "select/choose.h"
#include "select/defaults.h"

/* A cache of choices. A choice costs microseconds to milliseconds, and programs that make many
 * communicators repeat queries. */
enum { RECALLED = 16 };

struct recalled {
    struct summand__query query; /* its model points to `model` or is NULL */
    struct summand__model model;
    struct summand__calibration calibration; /* the standard one if the query has none */
    struct summand__choice choice;           /* without an algorithm: an empty entry */
};

static bool same_model(const struct recalled *entry, const struct summand__model *model)
{
    if (!entry->query.model || !model)
        return !entry->query.model && !model;
    return !memcmp(&entry->model, model, sizeof *model);
}

static struct summand__calibration calibration_of(const struct summand__query *query)
{
    return query->calibration ? *query->calibration : summand__calibration_standard();
}

static bool same_calibration(const struct recalled *entry, const struct summand__query *query)
{
    const struct summand__calibration calibration = calibration_of(query);
    return !memcmp(&entry->calibration, &calibration, sizeof calibration);
}

static bool answers(const struct recalled *entry, const struct summand__query *query)
{
    const struct summand__query *asked = &entry->query;
    return entry->choice.algorithm && !query->outer && !query->gemm && !query->grouping &&
           asked->collective == query->collective && asked->ranks == query->ranks &&
           asked->node_size == query->node_size && asked->processors == query->processors &&
           asked->bytes == query->bytes && asked->element == query->element &&
           asked->promises == query->promises && same_model(entry, query->model) &&
           same_calibration(entry, query);
}

/* summand__choose, or its earlier result for the same query in this thread, if it is among the last
 * ones. Run it in the default floating-point environment. False when out of memory. */
static bool choose_or_recall(const struct summand__query *query, struct summand__choice *choice)
{
    static _Thread_local struct recalled entries[RECALLED];
    static _Thread_local unsigned next;
    for (int i = 0; i < RECALLED; i++)
        if (answers(&entries[i], query)) {
            *choice = entries[i].choice;
            return true;
        }
    if (!summand__choose(query, choice))
        return false;
    if (query->outer || query->gemm ||
        query->grouping) /* the pointers may mean other shapes at the next call */
        return true;
    struct recalled *entry = &entries[next++ % RECALLED];
    entry->query = *query;
    entry->choice = *choice;
    entry->calibration = calibration_of(query);
    if (query->model)
        entry->model = *query->model;
    return true;
}

enum summand__selection summand__select(const struct summand__query *asked,
                                        const struct summand__tuning *tuning,
                                        const struct summand__call *call,
                                        struct summand__choice *choice)
{
    struct summand__query query = *asked;
    struct summand__call own = *call;
    const struct summand__choice named = *choice;
    if (tuning && tuning->has_model)
        query.model = &tuning->model;
    if (!named.algorithm && !(tuning && summand__tuning_lookup(tuning, &query, call, choice)) &&
        !choose_or_recall(&query, choice))
        return SUMMAND__SELECTION_FAILED;
    for (int i = 0; i < SUMMAND__PARAMETERS; i++)
        if (named.parameter[i])
            choice->parameter[i] = named.parameter[i];
    if (!choice->parameter[SUMMAND__NODE_SIZE])
        choice->parameter[SUMMAND__NODE_SIZE] = query.node_size;
    memcpy(own.parameter, choice->parameter, sizeof own.parameter);
    return summand__promises_kept(choice->algorithm, query.collective, query.promises) &&
                   summand__algorithm_does(choice->algorithm, &own)
               ? SUMMAND__SELECTED
               : SUMMAND__NONE_SELECTED;
}

/* One rank is treated as two, because its algorithms do not differ in messages. */
enum summand__selection summand__select_bundle(enum summand__collective collective, int ranks,
                                               size_t node_size, unsigned promises,
                                               struct summand__choice *choice)
{
    int several = ranks > 1 ? ranks : 2;
    struct summand__query query = {
        .collective = collective,
        .ranks = several,
        .node_size = choice->algorithm ? node_size : (size_t)several,
        .bytes = 1,
        .element = 1,
        .promises = choice->algorithm ? promises : SUMMAND__RANK_ORDER | SUMMAND__CANONICAL,
        .model = &summand__latency_model};
    struct summand__call call = summand__query_call(&query);
    return summand__select(&query, NULL, &call, choice);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/recall.h"

#include <stdbool.h>
#include <string.h>

enum { RECALLED = 16 };

struct entry {
    struct summand__query query; /* its model is `model`, or NULL */
    struct summand__model model;
    struct summand__calibration calibration; /* the standard one where the query has none */
    struct summand__choice choice;           /* without algorithm: none yet */
};

static bool same_model(const struct entry *entry, const struct summand__model *model)
{
    if (!entry->query.model || !model)
        return !entry->query.model && !model;
    return !memcmp(&entry->model, model, sizeof *model);
}

static struct summand__calibration calibration_of(const struct summand__query *query)
{
    return query->calibration ? *query->calibration : summand__calibration_standard();
}

static bool same_calibration(const struct entry *entry, const struct summand__query *query)
{
    const struct summand__calibration calibration = calibration_of(query);
    return !memcmp(&entry->calibration, &calibration, sizeof calibration);
}

static bool answers(const struct entry *entry, const struct summand__query *query)
{
    const struct summand__query *asked = &entry->query;
    return entry->choice.algorithm && !query->outer && !query->gemm && !query->grouping &&
           asked->collective == query->collective && asked->ranks == query->ranks &&
           asked->node_size == query->node_size && asked->processors == query->processors &&
           asked->bytes == query->bytes && asked->element == query->element &&
           asked->promises == query->promises && same_model(entry, query->model) &&
           same_calibration(entry, query);
}

bool summand__choose_or_recall(const struct summand__query *query, struct summand__choice *choice)
{
    static _Thread_local struct entry entries[RECALLED];
    static _Thread_local unsigned next;
    for (int i = 0; i < RECALLED; i++)
        if (answers(&entries[i], query)) {
            *choice = entries[i].choice;
            return true;
        }
    if (!summand__choose(query, choice))
        return false;
    if (query->outer || query->gemm ||
        query->grouping) /* which may be another one when it lies there again */
        return true;
    struct entry *entry = &entries[next++ % RECALLED];
    entry->query = *query;
    entry->choice = *choice;
    entry->calibration = calibration_of(query);
    if (query->model)
        entry->model = *query->model;
    return true;
}

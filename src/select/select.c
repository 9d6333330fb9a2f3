/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/select.h"

#include <string.h>

#include "select/defaults.h"
#include "select/recall.h"

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
        !summand__choose_or_recall(&query, choice))
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

/* One rank is chosen for as two are, where the fewest messages are to be told apart. */
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <math.h>

#include "algorithm/call.h"
#include "select/choose.h"
#include "select/defaults.h"

struct summand__call summand__query_call(const struct summand__query *query)
{
    size_t ranks = (size_t)query->ranks, count = query->bytes / query->element;
    struct summand__call call = {.collective = query->collective,
                                 .ranks = query->ranks,
                                 .count = count,
                                 .grouping = query->grouping,
                                 .outer = query->outer,
                                 .gemm = query->gemm};
    if (summand__has_blocks(query->collective))
        call.count = count / ranks + (count % ranks > 0);
    return call;
}

/* Divides a node's card between the groups of ranks that share it. */
static void share_cards(struct summand__model *model, int groups)
{
    for (int reach = SUMMAND__NETWORK; reach < SUMMAND__REACHES && model->shared_card > 0;
         reach++) {
        model->level[reach].byte *= groups;
        model->level[reach].gap *= groups;
    }
}

void summand__calibrate_work(struct summand__model *model,
                             const struct summand__calibration *calibration)
{
    if (summand__calibration_says(calibration, SUMMAND__FLOP_TIME))
        model->flop = (double)calibration->value[SUMMAND__FLOP_TIME] * 1e-15;
    if (summand__calibration_says(calibration, SUMMAND__WRITE_TIME))
        model->write_byte = (double)calibration->value[SUMMAND__WRITE_TIME] * 1e-15;
}

void summand__calibrate_level(struct summand__level *level,
                              const struct summand__calibration *calibration)
{
    if (summand__calibration_says(calibration, SUMMAND__LINE_TIME))
        level->latency = (double)calibration->value[SUMMAND__LINE_TIME] * 1e-9;
    if (summand__calibration_says(calibration, SUMMAND__BYTE_TIME))
        level->byte = (double)calibration->value[SUMMAND__BYTE_TIME] * 1e-12;
}

struct summand__model summand__query_model(const struct summand__query *query)
{
    size_t node = query->node_size, ranks = (size_t)query->ranks;
    bool oversubscribed = query->processors > 0 && query->processors < query->ranks;
    const struct summand__model *standard = node < ranks     ? &summand__cluster_model
                                            : oversubscribed ? &summand__oversubscribed_model
                                                             : &summand__memory_model;
    struct summand__model model = query->model ? *query->model : *standard;
    if (!query->model && query->calibration)
        summand__calibrate_work(&model, query->calibration);
    bool calibrated = standard == &summand__memory_model && !query->model && query->calibration;
    for (int i = 0; i < SUMMAND__REACHES && calibrated; i++)
        summand__calibrate_level(&model.level[i], query->calibration);
    if (!query->model && node < ranks)
        model.fair_card = 1; /* networks do not serve messages in order of arrival */
    model.per_node = node > INT_MAX ? INT_MAX : (double)node;
    if (query->grouping)
        share_cards(&model, query->grouping->sharing);
    if (node <= 1)
        model.shared_card = 0;
    if (standard == &summand__oversubscribed_model && !query->model) {
        model.processors = query->processors;
        for (int i = 0; i < SUMMAND__REACHES; i++)
            model.level[i].latency *= (double)((ranks - 1) / (size_t)query->processors + 1);
    }
    return model;
}

int summand__query_nodes(const struct summand__query *query)
{
    size_t ranks = (size_t)query->ranks, node = query->node_size;
    return query->grouping ? query->grouping->groups : (int)((ranks - 1) / node) + 1;
}

struct summand__query summand__query_promising(const struct summand__query *query,
                                               unsigned promises)
{
    struct summand__query other = *query;
    other.promises = promises;
    if (query->groupings) {
        bool ordered = summand__keeps_order(query->collective, promises);
        other.grouping = summand__grouping_for(query->groupings, ordered);
        other.node_size = (size_t)other.grouping->most;
    }
    return other;
}

const struct summand__grouping *summand__query_whole(const struct summand__query *query)
{
    return query->groupings ? &query->groupings->any : query->grouping;
}

/* Rounds up to a number of four binary digits. */
static size_t rounded(size_t count)
{
    size_t unit = 1;
    while (count / unit >= 16)
        unit *= 2;
    return (count + unit - 1) / unit * unit;
}

/* The longest count of the bucket. A bucket ends where the message of a whole vector or block, or
 * of halves or doubles of it, becomes too long to be `eager`. */
static size_t longest_of(const struct summand__query *query)
{
    size_t count = summand__query_call(query).count, longest = rounded(count);
    double most = summand__query_model(query).eager / (double)query->element;
    while (most > 0 && floor(most) < (double)count)
        most *= 2;
    while (count > 0 && floor(most / 2) >= (double)count)
        most /= 2;
    return floor(most) >= (double)count && floor(most) < (double)longest ? (size_t)most : longest;
}

bool summand__promises_kept(const struct summand__algorithm *algorithm,
                            enum summand__collective collective, unsigned promises)
{
    bool ordered = summand__has_operator(collective) || collective == SUMMAND__COLL_OUTER ||
                   collective == SUMMAND__COLL_GEMM;
    return !ordered || (algorithm->promises & promises) == promises;
}

/* From so many nodes on, the choice prefers algorithms that know nodes. */
enum { SEVERAL = 4 };

bool summand__may_be_chosen(const struct summand__query *query,
                            const struct summand__algorithm *algorithm,
                            const struct summand__call *call)
{
    bool one_node = query->node_size >= (size_t)query->ranks;
    bool several = query->node_size > 1 && summand__query_nodes(query) >= SEVERAL;
    return !(one_node && algorithm->single_node_equivalent[query->collective]) &&
           !(several && algorithm->sees_nodes) && summand__algorithm_does(algorithm, call) &&
           summand__promises_kept(algorithm, query->collective, query->promises);
}

static bool has_unestimated(const struct summand__query *query)
{
    const struct summand__call call = summand__query_call(query);
    for (int i = 0; summand__algorithms[i]; i++)
        if (!summand__algorithms[i]->estimate &&
            summand__may_be_chosen(query, summand__algorithms[i], &call))
            return true;
    return false;
}

/* A play takes steps of less than 2^32 elements. */
bool summand__query_plays(const struct summand__query *query)
{
    const size_t blocks = summand__has_blocks(query->collective) ? (size_t)query->ranks : 1;
    return !query->estimated && !query->outer && !query->gemm && query->bytes <= SIZE_MAX / 4 &&
           rounded(summand__query_call(query).count) <= UINT32_MAX / blocks &&
           (summand__query_nodes(query) > 1 || has_unestimated(query));
}

struct summand__query summand__query_bucket(const struct summand__query *query)
{
    struct summand__query bucket = *query;
    if (!summand__query_plays(query))
        return bucket;
    size_t blocks = summand__has_blocks(query->collective) ? (size_t)query->ranks : 1;
    bucket.bytes = longest_of(query) * blocks * query->element;
    if (!summand__has_operator(query->collective))
        bucket.promises = 0;
    return bucket;
}

void summand__choice_fit(struct summand__choice *choice, const struct summand__query *query)
{
    size_t *segment = &choice->parameter[SUMMAND__SEGMENT];
    size_t count = summand__query_call(query).count;
    if (!*segment || !summand__query_plays(query))
        return;
    size_t longest = longest_of(query);
    if (*segment < longest) {
        size_t segments = (longest - 1) / *segment + 1;
        *segment = (count - 1) / segments + 1;
    }
}

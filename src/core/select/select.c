/* SPDX-License-Identifier: BSD-3-Clause */
#include "select/select.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "select/choose.h"
#include "select/defaults.h"

/* A cache of choices for the whole process, so that communicators share it. A choice costs
 * microseconds to milliseconds, and programs that make many communicators repeat queries. What it
 * holds depends on earlier calls, but not what it answers. */
enum { KEPT = 512 };

/* All that a choice depends on, without padding. */
struct key {
    size_t collective, ranks, node_size, bytes, element, promises, estimated;
    size_t both;                             /* groupings are known */
    size_t groups, sharing, firsts, members; /* of whole nodes; the latter: lengths of lists */
    struct summand__model model;
};

struct kept {
    struct key key;
    struct summand__choice choice;
    int list[]; /* of the grouping: `first`, then `member` */
};

static struct kept *kept[KEPT];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct key key_of(const struct summand__query *query)
{
    const struct summand__grouping *grouping = summand__query_whole(query);
    struct key key = {.collective = query->collective,
                      .ranks = (size_t)query->ranks,
                      .node_size = query->node_size,
                      .bytes = query->bytes,
                      .element = query->element,
                      .promises = query->promises,
                      .estimated = query->estimated,
                      .both = query->groupings != NULL,
                      .model = summand__query_model(query)};
    if (grouping) {
        key.groups = (size_t)grouping->groups;
        key.sharing = (size_t)grouping->sharing;
        key.firsts = grouping->first ? key.groups + 1 : 0;
        key.members = grouping->member ? key.ranks : 0;
    }
    return key;
}

static size_t slot_of(const struct key *key)
{
    const uint64_t hash = summand__hash(SUMMAND__HASH_BEGIN, key, sizeof *key);
    return summand__spread(hash) & (KEPT - 1);
}

static bool answers(const struct kept *entry, const struct key *key,
                    const struct summand__grouping *grouping)
{
    const int *member = entry ? entry->list + key->firsts : NULL;
    return entry && !memcmp(&entry->key, key, sizeof *key) &&
           (!key->firsts || !memcmp(entry->list, grouping->first, key->firsts * sizeof(int))) &&
           (!key->members || !memcmp(member, grouping->member, key->members * sizeof(int)));
}

static bool recall(const struct key *key, const struct summand__grouping *grouping,
                   struct summand__choice *choice)
{
    pthread_mutex_lock(&lock);
    const struct kept *entry = kept[slot_of(key)];
    bool known = answers(entry, key, grouping);
    if (known)
        *choice = entry->choice;
    pthread_mutex_unlock(&lock);
    return known;
}

/* Without memory the choice is made again next time. */
static void keep(const struct key *key, const struct summand__grouping *grouping,
                 const struct summand__choice *choice)
{
    struct kept *entry = malloc(sizeof *entry + (key->firsts + key->members) * sizeof(int));
    if (!entry)
        return;
    entry->key = *key;
    entry->choice = *choice;
    if (key->firsts)
        memcpy(entry->list, grouping->first, key->firsts * sizeof(int));
    if (key->members)
        memcpy(entry->list + key->firsts, grouping->member, key->members * sizeof(int));
    pthread_mutex_lock(&lock);
    struct kept **slot = &kept[slot_of(key)], *before = *slot;
    *slot = entry;
    pthread_mutex_unlock(&lock);
    free(before);
}

/* summand__choose, or its earlier result for the same bucket. Run it in the default floating-point
 * environment. False when out of memory. */
static bool choose_or_recall(const struct summand__query *query, struct summand__choice *choice)
{
    if (query->outer || query->gemm) /* these pointers may mean other shapes at the next call */
        return summand__choose(query, choice);
    const struct summand__query bucket = summand__query_bucket(query);
    const struct key key = key_of(&bucket);
    const struct summand__grouping *whole = summand__query_whole(query);
    if (!recall(&key, whole, choice)) {
        if (!summand__choose(&bucket, choice))
            return false;
        keep(&key, whole, choice);
    }
    summand__choice_fit(choice, query);
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
    if (choice->runs)
        own.grouping = &query.groupings->ordered;
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

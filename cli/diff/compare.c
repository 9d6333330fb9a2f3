/* SPDX-License-Identifier: BSD-3-Clause */
/* One rank of two runs. Calls are matched by communicator and number, so threads that interleave
 * calls on different communicators in another order are no difference. */
#include "cli/diff/diff.h"

#include <stdlib.h>

#include "bench/need.h"

static bool hashes_differ(const struct record_hashed *a, const struct record_hashed *b)
{
    return a->there != b->there || (a->there && a->hash != b->hash);
}

/* Texts are kept once (run.h), so equal ones are one address. The call site may differ: the builds
 * may. */
enum difference compare_calls(const struct record_call *a, const struct record_call *b)
{
    if (!a || !b)
        return a || b ? CALL_MISSING : SAME;
    if (a->name != b->name || a->count != b->count || a->type != b->type || a->op != b->op ||
        a->root != b->root)
        return CALLS_DIFFER;
    if (hashes_differ(&a->input, &b->input))
        return INPUTS_DIFFER;
    return hashes_differ(&a->result, &b->result) ? RESULTS_DIFFER : SAME;
}

static struct call_name name_of(const struct rank_record *record, const struct kept_call *call)
{
    return (struct call_name){record->communicator[call->communicator], call->call.number};
}

/* Takes in a call of `mine` that the other run does not have. */
static void note_alone(struct rank_difference *d, int run, const struct rank_record *mine,
                       const struct rank_record *other, const struct kept_call *call,
                       struct named_calls *calls, struct unmatched *unmatched)
{
    const struct call_name name = name_of(mine, call);
    named_call(calls, &name)->parted = true;
    d->beyond[run] += !other->whole;
    if (other->whole)
        unmatched_add(unmatched, run, &call->call, 1);
}

/* The calls of B that A has not. A run that was cut may have had them. */
static void find_excess(const struct rank_record *a, const struct rank_record *b,
                        struct rank_difference *d, struct named_calls *calls,
                        struct unmatched *unmatched)
{
    for (long long i = 0; i < b->count; i++) {
        struct call_name name = name_of(b, &b->call[i]);
        if (find_call(a, &name))
            continue;
        note_alone(d, 1, b, a, &b->call[i], calls, unmatched);
        if (d->kind != SAME || !a->whole)
            continue;
        d->kind = CALL_MISSING;
        d->first = name;
        d->position = a->count;
    }
}

/* Indices of B's communicators by those of A. */
static int *map_communicators(const struct rank_record *a, const struct rank_record *b)
{
    int *map = need(malloc(((size_t)a->communicators + 1) * sizeof *map));
    for (int i = 0; i < a->communicators; i++)
        map[i] = rank_record_communicator(b, &a->communicator[i]);
    return map;
}

static void note(struct rank_difference *d, const struct rank_record *a, long long position,
                 enum difference kind, struct named_calls *calls)
{
    if (kind == SAME)
        return;
    const struct call_name name = name_of(a, &a->call[position]);
    struct named_call *call = named_call(calls, &name);
    d->inputs += kind == INPUTS_DIFFER;
    call->results += kind == RESULTS_DIFFER;
    call->parted = call->parted || kind > RESULTS_DIFFER;
    if (d->kind != SAME)
        return;
    d->kind = kind;
    d->first = name;
    d->position = position;
}

void compare_rank(const struct rank_record *a, const struct rank_record *b,
                  struct rank_difference *d, struct named_calls *calls, struct unmatched *unmatched)
{
    int *map = map_communicators(a, b);
    *d = (struct rank_difference){.kind = SAME,
                                  .whole = {a->whole, b->whole},
                                  .calls = {a->count, b->count},
                                  .position = a->count};
    for (long long i = 0; i < a->count; i++) {
        const struct kept_call *mine = &a->call[i], *other = NULL;
        if (map[mine->communicator] >= 0)
            other = rank_record_find(b, map[mine->communicator], mine->call.number);
        d->compared += other != NULL;
        if (!other)
            note_alone(d, 0, a, b, mine, calls, unmatched);
        if (other || b->whole)
            note(d, a, i, compare_calls(&mine->call, other ? &other->call : NULL), calls);
    }
    find_excess(a, b, d, calls, unmatched);
    free(map);
}

struct kept_call *find_call(const struct rank_record *record, const struct call_name *name)
{
    int communicator = rank_record_communicator(record, &name->communicator);
    return communicator < 0 ? NULL : rank_record_find(record, communicator, name->number);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls by the name that all of their ranks share, each kept once. */
#include "cli/diff/diff.h"

#include <stdlib.h>

#include "base/hash.h"
#include "bench/need.h"

bool call_name_equal(const struct call_name *a, const struct call_name *b)
{
    const struct record_communicator *p = &a->communicator, *q = &b->communicator;
    return a->number == b->number && p->group == q->group && p->nth == q->nth && p->size == q->size;
}

static struct named_call *slot_of(const struct named_calls *calls, const struct call_name *name)
{
    uint64_t hash = name->communicator.group ^ summand__spread((uint64_t)name->number) ^
                    summand__spread((uint64_t)name->communicator.nth + 1) * 3;
    size_t at = (size_t)summand__spread(hash) & (calls->slots - 1);
    while (calls->slot[at].used && !call_name_equal(&calls->slot[at].name, name))
        at = (at + 1) & (calls->slots - 1);
    return &calls->slot[at];
}

struct named_call *named_call(struct named_calls *calls, const struct call_name *name)
{
    if (2 * calls->count >= calls->slots) {
        struct named_calls larger = {NULL, calls->slots ? 2 * calls->slots : 64, calls->count};
        larger.slot = need(calloc(larger.slots, sizeof *larger.slot));
        for (size_t i = 0; i < calls->slots; i++)
            if (calls->slot[i].used)
                *slot_of(&larger, &calls->slot[i].name) = calls->slot[i];
        free(calls->slot);
        *calls = larger;
    }
    struct named_call *call = slot_of(calls, name);
    if (!call->used) {
        *call = (struct named_call){.name = *name, .used = true};
        calls->count++;
    }
    return call;
}

void named_calls_free(struct named_calls *calls)
{
    free(calls->slot);
    *calls = (struct named_calls){0};
}

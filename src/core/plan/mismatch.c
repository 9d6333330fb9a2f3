/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/mismatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/by_rank.h"
#include "plan/join.h"
#include "process/error.h"

/* A rank's argument. */
struct entry {
    int64_t value;
    uint64_t call; /* the call's number: remains of an earlier exchange have another one */
    char any;
    char text[55];
};

static bool alike(const void *a, const void *b)
{
    const struct entry *p = a, *q = b;
    return p->any == q->any && p->value == q->value;
}

static const char *text_of(const void *entry)
{
    return ((const struct entry *)entry)->text;
}

static void explain(const char *name, const struct entry *entries, int ranks)
{
    const struct summand__by_rank table = {entries, sizeof *entries, ranks, alike, text_of};
    char text[MPI_MAX_ERROR_STRING];
    /* room after the condition's text */
    summand__by_rank_say(&table, name, text,
                         sizeof text - strlen(summand__error_text(SUMMAND_ERR_MISMATCH)) - 16);
    summand__error_explain(SUMMAND_ERR_MISMATCH, "%s", text);
}

static void fill(struct entry *entry, uint64_t call, const struct summand__argument *argument)
{
    entry->call = call;
    entry->value = argument->value;
    entry->any = argument->any;
    if (argument->any)
        snprintf(entry->text, sizeof entry->text, "any");
    else if (argument->say)
        argument->say(argument, entry->text, sizeof entry->text);
    else
        snprintf(entry->text, sizeof entry->text, "%lld", (long long)argument->value);
}

void summand__mismatch_explain(struct summand__state *state,
                               const struct summand__argument *argument)
{
    size_t ranks = (size_t)state->ranks;
    struct entry *entries = calloc(ranks, sizeof *entries);
    if (entries)
        fill(&entries[state->rank], state->channel.calls, argument);
    int tag = summand__tags_told(summand__public_call(state->channel.calls));
    bool told = summand__join(state, tag, entries, ranks * sizeof *entries) == MPI_SUCCESS;
    for (size_t r = 0; told && r < ranks; r++)
        told = entries[r].call == state->channel.calls;
    if (told)
        explain(argument->name, entries, state->ranks);
    else
        summand__error_explain(SUMMAND_ERR_MISMATCH, "%s", argument->name);
    free(entries);
}

/* The values of a rank's arguments. */
struct values {
    uint64_t call; /* the call's number, as in an entry */
    int64_t value[SUMMAND__AGREED];
};

/* The index of the first argument in which a rank differs from rank 0, or -1. */
static int first_difference(const struct values *values, const struct summand__signature *signature,
                            const struct summand__state *state)
{
    for (int r = 0; r < state->ranks; r++)
        if (values[r].call != state->channel.calls)
            return -1;
    for (int i = 0; i < signature->count; i++)
        for (int r = 1; r < state->ranks; r++)
            if (values[r].value[i] != values[0].value[i])
                return i;
    return -1;
}

void summand__mismatch_find(struct summand__state *state,
                            const struct summand__signature *signature)
{
    size_t ranks = (size_t)state->ranks;
    struct values *values = calloc(ranks, sizeof *values);
    int differs = -1;
    if (values) {
        struct values *own = &values[state->rank];
        own->call = state->channel.calls;
        for (int i = 0; i < signature->count; i++)
            own->value[i] = signature->argument[i].value;
    }
    int tag = summand__tags_told(summand__public_call(state->channel.calls));
    if (summand__join(state, tag, values, ranks * sizeof *values) == MPI_SUCCESS)
        differs = first_difference(values, signature, state);
    if (differs >= 0)
        summand__mismatch_explain(state, &signature->argument[differs]);
    free(values);
}

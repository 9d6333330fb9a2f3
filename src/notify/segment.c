/* SPDX-License-Identifier: BSD-3-Clause */
/* Making and freeing segments. */
#include "notify/segment.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "plan/agree.h"
#include "plan/plan.h"
#include "process/error.h"

static void describe(const void *what, char *text, size_t room)
{
    const struct summand__segment_wait *waiting = what;
    if (waiting->value && waiting->source == MPI_ANY_SOURCE)
        snprintf(text, room, "%s, id %d, value %llu", waiting->call, waiting->id,
                 (unsigned long long)waiting->value);
    else if (waiting->value)
        snprintf(text, room, "%s, id %d of rank %d, value %llu", waiting->call, waiting->id,
                 waiting->source, (unsigned long long)waiting->value);
    else
        snprintf(text, room, "%s", waiting->call);
}

void summand__segment_drop(struct summand_segment *segment)
{
    struct summand__state *state = segment->state;
    if (segment->window)
        segment->window->transport->close(segment->window);
    for (int q = 0; segment->queue && q < segment->queues; q++)
        free(segment->queue[q].to);
    free(segment->queue);
    free(segment->range);
    free(segment->base);
    free(segment->sent);
    free(segment->reached);
    free(segment);
    summand__state_release(state);
}

static bool make_queues(struct summand_segment *segment)
{
    segment->queue = calloc((size_t)segment->queues, sizeof *segment->queue);
    bool made = segment->queue != NULL;
    for (int q = 0; made && q < segment->queues; q++) {
        segment->queue[q].to = calloc((size_t)segment->state->ranks, sizeof *segment->queue[q].to);
        made = segment->queue[q].to != NULL;
    }
    return made;
}

/* Local; NULL: out of memory. */
static struct summand_segment *make_local(struct summand__state *state, int ids,
                                          const struct summand_segment_options *options)
{
    struct summand_segment *segment = calloc(1, sizeof *segment);
    if (!segment)
        return NULL;
    summand__state_hold(state);
    segment->state = state;
    segment->ids = ids;
    segment->queues = options->queues ? options->queues : 1;
    segment->depth = options->depth ? options->depth : SUMMAND__QUEUE_DEPTH;
    segment->range = calloc((size_t)ids + 1, sizeof *segment->range);
    segment->base = calloc((size_t)ids * (size_t)state->ranks + 1, sizeof *segment->base);
    segment->sent = calloc((size_t)ids * (size_t)state->ranks + 1, sizeof *segment->sent);
    segment->reached = calloc((size_t)state->ranks, sizeof *segment->reached);
    if (segment->range && segment->base && segment->sent && segment->reached &&
        make_queues(segment))
        return segment;
    summand__segment_drop(segment);
    return NULL;
}

static const struct summand__window_transport *named(const char *name)
{
    const struct summand__window_transport *const *row = summand__window_transports;
    while (*row && strcmp((*row)->name, name) != 0)
        row++;
    return *row;
}

static int refuse_name(const char *name)
{
    char names[64] = "";
    size_t used = 0;
    for (int t = 0; summand__window_transports[t] && used < sizeof names; t++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", t ? ", " : "",
                                 summand__window_transports[t]->name);
    return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.transport is \"%.64s\", not one of %s",
                           name, names);
}

static int check(const struct summand__state *state, MPI_Count bytes, int ids,
                 const struct summand_segment_options *options)
{
    const int most_ids = INT_MAX / state->ranks - SUMMAND__OWN_IDS;
    const MPI_Count most = (MPI_Count)(SIZE_MAX / 8);
    if (bytes < 0 || bytes > most)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "bytes is %lld, not 0 to %lld",
                               (long long)bytes, (long long)most);
    if (ids < 0 || ids > most_ids)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "ids is %d, not 0 to %d", ids, most_ids);
    if (options->queues < 0 || options->queues > SUMMAND__MOST_QUEUES)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.queues is %d, not 0 to %d",
                               options->queues, SUMMAND__MOST_QUEUES);
    if (options->depth < 0)
        return summand__refuse(SUMMAND_ERR_ARGUMENT, "options.depth is %d, not 0 or more",
                               options->depth);
    return options->transport && !named(options->transport) ? refuse_name(options->transport)
                                                            : MPI_SUCCESS;
}

static int open_window(struct summand_segment *segment, size_t bytes, const char *name)
{
    struct summand__state *state = segment->state;
    struct summand__window_spec spec = {.slot_bytes = &bytes,
                                        .slots = 1,
                                        .counters =
                                            (segment->ids + SUMMAND__OWN_IDS) * state->ranks};
    if (!name)
        return summand__window_open(state, &spec, 0, &segment->window);
    const struct summand__window_transport *transport = named(name);
    if (transport->available(state))
        return transport->open(state, &spec, &segment->window);
    return summand__refuse_as(MPI_ERR_UNSUPPORTED_OPERATION,
                              "options.transport is \"%s\", which does not join these ranks", name);
}

static void sign(struct summand__signature *signature, MPI_Count bytes, int ids, const char *name)
{
    summand__sign_call(signature, "summand_segment_create");
    summand__sign_number(signature, "bytes", bytes);
    summand__sign_number(signature, "ids", ids);
    summand__sign_word(signature, "options.transport", name ? name : "the best one");
}

int summand__segment_make(struct summand__state *state, MPI_Count bytes, int ids,
                          const struct summand_segment_options *options, int code,
                          struct summand_segment **made)
{
    struct summand__signature signature = {.count = 0};
    struct summand_segment *segment = NULL;
    const char *name = options->transport;
    *made = NULL;
    if (code == MPI_SUCCESS)
        code = check(state, bytes, ids, options);
    if (code == MPI_SUCCESS && !(segment = make_local(state, ids, options)))
        code = summand_error_code(SUMMAND_ERR_MEMORY);
    sign(&signature, bytes, ids, name);
    code = summand__agree(state, code, &signature);
    if (code != MPI_SUCCESS)
        summand__plan_abandon(state, summand__call_tag(state));
    else
        code = open_window(segment, (size_t)bytes, name);
    if (code != MPI_SUCCESS) {
        if (segment)
            summand__segment_drop(segment);
        return code;
    }
    segment->watch = (struct summand__watch){.channel = &state->channel,
                                             .plan = atomic_load(state->channel.entered),
                                             .plans = true,
                                             .describe = describe,
                                             .what = &segment->waiting};
    segment->window->watch = &segment->watch;
    *made = segment;
    return MPI_SUCCESS;
}

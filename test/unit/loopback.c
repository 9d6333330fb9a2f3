/* SPDX-License-Identifier: BSD-3-Clause */
#include "loopback.h"

#include <stdlib.h>
#include <string.h>

enum { LOOPBACK_TOO_LONG = 1 };

size_t loopback_taken;

static int post(struct summand__link *link, struct loopback_message message)
{
    struct loopback *end = (struct loopback *)link;
    if (end->posted == end->capacity) {
        end->capacity = 2 * end->capacity + 8;
        end->messages = realloc(end->messages, (size_t)end->capacity * sizeof *end->messages);
        if (!end->messages)
            abort();
    }
    end->messages[end->posted++] = message;
    return 0;
}

static int loopback_send(struct summand__link *link, const struct summand__message *message)
{
    return post(link, (struct loopback_message){.sending = true,
                                                .group = message->group,
                                                .peer = message->peer,
                                                .from = message->data,
                                                .count = message->count});
}

static int loopback_recv(struct summand__link *link, const struct summand__message *message)
{
    struct loopback_message recv = {.group = message->group,
                                    .peer = message->peer,
                                    .to = message->data,
                                    .count = message->count,
                                    .combines = message->combine};
    if (message->combine)
        recv.arrival = *message->combine;
    return post(link, recv);
}

static bool loopback_combines(const struct summand__link *link, int peer)
{
    const struct loopback *end = (const struct loopback *)link;
    return (end->rank - peer) % 2 == 0;
}

/* Combines the group's messages in the order of the receives, then clears their buffers. */
static void combine_group(struct loopback *end, unsigned group)
{
    for (int i = 0; i < end->posted; i++) {
        struct loopback_message *message = &end->messages[i];
        struct summand__arrival *arrival = &message->arrival;
        if (!message->combines || message->group != group)
            continue;
        const void *left = arrival->left ? message->to : arrival->with;
        const void *right = arrival->left ? arrival->with : message->to;
        void *joint = malloc(message->count * end->unit + 1);
        if (!joint)
            abort();
        memcpy(joint, right, message->count * end->unit);
        arrival->combine(arrival->context, left, joint, joint, message->count);
        if (message->to != arrival->out)
            memset(message->to, 0x5c, message->count * end->unit);
        memcpy(arrival->out, joint, message->count * end->unit);
        free(joint);
    }
}

/* The first open message of an end to or from this peer. */
static struct loopback_message *first_open(struct loopback *end, int peer, bool sending)
{
    for (int i = 0; i < end->posted; i++) {
        struct loopback_message *message = &end->messages[i];
        if (!message->done && message->peer == peer && message->sending == sending)
            return message;
    }
    return NULL;
}

static int loopback_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct loopback *end = (struct loopback *)link;
    int left = 0;
    (void)block; /* one process: others must run meanwhile */
    *done = true;
    for (int i = 0; i < end->posted; i++) {
        struct loopback_message *mine = &end->messages[i];
        if (mine->done)
            continue;
        struct loopback_message *theirs =
            first_open(&end->ranks[mine->peer], end->rank, !mine->sending);
        if (!theirs || first_open(end, mine->peer, mine->sending) != mine) {
            *done = *done && mine->group != group;
            continue;
        }
        const struct loopback_message *send = mine->sending ? mine : theirs;
        const struct loopback_message *recv = mine->sending ? theirs : mine;
        if (send->count > recv->count)
            return LOOPBACK_TOO_LONG;
        memcpy(recv->to, send->from, send->count * end->unit);
        mine->done = theirs->done = true;
    }
    if (*done)
        combine_group(end, group);
    for (int i = 0; *done && i < end->posted; i++)
        if (!end->messages[i].done)
            end->messages[left++] = end->messages[i];
    if (*done)
        end->posted = left;
    return 0;
}

/* Only on even ranks, and only if the end has no message under way. */
static bool loopback_take(struct summand__link *link, const struct summand__message *message,
                          bool soon)
{
    struct loopback *end = (struct loopback *)link;
    struct loopback_message *theirs = first_open(&end->ranks[message->peer], end->rank, true);
    (void)soon; /* one process */
    if (end->rank % 2 || end->posted || !theirs || theirs->count > message->count)
        return false;
    loopback_recv(link, message);
    memcpy(message->data, theirs->from, theirs->count * end->unit);
    theirs->done = true;
    combine_group(end, message->group);
    end->posted = 0;
    loopback_taken++;
    return true;
}

static const struct summand__transport transport = {.name = "loopback",
                                                    .send = loopback_send,
                                                    .recv = loopback_recv,
                                                    .take = loopback_take,
                                                    .combines = loopback_combines,
                                                    .complete = loopback_complete};

void loopback_open(struct loopback *ends, int ranks, size_t unit)
{
    for (int r = 0; r < ranks; r++)
        ends[r] = (struct loopback){
            {.transport = &transport, .abilities = SUMMAND__COMBINES}, ends, r, unit, NULL, 0, 0};
}

void loopback_close(struct loopback *ends, int ranks)
{
    for (int r = 0; r < ranks; r++)
        free(ends[r].messages);
}

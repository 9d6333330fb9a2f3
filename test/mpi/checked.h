/* SPDX-License-Identifier: BSD-3-Clause */
/* A transport over any other one: each message travels, as bytes, between a head with its number
 * and a trailer with a check word. It is received into the transport's own memory and combined
 * there. */
#ifndef SUMMAND_TEST_MPI_CHECKED_H
#define SUMMAND_TEST_MPI_CHECKED_H

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "transport/table.h"

static const struct summand__transport_entry *checked_lower; /* set before links are opened */
static bool checked_damages;                                 /* a byte of what is sent next */

enum { CHECKED_HEAD = 16, CHECKED_TRAILER = 8, CHECKED_RANKS = 16 };

struct checked_message {
    struct checked_message *next;
    struct summand__message message; /* as it was posted */
    struct summand__arrival arrival;
    bool sends;
    uint64_t number;
    unsigned char wire[]; /* head, data, trailer */
};

struct checked {
    struct summand__link link; /* first */
    struct summand__link *lower;
    MPI_Datatype datatype;
    size_t size, extent;
    struct checked_message *first, **last;
    uint64_t sent[CHECKED_RANKS + 1], got[2 * CHECKED_RANKS]; /* multicasts have their own */
};

static uint64_t checked_word(const unsigned char *bytes, size_t count)
{
    uint64_t sum = count;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ bytes[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* The number of data bytes. */
static struct checked_message *checked_new(struct checked *own,
                                           const struct summand__message *message, bool sends)
{
    size_t bytes = message->count * own->size;
    struct checked_message *made = calloc(1, sizeof *made + CHECKED_HEAD + bytes + CHECKED_TRAILER);
    bool multicast = message->flags & SUMMAND__MULTICAST;
    made->message = *message;
    made->sends = sends;
    if (sends)
        made->number = own->sent[multicast ? CHECKED_RANKS : message->peer]++;
    else
        made->number = own->got[message->peer + (multicast ? CHECKED_RANKS : 0)]++;
    if (message->combine) {
        made->arrival = *message->combine;
        made->message.combine = &made->arrival;
    }
    *own->last = made;
    own->last = &made->next;
    return made;
}

/* The same message as the transport below carries it. */
static struct summand__message checked_below(const struct checked *own,
                                             struct checked_message *made)
{
    struct summand__message below = made->message;
    below.data = made->wire;
    below.count = CHECKED_HEAD + made->message.count * own->size + CHECKED_TRAILER;
    below.combine = NULL;
    return below;
}

static int checked_send(struct summand__link *link, const struct summand__message *message)
{
    struct checked *own = (struct checked *)link;
    struct checked_message *made = checked_new(own, message, true);
    size_t bytes = message->count * own->size;
    int position = 0;
    memcpy(made->wire, &made->number, sizeof made->number);
    memcpy(made->wire + 8, &bytes, sizeof bytes);
    MPI_Pack(message->data, (int)message->count, own->datatype, made->wire + CHECKED_HEAD,
             (int)bytes, &position, MPI_COMM_WORLD);
    uint64_t word = checked_word(made->wire, CHECKED_HEAD + bytes);
    memcpy(made->wire + CHECKED_HEAD + bytes, &word, sizeof word);
    made->wire[CHECKED_HEAD] ^= checked_damages;
    struct summand__message below = checked_below(own, made);
    return own->lower->transport->send(own->lower, &below);
}

static int checked_recv(struct summand__link *link, const struct summand__message *message)
{
    struct checked *own = (struct checked *)link;
    struct summand__message below = checked_below(own, checked_new(own, message, false));
    return own->lower->transport->recv(own->lower, &below);
}

static bool checked_combines(const struct summand__link *link, int peer)
{
    const struct checked *own = (const struct checked *)link;
    (void)peer;
    return own->size == own->extent;
}

/* A message may be shorter than its receive. */
static int checked_deliver(const struct checked *own, const struct checked_message *made)
{
    const struct summand__arrival *arrival = made->message.combine;
    const unsigned char *data = made->wire + CHECKED_HEAD;
    size_t bytes;
    uint64_t number, word;
    int position = 0;
    memcpy(&number, made->wire, sizeof number);
    memcpy(&bytes, made->wire + 8, sizeof bytes);
    if (number != made->number || bytes > made->message.count * own->size)
        return MPI_ERR_OTHER;
    memcpy(&word, data + bytes, sizeof word);
    if (word != checked_word(made->wire, CHECKED_HEAD + bytes))
        return MPI_ERR_OTHER;
    if (!arrival)
        return MPI_Unpack(data, (int)bytes, &position, made->message.data, (int)(bytes / own->size),
                          own->datatype, MPI_COMM_WORLD);
    arrival->combine(arrival->context, arrival->left ? data : arrival->with,
                     arrival->left ? arrival->with : data, arrival->out, bytes / own->size);
    return MPI_SUCCESS;
}

static int checked_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct checked *own = (struct checked *)link;
    int code = own->lower->transport->complete(own->lower, group, block, done);
    link->moves = own->lower->moves;
    if (code != MPI_SUCCESS || !*done)
        return code;
    for (struct checked_message **at = &own->first, *made; (made = *at);) {
        if (made->message.group != group) {
            at = &made->next;
            continue;
        }
        if (!made->sends && code == MPI_SUCCESS)
            code = checked_deliver(own, made);
        *at = made->next;
        free(made);
    }
    for (own->last = &own->first; *own->last;)
        own->last = &(*own->last)->next;
    return code;
}

static bool checked_progress(struct summand__link *link, bool *sending)
{
    struct checked *own = (struct checked *)link;
    return own->lower->transport->progress(own->lower, sending);
}

static void checked_awaited(const struct summand__link *link, void (*each)(void *, int),
                            void *context)
{
    const struct checked *own = (const struct checked *)link;
    own->lower->transport->awaited(own->lower, each, context);
}

static bool checked_available(const struct summand__state *state)
{
    return checked_lower->available(state);
}

static unsigned checked_abilities(const struct summand__state *state)
{
    return checked_lower->abilities(state) | SUMMAND__COMBINES;
}

static void checked_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    struct checked *own = (struct checked *)link;
    MPI_Aint lb, extent;
    int size;
    MPI_Type_size(datatype, &size);
    MPI_Type_get_extent(datatype, &lb, &extent);
    own->datatype = datatype;
    own->size = (size_t)size;
    own->extent = (size_t)extent;
}

static void checked_set_tag(struct summand__link *link, int tag)
{
    struct checked *own = (struct checked *)link;
    summand__link_set_tag(own->lower, tag);
}

static void checked_set_watch(struct summand__link *link, struct summand__watch *watch)
{
    struct checked *own = (struct checked *)link;
    link->wait.watch = watch;
    summand__transport_of(own->lower)->set_watch(own->lower, watch);
}

static void checked_abort(struct summand__state *state, int tag)
{
    checked_lower->abort(state, tag);
}

static bool checked_close(struct summand__link *link)
{
    struct checked *own = (struct checked *)link;
    bool ended = summand__transport_of(own->lower)->close(own->lower);
    for (struct checked_message *made = own->first, *next; made && ended; made = next) {
        next = made->next;
        free(made);
    }
    free(own);
    return ended;
}

static struct summand__link *checked_open(const struct summand__link_spec *spec);

static const struct summand__transport_entry checked_transport = {
    .transport = {.name = "checked",
                  .send = checked_send,
                  .recv = checked_recv,
                  .combines = checked_combines,
                  .complete = checked_complete,
                  .progress = checked_progress,
                  .awaited = checked_awaited},
    .available = checked_available,
    .abilities = checked_abilities,
    .open = checked_open,
    .close = checked_close,
    .set_datatype = checked_set_datatype,
    .set_tag = checked_set_tag,
    .set_watch = checked_set_watch,
    .abort = checked_abort};

static struct summand__link *checked_open(const struct summand__link_spec *spec)
{
    struct checked *own = calloc(1, sizeof *own);
    struct summand__link_spec below = *spec;
    below.datatype = MPI_BYTE;
    own->lower = checked_lower->open(&below);
    own->last = &own->first;
    own->link = (struct summand__link){.transport = &checked_transport.transport,
                                       .abilities = checked_abilities(spec->state),
                                       .tag = spec->tag,
                                       .head = CHECKED_HEAD,
                                       .trailer = CHECKED_TRAILER};
    checked_set_datatype(&own->link, spec->datatype);
    return &own->link;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages with seals, over any other transport. Below, all are bytes: those of elements with gaps
 * are packed. A short message lies behind its seal, in memory of this link; a long one is sent and
 * received where it lies, and its seal follows. If the transport below combines, it shows the bytes
 * of a long one piece by piece, while they are in a cache: at one end before they leave, at the
 * other end to be copied or combined at once. Otherwise they are seen again when their group is
 * complete. Cost: a check word of each byte at both ends; a copy of short messages at both ends,
 * and a second short message with a long one. */
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "kernel/stream.h"
#include "op/datatype_layout.h"
#include "op/packing.h"
#include "transport/over.h"
#include "transport/sealed_link.h"

enum {
    SHORT = 2048,
    PIECE = 16384 /* bytes of which transports below make pieces that they show */
};

_Static_assert(SUMMAND__SEALED_CHUNK % PIECE == 0, "a piece has whole elements of one chunk");

static struct summand__sealed *of(struct summand__link *link)
{
    return (struct summand__sealed *)link;
}

static bool grow(struct summand__sealed_memory *memory, size_t need)
{
    if (memory->room >= need)
        return true;
    free(memory->of);
    memory->of = malloc(need);
    memory->room = memory->of ? need : 0;
    return memory->of != NULL;
}

/* A message may be shorter than its receive only if it is packed by the operator. */
static bool is_framed(const struct summand__message *message, size_t bytes)
{
    return message->flags & SUMMAND__VARIABLE || bytes <= SHORT;
}

/* The number and the ends of a message. */
static struct summand__seal_head head_of(const struct summand__sealed *own,
                                         const struct summand__message *message, bool sends)
{
    const int ranks = own->state->ranks, peer = message->peer;
    bool multicast = message->flags & SUMMAND__MULTICAST;
    uint32_t *step =
        sends ? &own->sent[multicast ? ranks : peer] : &own->got[multicast ? ranks + peer : peer];
    return (struct summand__seal_head){.tag = (uint32_t)own->over.link.tag,
                                       .step = (*step)++,
                                       .source = sends ? own->self : peer,
                                       .target = multicast ? -1
                                                 : sends   ? peer
                                                           : own->self,
                                       .length = message->count * own->packing.size};
}

/* True if the transport below shows the bytes. What combines must be whole elements in each piece,
 * and not overtake an operand that is combined later. */
static bool streams(const struct summand__sealed *own, const struct summand__sealed_message *made)
{
    const struct summand__link *lower = own->over.lower;
    if (made->framed || !(lower->abilities & SUMMAND__COMBINES) ||
        !lower->transport->combines(lower, made->message.peer))
        return false;
    if (made->sends)
        return true;
    if (made->message.combine && own->repairs)
        return false; /* the operand is lost when the damage is seen */
    bool alone = true;
    for (const struct summand__sealed_message *other = own->first; other; other = other->next)
        alone = alone && (other->sends || !other->message.combine || other->streams);
    return own->dense && (!made->message.combine || (alone && PIECE % made->unit == 0));
}

/* Lists a message; NULL when out of memory. */
static struct summand__sealed_message *list(struct summand__sealed *own,
                                            const struct summand__message *message, bool sends)
{
    struct summand__sealed_message *made = own->free ? own->free : calloc(1, sizeof *made);
    if (!made)
        return NULL;
    if (own->free)
        own->free = made->next;
    *made = (struct summand__sealed_message){.message = *message,
                                             .sends = sends,
                                             .seal = made->seal,
                                             .packed = made->packed,
                                             .check = made->check};
    made->head = head_of(own, message, sends);
    made->framed = is_framed(message, made->head.length);
    made->unit = message->combine ? own->packing.size : 1;
    made->offset = own->offset;
    made->extent = own->packing.extent;
    made->streams = streams(own, made);
    if (message->combine)
        made->arrival = *message->combine;
    made->copies = sends && own->repairs && own->dense && !made->framed &&
                   !(message->flags & SUMMAND__LASTING);
    made->order = own->log.posted++;
    made->number = sends ? ++own->log.moved : 0;
    *own->last = made;
    own->last = &made->next;
    const size_t length = made->head.length;
    bool good = grow(&made->seal, summand__sealed_wire_bytes(made)) &&
                grow(&made->check, summand__seal_words_bytes(length) + 4) &&
                ((own->dense && !made->copies) || made->framed || grow(&made->packed, length + 1));
    made->words = (struct summand__seal_words){(uint32_t *)(void *)made->check.of, 0};
    if (good && own->repairs)
        summand__repairs_posted(own, made);
    return good ? made : NULL;
}

/* Passes a part of the message on. */
static int pass(struct summand__sealed *own, const struct summand__sealed_message *made, void *data,
                size_t bytes, const struct summand__arrival *arrival)
{
    const struct summand__transport *lower = own->over.lower->transport;
    struct summand__message below = made->message;
    below.data = data;
    below.count = bytes;
    below.combine = arrival;
    return (made->sends ? lower->send : lower->recv)(own->over.lower, &below);
}

/* What the transport below calls for the bytes. */
static struct summand__arrival arrival_of(const struct summand__sealed *own,
                                          const struct summand__sealed_message *made)
{
    const struct summand__arrival *arrival = &made->arrival;
    if (made->sends)
        return (struct summand__arrival){.combine = summand__sealed_leave, .context = made};
    if (!made->message.combine)
        return (struct summand__arrival){.combine = summand__sealed_arrive,
                                         .context = made,
                                         .alone = true,
                                         .out = (unsigned char *)made->message.data + own->offset};
    return (struct summand__arrival){.combine = summand__sealed_arrive,
                                     .context = made,
                                     .with = (const unsigned char *)arrival->with + own->offset,
                                     .out = (unsigned char *)arrival->out + own->offset,
                                     .left = arrival->left};
}

static int pass_data(struct summand__sealed *own, struct summand__sealed_message *made)
{
    if (made->framed)
        return MPI_SUCCESS;
    made->below = arrival_of(own, made);
    return pass(own, made, summand__sealed_bytes(own, made, made->head.length), made->head.length,
                made->streams ? &made->below : NULL);
}

static int sealed_send(struct summand__link *link, const struct summand__message *message)
{
    struct summand__sealed *own = of(link);
    struct summand__sealed_message *made = list(own, message, true);
    if (!made)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    unsigned char *bytes = summand__sealed_bytes(own, made, made->head.length);
    int code = MPI_SUCCESS;
    if (!own->dense)
        code = summand__pack(&own->packing, message->data, message->count, bytes);
    else if (made->framed && made->head.length)
        summand__copy_bytes(bytes, (unsigned char *)message->data + own->offset, made->head.length);
    if (code == MPI_SUCCESS)
        code = pass_data(own, made); /* first: it moves while its seal is made */
    if (code != MPI_SUCCESS)
        return code;
    if (!made->streams)
        summand__sealed_leave(made, bytes, NULL, NULL, made->head.length);
    made->bytes = made->copies ? made->packed.of : bytes;
    return pass(own, made, made->seal.of, summand__sealed_wire_bytes(made), NULL);
}

static int sealed_recv(struct summand__link *link, const struct summand__message *message)
{
    struct summand__sealed *own = of(link);
    struct summand__sealed_message *made = list(own, message, false);
    if (!made)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    int code = pass_data(own, made);
    return code == MPI_SUCCESS
               ? pass(own, made, made->seal.of, summand__sealed_wire_bytes(made), NULL)
               : code;
}

/* All ranks that this one has sent to have all: what was kept is free. */
static void release(struct summand__sealed *own)
{
    for (struct summand__sealed_message *over = own->kept, *next; over; over = next) {
        next = over->next;
        over->next = own->free;
        own->free = over;
    }
    own->kept = NULL;
    if (own->notes)
        summand__repairs_reap(own); /* an error is one of the next call, too */
}

static int end(struct summand__sealed *own, bool *done)
{
    int code = summand__repairs_end(own, done);
    if (code == MPI_SUCCESS && *done)
        release(own);
    return code;
}

static int complete_once(struct summand__sealed *own, unsigned group, bool block, bool *done)
{
    if (group == SUMMAND__WHOLE_OPERATION)
        return end(own, done);
    int code = summand__over_complete(&own->over.link, group, block, done);
    return code == MPI_SUCCESS && *done && own->first ? summand__sealed_deliver(own, group, done)
                                                      : code;
}

/* One poll of messages and notes. */
static int poll_both(struct summand__sealed *own, unsigned group, bool *done)
{
    int code = own->code != MPI_SUCCESS ? own->code : complete_once(own, group, false, done);
    if (code == MPI_SUCCESS && !*done && group != SUMMAND__WHOLE_OPERATION) /* which has served */
        code = summand__repairs_serve(own);
    if (code == MPI_SUCCESS && !*done)
        code = summand__repairs_lost(own);
    own->over.link.moves = own->over.lower->moves + own->note_moves;
    return code;
}

static int sealed_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct summand__sealed *own = of(link);
    if (!own->repairs)
        return complete_once(own, group, block, done);
    *done = false;
    int over = MPI_SUCCESS, code = poll_both(own, group, done);
    while (block && code == MPI_SUCCESS && !*done && over == MPI_SUCCESS) {
        const unsigned before = link->moves;
        over = summand__wait_turn(&link->wait);
        code = poll_both(own, group, done);
        if (link->moves != before)
            summand__backoff_reset(&link->wait.backoff);
    }
    if (block)
        summand__backoff_reset(&link->wait.backoff);
    return code == MPI_SUCCESS && !*done ? over : code;
}

static bool sealed_progress(struct summand__link *link, bool *sending)
{
    struct summand__sealed *own = of(link);
    bool moved = summand__over_progress(link, sending);
    if (!own->repairs)
        return moved;
    const unsigned before = own->note_moves;
    if (own->code == MPI_SUCCESS)
        own->code = summand__repairs_serve(own);
    link->moves += own->note_moves;
    return moved || own->note_moves != before;
}

static void sealed_awaited(const struct summand__link *link, void (*each)(void *, int),
                           void *context)
{
    summand__over_awaited(link, each, context);
    if (((const struct summand__sealed *)link)->repairs)
        summand__repairs_awaited((const struct summand__sealed *)link, each, context);
}

static bool sealed_available(const struct summand__state *state)
{
    return summand__transport_for(state) != NULL;
}

/* What is seen piece by piece goes through the queue, as far as the library may choose. */
static unsigned sealed_over(int checked, unsigned abilities)
{
    abilities &= ~(unsigned)SUMMAND__RENDEZVOUS_READ;
    return checked != SUMMAND__CORRECT
               ? abilities
               : (abilities & ~(unsigned)SUMMAND__YIELDS) | SUMMAND__ENDS | SUMMAND__LITTERS;
}

static unsigned sealed_abilities(const struct summand__state *state)
{
    return sealed_over(state->checked, summand__transport_for(state)->abilities(state));
}

static void sealed_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    struct summand__sealed *own = of(link);
    struct summand__datatype type = {0};
    summand__datatype_read(datatype, &type);
    own->packing = (struct summand__packing){datatype, own->state->channel.comm, (size_t)type.size,
                                             (size_t)type.extent};
    own->dense = type.dense;
    own->offset = own->dense ? (size_t)type.true_lb : 0;
}

/* An operation begins, so messages are numbered anew; starts of a plan that keeps its tag go on.
 * The tag may be the one before: they come round. */
static void sealed_set_tag(struct summand__link *link, int tag)
{
    struct summand__sealed *own = of(link);
    size_t ranks = (size_t)own->state->ranks;
    memset(own->sent, 0, (3 * ranks + 1) * sizeof *own->sent);
    summand__over_set_tag(link, tag);
}

static void sealed_resume(struct summand__link *link, struct summand__link *stopped)
{
    uint32_t *sent = of(link)->sent, *got = of(link)->got;
    of(link)->sent = of(stopped)->sent;
    of(link)->got = of(stopped)->got;
    of(stopped)->sent = sent;
    of(stopped)->got = got;
    of(link)->log.posted = of(link)->log.moved = 0;
    of(link)->log.repeats = false;
    release(of(link)); /* as `stopped` has compared words of all ranks, if this one has kept any */
}

static void sealed_abort(struct summand__state *state, int tag)
{
    summand__transport_for(state)->abort(state, tag);
}

static bool sealed_close(struct summand__link *link)
{
    struct summand__sealed *own = of(link);
    bool ended = !own->over.lower || summand__transport_of(own->over.lower)->close(own->over.lower);
    if (ended) /* else the MPI may still use them */
        summand__sealed_free(own->first);
    summand__sealed_free(own->free);
    summand__repairs_close(own);
    free(own->log.of);
    free(own->sent);
    free(own);
    return ended;
}

static const struct summand__transport_entry *entry_over(const struct summand__link *lower);

/* The number of this rank in the schedule. */
static int self_of(const struct summand__link_spec *spec)
{
    int self = spec->state->rank;
    if (spec->rank_of)
        for (self = 0; spec->rank_of[self] != spec->state->rank;)
            self++;
    return self;
}

static struct summand__link *sealed_open(const struct summand__link_spec *spec)
{
    struct summand__sealed *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    const struct summand__transport_entry *entry =
        spec->lower ? spec->lower : summand__transport_for(spec->state);
    struct summand__link_spec below = *spec;
    below.datatype = MPI_BYTE;
    below.lower = NULL;
    below.most = 2 * spec->most;
    const size_t ranks = (size_t)spec->state->ranks;
    own->over.lower = entry->open(&below);
    own->sent = calloc(3 * ranks + 1, sizeof *own->sent);
    own->last = &own->first;
    own->state = spec->state;
    own->rank_of = spec->rank_of;
    own->self = self_of(spec);
    own->over.link = (struct summand__link){.tag = spec->tag};
    bool good = own->over.lower && own->sent;
    if (good && spec->checked == SUMMAND__CORRECT)
        good = summand__repairs_open(own);
    if (!good) {
        sealed_close(&own->over.link);
        return NULL;
    }
    own->got = own->sent + ranks + 1;
    own->over.link.transport = &entry_over(own->over.lower)->transport;
    own->over.link.abilities = sealed_over(spec->checked, own->over.lower->abilities);
    own->silent = spec->compared;
    if (spec->compared)
        own->over.link.abilities &= ~(unsigned)SUMMAND__ENDS;
    own->over.link.wait = own->over.lower->wait;
    sealed_set_datatype(&own->over.link, spec->datatype);
    return &own->over.link;
}

#define SEALED(text)                                                                               \
    {                                                                                              \
        .transport = {.name = text,                                                                \
                      .send = sealed_send,                                                         \
                      .recv = sealed_recv,                                                         \
                      .combines = summand__over_combines,                                          \
                      .complete = sealed_complete,                                                 \
                      .progress = sealed_progress,                                                 \
                      .awaited = sealed_awaited},                                                  \
        .available = sealed_available, .abilities = sealed_abilities, .open = sealed_open,         \
        .close = sealed_close, .set_datatype = sealed_set_datatype, .set_tag = sealed_set_tag,     \
        .resume = sealed_resume, .set_watch = summand__over_set_watch, .abort = sealed_abort       \
    }

const struct summand__transport_entry summand__sealed_transport = SEALED("sealed");

/* The names of links say over which transport, too. */
static const struct summand__transport_entry *entry_over(const struct summand__link *lower)
{
    static const struct summand__transport_entry entries[] = {
        SEALED("shm, sealed"), SEALED("shm and p2p, sealed"), SEALED("p2p, sealed")};
    const size_t length = strlen(lower->transport->name);
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (!strncmp(entries[i].transport.name, lower->transport->name, length) &&
            entries[i].transport.name[length] == ',')
            return &entries[i];
    return &summand__sealed_transport;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages with seals, over any other transport. Below, all are bytes: those of elements with gaps
 * are packed. A short message lies behind its seal, in memory of this link; a long one is sent and
 * received where it lies, and its seal follows. Operands are combined when their group is complete,
 * each chunk after its check. Cost: a check word of each byte at both ends; a copy of short
 * messages at both ends, and a second short message with a long one; nothing is combined in the
 * queue. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "op/packing.h"
#include "process/damaged.h"
#include "process/datatype.h"
#include "transport/over.h"
#include "transport/sealed.h"

enum { SHORT = 2048, CHUNK = SUMMAND__SEALED_CHUNK };

struct sealed_message {
    struct sealed_message *next;
    struct summand__message message; /* as it was posted */
    struct summand__arrival arrival;
    struct summand__seal_head head;
    bool sends, framed; /* framed: the data lie behind the seal */
    unsigned char *seal, *packed;
    size_t seal_room, packed_room;
};

struct sealed {
    struct summand__over over; /* first */
    const struct summand__state *state;
    struct summand__packing packing;
    const int *rank_of;
    int self; /* this rank's number among those of the schedule */
    size_t offset;
    bool dense;
    struct sealed_message *first, **last, *free;
    uint32_t *sent, *got; /* by rank: numbers of messages; behind them, of multicasts */
};

static struct sealed *of(struct summand__link *link)
{
    return (struct sealed *)link;
}

static bool grow(unsigned char **memory, size_t *room, size_t need)
{
    if (*room >= need)
        return true;
    free(*memory);
    *memory = malloc(need);
    *room = *memory ? need : 0;
    return *memory != NULL;
}

/* A message may be shorter than its receive only if it is packed by the operator. */
static bool is_framed(const struct summand__message *message, size_t bytes)
{
    return message->flags & SUMMAND__VARIABLE || bytes <= SHORT;
}

static size_t wire_bytes(const struct sealed_message *made)
{
    size_t bytes = (size_t)made->head.length;
    return summand__seal_bytes(bytes) + (made->framed ? bytes : 0);
}

/* The number and the ends of a message. */
static struct summand__seal_head head_of(const struct sealed *own,
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

/* Lists a message; NULL when out of memory. */
static struct sealed_message *list(struct sealed *own, const struct summand__message *message,
                                   bool sends)
{
    struct sealed_message *made = own->free ? own->free : calloc(1, sizeof *made);
    if (!made)
        return NULL;
    if (own->free)
        own->free = made->next;
    made->next = NULL;
    made->message = *message;
    made->sends = sends;
    made->head = head_of(own, message, sends);
    made->framed = is_framed(message, made->head.length);
    if (message->combine)
        made->arrival = *message->combine;
    *own->last = made;
    own->last = &made->next;
    bool good = grow(&made->seal, &made->seal_room, wire_bytes(made)) &&
                (own->dense || made->framed ||
                 grow(&made->packed, &made->packed_room, made->head.length + 1));
    return good ? made : NULL;
}

/* Where the bytes of the message lie. */
static unsigned char *bytes_of(const struct sealed *own, const struct sealed_message *made,
                               size_t length)
{
    return made->framed ? made->seal + summand__seal_bytes(length)
           : own->dense ? (unsigned char *)made->message.data + own->offset
                        : made->packed;
}

/* Passes a part of the message on. */
static int pass(struct sealed *own, const struct sealed_message *made, void *data, size_t bytes)
{
    const struct summand__transport *lower = own->over.lower->transport;
    struct summand__message below = made->message;
    below.data = data;
    below.count = bytes;
    below.combine = NULL;
    return (made->sends ? lower->send : lower->recv)(own->over.lower, &below);
}

static int pass_all(struct sealed *own, const struct sealed_message *made)
{
    int code = MPI_SUCCESS;
    if (!made->framed)
        code = pass(own, made, bytes_of(own, made, made->head.length), made->head.length);
    return code;
}

static int sealed_send(struct summand__link *link, const struct summand__message *message)
{
    struct sealed *own = of(link);
    struct sealed_message *made = list(own, message, true);
    if (!made)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    unsigned char *bytes = bytes_of(own, made, made->head.length);
    int code = MPI_SUCCESS;
    if (!own->dense)
        code = summand__pack(&own->packing, message->data, message->count, bytes);
    else if (made->framed && made->head.length)
        memcpy(bytes, (unsigned char *)message->data + own->offset, made->head.length);
    if (code == MPI_SUCCESS)
        code = pass_all(own, made); /* first: it moves while its seal is made */
    if (code != MPI_SUCCESS)
        return code;
    summand__seal_write(made->seal, &made->head, bytes);
    return pass(own, made, made->seal, wire_bytes(made));
}

static int sealed_recv(struct summand__link *link, const struct summand__message *message)
{
    struct sealed *own = of(link);
    struct sealed_message *made = list(own, message, false);
    if (!made)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    int code = pass_all(own, made);
    return code == MPI_SUCCESS ? pass(own, made, made->seal, wire_bytes(made)) : code;
}

static bool sealed_combines(const struct summand__link *link, int peer)
{
    (void)link, (void)peer;
    return true;
}

static int rank_of(const struct sealed *own, int rank)
{
    return own->rank_of ? own->rank_of[rank] : rank;
}

static int complain(const struct sealed *own, const struct sealed_message *made, const char *why)
{
    return summand__refuse_damaged(
        own->state->rank, own->state->ranks,
        "message %u from rank %d (operation %u, %llu bytes) is damaged: %s", made->head.step,
        rank_of(own, made->message.peer), made->head.tag, (unsigned long long)made->head.length,
        why);
}

/* Combines elements [begin, end); `elements`: the address of the first that arrived. */
static void combine(const struct sealed *own, const struct sealed_message *made,
                    const unsigned char *elements, size_t begin, size_t end)
{
    const struct summand__arrival *arrival = &made->arrival;
    const unsigned char *here = elements + begin * own->packing.extent;
    const unsigned char *with = (const unsigned char *)arrival->with + begin * own->packing.extent;
    if (begin < end)
        arrival->combine(arrival->context, arrival->left ? here : with, arrival->left ? with : here,
                         (unsigned char *)arrival->out + begin * own->packing.extent, end - begin);
}

/* Checks a message that has arrived, and delivers it. */
static int deliver(const struct sealed *own, const struct sealed_message *made)
{
    char why[120];
    size_t length, done = 0;
    if (!summand__seal_read(made->seal, &made->head, &length, why, sizeof why))
        return complain(own, made, why);
    if (length != made->head.length && !(made->message.flags & SUMMAND__VARIABLE))
        return complain(own, made, "shorter than expected: the counts of the ranks differ");
    unsigned char *bytes = bytes_of(own, made, length), *data = made->message.data;
    size_t chunks = summand__seal_chunks(length);
    for (size_t c = 0; c < chunks; c++) {
        if (!summand__seal_holds(made->seal, bytes, length, c)) {
            snprintf(why, sizeof why, "chunk %zu of %zu", c + 1, chunks);
            return complain(own, made, why);
        }
        size_t end = (c + 1 < chunks ? (c + 1) * CHUNK : length) / own->packing.size;
        if (made->message.combine && own->dense)
            combine(own, made, bytes - own->offset, done, end);
        done = end;
    }
    if (own->dense && !made->message.combine && made->framed && length)
        memcpy(data + own->offset, bytes, length);
    if (own->dense || !length)
        return MPI_SUCCESS;
    int code = summand__unpack(&own->packing, bytes, data, length / own->packing.size);
    if (code == MPI_SUCCESS && made->message.combine)
        combine(own, made, data, 0, length / own->packing.size);
    return code;
}

/* Delivers the messages of a complete group in the order of posting. */
static int deliver_group(struct sealed *own, unsigned group)
{
    int code = MPI_SUCCESS;
    struct sealed_message **at = &own->first, *made;
    while ((made = *at)) {
        if (made->message.group != group) {
            at = &made->next;
            continue;
        }
        if (!made->sends && code == MPI_SUCCESS)
            code = deliver(own, made);
        *at = made->next;
        made->next = own->free;
        own->free = made;
    }
    own->last = at;
    return code;
}

static int sealed_complete(struct summand__link *link, unsigned group, bool block, bool *done)
{
    struct sealed *own = of(link);
    int code = summand__over_complete(link, group, block, done);
    return code == MPI_SUCCESS && *done && own->first ? deliver_group(own, group) : code;
}

static bool sealed_available(const struct summand__state *state)
{
    return summand__transport_for(state) != NULL;
}

static unsigned sealed_over(unsigned abilities)
{
    return (abilities & ~(unsigned)SUMMAND__RENDEZVOUS_READ) | SUMMAND__COMBINES;
}

static unsigned sealed_abilities(const struct summand__state *state)
{
    return sealed_over(summand__transport_for(state)->abilities(state));
}

static void sealed_set_datatype(struct summand__link *link, MPI_Datatype datatype)
{
    struct sealed *own = of(link);
    MPI_Aint lb, extent, true_lb, true_extent;
    MPI_Count size = 0;
    PMPI_Type_get_extent(datatype, &lb, &extent);
    PMPI_Type_get_true_extent(datatype, &true_lb, &true_extent);
    summand__type_size(datatype, &size);
    own->packing =
        (struct summand__packing){datatype, own->state->channel.comm, (size_t)size, (size_t)extent};
    own->dense = size == true_extent && extent == true_extent;
    own->offset = own->dense ? (size_t)true_lb : 0;
}

/* Messages are numbered anew with each tag: a plan that keeps its tag continues. */
static void sealed_set_tag(struct summand__link *link, int tag)
{
    struct sealed *own = of(link);
    size_t ranks = (size_t)own->state->ranks;
    if (tag != own->over.lower->tag)
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
}

static void sealed_abort(struct summand__state *state, int tag)
{
    summand__transport_for(state)->abort(state, tag);
}

static void free_list(struct sealed_message *made)
{
    for (struct sealed_message *next; made; made = next) {
        next = made->next;
        free(made->seal);
        free(made->packed);
        free(made);
    }
}

static bool sealed_close(struct summand__link *link)
{
    struct sealed *own = of(link);
    bool ended = !own->over.lower || summand__transport_of(own->over.lower)->close(own->over.lower);
    if (ended) /* else the MPI may still use them */
        free_list(own->first);
    free_list(own->free);
    free(own->sent);
    free(own);
    return ended;
}

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
    struct sealed *own = calloc(1, sizeof *own);
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
    own->over.link =
        (struct summand__link){.transport = &summand__sealed_transport.transport, .tag = spec->tag};
    if (!own->over.lower || !own->sent) {
        sealed_close(&own->over.link);
        return NULL;
    }
    own->got = own->sent + ranks + 1;
    own->over.link.abilities = sealed_over(own->over.lower->abilities);
    own->over.link.wait = own->over.lower->wait;
    sealed_set_datatype(&own->over.link, spec->datatype);
    return &own->over.link;
}

const struct summand__transport_entry summand__sealed_transport = {
    .transport = {.name = "sealed",
                  .send = sealed_send,
                  .recv = sealed_recv,
                  .combines = sealed_combines,
                  .complete = sealed_complete,
                  .progress = summand__over_progress,
                  .awaited = summand__over_awaited},
    .available = sealed_available,
    .abilities = sealed_abilities,
    .open = sealed_open,
    .close = sealed_close,
    .set_datatype = sealed_set_datatype,
    .set_tag = sealed_set_tag,
    .resume = sealed_resume,
    .set_watch = summand__over_set_watch,
    .abort = sealed_abort};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/sealed_link.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "fabric/segment.h"
#include "kernel/seal.h"
#include "process/damaged.h"
#include "wait/channel.h"

enum kind { REQUEST, REPEAT, WHOLE };

struct head {
    uint32_t self; /* CRC32C of the rest of the head: what follows it has check words */
    uint32_t kind, tag, step;
    int32_t from;         /* rank of the schedule */
    int32_t target;       /* of the message; -1: a multicast */
    uint32_t part, bytes; /* that follow the heads */
};

/* What travels: the head twice, so that damage of one is none. */
enum { HEADS = 2 };
struct summand__note {
    struct summand__note *next;
    int to; /* a rank of the schedule */
    MPI_Request request;
    struct head head[HEADS];
    unsigned char bytes[]; /* directly behind the heads */
};

static uint32_t self_of(const struct head *head)
{
    return summand__seal_kernels()->crc32c(0, (const unsigned char *)head + sizeof head->self,
                                           sizeof *head - sizeof head->self);
}

static int tag_of(const struct summand__sealed *own)
{
    return summand__channel_tag(&own->state->channel, SUMMAND__REPAIR_TAG);
}

int summand__repairs_reap(struct summand__sealed *own)
{
    int code = MPI_SUCCESS;
    for (struct summand__note **at = &own->notes, *note; code == MPI_SUCCESS && (note = *at);) {
        int done = 0;
        code = PMPI_Test(&note->request, &done, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || !done) {
            at = &note->next;
            continue;
        }
        *at = note->next;
        free(note);
    }
    return code;
}

static int send(struct summand__sealed *own, int to, struct head head, const void *bytes)
{
    const struct summand__channel *channel = &own->state->channel;
    struct summand__note *note = malloc(sizeof *note + head.bytes);
    if (!note)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    note->to = to;
    head.tag = (uint32_t)own->over.link.tag;
    head.from = own->self;
    head.self = self_of(&head);
    note->head[0] = note->head[1] = head;
    if (bytes)
        memcpy(note->bytes, bytes, head.bytes);
    const int peer = summand__channel_peer(channel, summand__sealed_rank(own, to));
    int code = PMPI_Isend(note->head, (int)(sizeof note->head + head.bytes), MPI_BYTE, peer,
                          tag_of(own), channel->comm, &note->request);
    if (code != MPI_SUCCESS) {
        free(note);
        return code;
    }
    note->next = own->notes;
    own->notes = note;
    return MPI_SUCCESS;
}

void summand__repairs_posted(struct summand__sealed *own,
                             const struct summand__sealed_message *made)
{
    bool *of = made->sends ? own->heard_by : own->hears;
    if (own->silent)
        return;
    if (!made->sends || made->head.target >= 0)
        of[made->message.peer] = true;
    for (int r = 0; made->sends && made->head.target < 0 && r < own->state->ranks; r++)
        of[r] = of[r] || r != own->self;
}

int summand__repairs_ask(struct summand__sealed *own, struct summand__sealed_message *made,
                         uint32_t part)
{
    made->asked = true;
    made->part = part;
    made->tries++;
    const struct head head = {
        .kind = REQUEST, .step = made->head.step, .target = made->head.target, .part = part};
    return send(own, made->message.peer, head, NULL);
}

/* A message that this rank sends to `peer`, or gets from it; or NULL. */
static struct summand__sealed_message *find_in(struct summand__sealed_message *made, bool sends,
                                               const struct head *head)
{
    for (; made; made = made->next)
        if (made->sends == sends && made->head.step == head->step &&
            made->head.target == head->target &&
            ((sends && head->target < 0) || made->message.peer == head->from))
            break;
    return made;
}

/* The message that a request is about: in flight, or kept. */
static struct summand__sealed_message *sent_in(const struct summand__sealed *own,
                                               const struct head *head)
{
    struct summand__sealed_message *made = find_in(own->kept, true, head);
    return made ? made : find_in(own->first, true, head);
}

/* Answers with the part; with nothing if there is no such part, as when the ranks' counts differ.
 */
static int repeat(struct summand__sealed *own, const struct head *asked)
{
    const struct summand__sealed_message *made = sent_in(own, asked);
    struct head head = {
        .kind = REPEAT, .step = asked->step, .target = asked->target, .part = asked->part};
    const unsigned char *bytes = NULL;
    const size_t at = (size_t)asked->part * SUMMAND__SEALED_CHUNK;
    if (asked->part == SUMMAND__SEAL_PART) {
        bytes = made->seal.of;
        head.bytes = (uint32_t)summand__sealed_wire_bytes(made);
    } else if (at < made->head.length) {
        const size_t left = (size_t)made->head.length - at;
        bytes = made->bytes + at;
        head.bytes = (uint32_t)(left < SUMMAND__SEALED_CHUNK ? left : SUMMAND__SEALED_CHUNK);
    }
    return send(own, asked->from, head, bytes);
}

void summand__repairs_tell(const struct summand__sealed *own,
                           const struct summand__sealed_message *made, const char *what)
{
    summand__tell_damaged(own->state->rank, own->state->ranks,
                          "message %u from rank %d (operation %u, %llu bytes) was damaged, and is "
                          "repaired: %s",
                          made->head.step, summand__sealed_rank(own, made->message.peer),
                          made->head.tag, (unsigned long long)made->head.length, what);
    summand__damage_repaired();
}

/* Tells in which bits the chunk was damaged. */
static void tell_bits(const struct summand__sealed *own, const struct summand__sealed_message *made,
                      const struct head *head, const unsigned char *was, const unsigned char *is)
{
    char what[120];
    uint64_t mask = 0;
    uint32_t first = 0, bytes = 0;
    for (uint32_t i = head->bytes; i-- > 0;)
        if (was[i] != is[i])
            first = i, bytes++;
    for (uint32_t i = 0; i < 8 && first + i < head->bytes; i++)
        mask |= (uint64_t)(was[first + i] ^ is[first + i]) << 8 * i;
    snprintf(what, sizeof what, "chunk %u of %zu, %u bytes from %zu on, mask %#llx", head->part + 1,
             summand__seal_chunks(made->length), bytes,
             (size_t)head->part * SUMMAND__SEALED_CHUNK + first, (unsigned long long)mask);
    summand__repairs_tell(own, made, what);
}

static void mend_chunk(const struct summand__sealed *own, struct summand__sealed_message *made,
                       const struct head *head, const unsigned char *bytes)
{
    const size_t at = (size_t)head->part * SUMMAND__SEALED_CHUNK;
    struct summand__seal_words words = {&made->words.of[head->part], 0};
    const uint32_t before = *words.of;
    if (at + head->bytes > made->length || !head->bytes)
        return;
    summand__seal_add(&words, bytes, head->bytes);
    if (!summand__seal_holds(made->seal.of, &made->words, head->part)) {
        *words.of = before;
        return;
    }
    tell_bits(own, made, head, made->bytes + at, bytes);
    memcpy(made->bytes + at, bytes, head->bytes);
}

/* Puts a part in its place. If it is not the right one, the receiver finds it damaged again. */
static void mend(const struct summand__sealed *own, struct summand__sealed_message *made,
                 const struct head *head, const unsigned char *bytes)
{
    made->asked = false;
    if (head->part != SUMMAND__SEAL_PART)
        mend_chunk(own, made, head, bytes);
    else if (head->bytes <= summand__sealed_wire_bytes(made))
        memcpy(made->seal.of, bytes, head->bytes);
}

static struct summand__sealed_message *asked_in(const struct summand__sealed *own,
                                                const struct head *head)
{
    struct summand__sealed_message *made = find_in(own->first, false, head);
    return made && made->asked && made->part == head->part ? made : NULL;
}

/* True if the note is for this link. A call of several steps has several with its tag, of which one
 * is active. */
static bool is_for(const struct summand__sealed *own, const struct head *head)
{
    if (own->over.link.tag != (int)head->tag || head->from < 0 || head->from >= own->state->ranks)
        return false;
    return head->kind == WHOLE    ? own->heard_by[head->from]
           : head->kind == REPEAT ? asked_in(own, head) != NULL
                                  : sent_in(own, head) != NULL;
}

/* Takes a note; one that is left of a failed operation is for no link. */
static int take(struct summand__sealed *own, const struct head *head, const unsigned char *bytes)
{
    while (own && !is_for(own, head))
        own = own->next;
    if (!own)
        return MPI_SUCCESS;
    own->note_moves++;
    if (head->kind == REQUEST)
        return repeat(own, head);
    if (head->kind == REPEAT)
        mend(own, asked_in(own, head), head, bytes);
    else
        own->heard_by[head->from] = false;
    return MPI_SUCCESS;
}

/* Begins to receive a note that has come, if there is one. It may be long, and its sender may stop
 * meanwhile: so this rank polls for the rest of it. */
static int begin(const struct summand__sealed *own, int *there)
{
    const MPI_Comm comm = own->state->channel.comm;
    MPI_Status status;
    int bytes, code = PMPI_Iprobe(MPI_ANY_SOURCE, tag_of(own), comm, there, &status);
    if (code != MPI_SUCCESS || !*there)
        return code;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    struct summand__note *note = calloc(1, sizeof *note + (size_t)bytes);
    if (!note)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    code = PMPI_Irecv(note->head, bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm,
                      &note->request);
    if (code == MPI_SUCCESS)
        own->state->repairs->coming = note;
    else
        free(note);
    return code;
}

/* Takes the note if it has come whole. */
static int receive(const struct summand__sealed *own, int *done)
{
    struct summand__repairs_list *all = own->state->repairs;
    struct summand__note *note = all->coming;
    MPI_Status status;
    int bytes, code = PMPI_Test(&note->request, done, &status);
    if (code != MPI_SUCCESS || !*done)
        return code;
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    all->coming = NULL;
    const struct head *head = note->head;
    if (head->self != self_of(head))
        head++;
    if (head->self == self_of(head) && (size_t)bytes == sizeof note->head + head->bytes)
        code = take(all->first, head, note->bytes);
    else
        code = summand__refuse_damaged(own->state->rank, own->state->ranks,
                                       "a note about damage is damaged itself");
    free(note);
    return code;
}

int summand__repairs_serve(struct summand__sealed *own)
{
    int more = 1, code = own->notes ? summand__repairs_reap(own) : MPI_SUCCESS;
    while (more && code == MPI_SUCCESS)
        code = own->state->repairs->coming ? receive(own, &more) : begin(own, &more);
    return code;
}

/* True if the rank of the schedule is on this node, and has aborted the operation: ranks of one
 * node send no notices of that. */
static bool has_left(const struct summand__sealed *own, int rank)
{
    const struct summand__segment *segment = own->state->segment;
    const int here = segment && segment->lines
                         ? summand__segment_rank(segment, summand__sealed_rank(own, rank))
                         : -1;
    return here >= 0 && here != segment->rank &&
           summand__tags_aborted(segment->tags, summand__segment_aborted(segment, here),
                                 &summand__segment_presence(segment, here)->has_aborted,
                                 own->over.link.tag);
}

int summand__repairs_lost(const struct summand__sealed *own)
{
    for (const struct summand__sealed_message *made = own->first; made; made = made->next)
        if (made->asked && has_left(own, made->message.peer))
            return summand_error_code(SUMMAND_ERR_REMOTE);
    return MPI_SUCCESS;
}

static int tell_whole(struct summand__sealed *own)
{
    int code = MPI_SUCCESS;
    for (int r = 0; r < own->state->ranks && code == MPI_SUCCESS; r++)
        if (own->hears[r]) {
            code = send(own, r, (struct head){.kind = WHOLE}, NULL);
            own->hears[r] = false;
        }
    own->ending = true;
    return code;
}

int summand__repairs_end(struct summand__sealed *own, bool *done)
{
    int code = own->ending ? MPI_SUCCESS : tell_whole(own);
    if (code == MPI_SUCCESS)
        code = summand__repairs_serve(own);
    *done = code == MPI_SUCCESS;
    for (const struct summand__note *note = own->notes; note; note = note->next)
        *done = *done && has_left(own, note->to); /* it receives no notes */
    for (int r = 0; r < own->state->ranks; r++) {
        own->heard_by[r] = own->heard_by[r] && !has_left(own, r); /* it asks for nothing more */
        *done = *done && !own->heard_by[r];
    }
    own->ending = !*done;
    return code;
}

void summand__repairs_awaited(const struct summand__sealed *own, summand__each_rank *each,
                              void *context)
{
    for (int r = 0; r < own->state->ranks && own->ending; r++)
        if (own->heard_by[r])
            each(context, summand__sealed_rank(own, r));
    for (const struct summand__sealed_message *made = own->first; made; made = made->next)
        if (made->asked)
            each(context, summand__sealed_rank(own, made->message.peer));
}

bool summand__repairs_open(struct summand__sealed *own)
{
    own->heard_by = calloc(2 * (size_t)own->state->ranks, sizeof *own->heard_by);
    if (!own->heard_by)
        return false;
    own->hears = own->heard_by + own->state->ranks;
    own->repairs = true;
    own->next = own->state->repairs->first;
    own->state->repairs->first = own;
    return true;
}

/* Frees a note on its way, unless the MPI may still use it. */
static void drop(struct summand__note *note)
{
    int done = 0;
    if (PMPI_Test(&note->request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done)
        free(note);
    else
        PMPI_Request_free(&note->request);
}

void summand__repairs_close(struct summand__sealed *own)
{
    int over = 0;
    if (!own->repairs)
        return;
    struct summand__sealed **at = &own->state->repairs->first;
    while (*at != own)
        at = &(*at)->next;
    *at = own->next;
    PMPI_Finalized(&over); /* nothing moves after MPI_Finalize */
    struct summand__repairs_list *all = own->state->repairs;
    if (!all->first && all->coming && !over) { /* no link waits for it */
        PMPI_Cancel(&all->coming->request);
        drop(all->coming);
        all->coming = NULL;
    }
    for (struct summand__note *note = own->notes, *next; note && !over; note = next) {
        next = note->next;
        drop(note);
    }
    summand__sealed_free(own->kept);
    free(own->heard_by);
}

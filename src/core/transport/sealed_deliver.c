/* SPDX-License-Identifier: BSD-3-Clause */
/* What is done with messages that have arrived: their seals are read, chunks compared, and what is
 * damaged is an error, or asked for again. */
#include <stdio.h>

#include "kernel/stream.h"
#include "process/damaged.h"
#include "transport/sealed_link.h"

static int complain(const struct summand__sealed *own, const struct summand__sealed_message *made,
                    const char *why)
{
    return summand__refuse_damaged(
        own->state->rank, own->state->ranks,
        "message %u from rank %d (operation %u, %llu bytes) is damaged: %s", made->head.step,
        summand__sealed_rank(own, made->message.peer), made->head.tag,
        (unsigned long long)made->head.length, why);
}

/* Sees the next chunk of a message of `length` bytes that did not stream. */
static void see(struct summand__sealed_message *made, const unsigned char *bytes, size_t length)
{
    const size_t rest = summand__seal_rest(&made->words), left = length - made->words.bytes;
    summand__seal_add(&made->words, bytes + made->words.bytes, left < rest ? left : rest);
}

/* Combines elements [begin, end); `elements`: the address of the first that arrived. */
static void combine(const struct summand__sealed_message *made, const unsigned char *elements,
                    size_t begin, size_t end)
{
    const struct summand__arrival *arrival = &made->arrival;
    const unsigned char *here = elements + begin * made->extent;
    const unsigned char *with = (const unsigned char *)arrival->with + begin * made->extent;
    if (begin < end)
        arrival->combine(arrival->context, arrival->left ? here : with, arrival->left ? with : here,
                         (unsigned char *)arrival->out + begin * made->extent, end - begin);
}

/* Delivers what did not stream, and is good. */
static int deliver_rest(const struct summand__sealed *own,
                        const struct summand__sealed_message *made, const unsigned char *bytes,
                        size_t length)
{
    unsigned char *data = made->message.data;
    if (own->dense && !made->message.combine && made->framed && length)
        summand__copy_bytes(data + own->offset, bytes, length);
    if (own->dense || !length)
        return MPI_SUCCESS;
    int code = summand__unpack(&own->packing, bytes, data, length / own->packing.size);
    if (code == MPI_SUCCESS && made->message.combine)
        combine(made, data, 0, length / own->packing.size);
    return code;
}

/* A part is damaged: it is asked for again, or an error. */
static int find_damage(struct summand__sealed *own, struct summand__sealed_message *made,
                       uint32_t part, const char *why)
{
    enum { TRIES = 3 };
    if (!own->repairs || made->tries == TRIES)
        return complain(own, made, why);
    return summand__repairs_ask(own, made, part);
}

/* Reads the seal of a message that has arrived. */
static int open_seal(struct summand__sealed *own, struct summand__sealed_message *made)
{
    char why[120];
    size_t length;
    if (!summand__seal_read(made->seal.of, &made->head, &length, why, sizeof why))
        return find_damage(own, made, SUMMAND__SEAL_PART, why);
    if (length != made->head.length && !(made->message.flags & SUMMAND__VARIABLE))
        return complain(own, made, "shorter than expected: the counts of the ranks differ");
    if (made->tries)
        summand__repairs_tell(own, made, "its seal");
    made->tries = 0;
    made->opened = true;
    made->length = length;
    made->bytes = summand__sealed_bytes(own, made, length);
    summand__damage_checked(summand__seal_chunks(length) + 1); /* the seal is one */
    return MPI_SUCCESS;
}

/* Checks a message that has arrived, and delivers it; or, if a part has been asked for again, as
 * much as comes before that. */
static int deliver(struct summand__sealed *own, struct summand__sealed_message *made)
{
    char why[120];
    int code = made->opened ? MPI_SUCCESS : open_seal(own, made);
    if (code != MPI_SUCCESS || made->asked)
        return code;
    const size_t length = made->length, size = own->packing.size;
    const size_t chunks = summand__seal_chunks(length);
    for (; made->chunk < chunks; made->chunk++, made->tries = 0) {
        const size_t begin = made->chunk * SUMMAND__SEALED_CHUNK;
        if (!made->streams && made->words.bytes == begin)
            see(made, made->bytes, length);
        if (!summand__seal_holds(made->seal.of, &made->words, made->chunk)) {
            snprintf(why, sizeof why, "chunk %zu of %zu", made->chunk + 1, chunks);
            return find_damage(own, made, (uint32_t)made->chunk, why);
        }
        if (!made->streams && made->message.combine && own->dense)
            combine(made, made->bytes - own->offset, begin / size, made->words.bytes / size);
    }
    if (made->words.bytes != length)
        return complain(own, made, "shorter than its seal says");
    return made->streams ? MPI_SUCCESS : deliver_rest(own, made, made->bytes, length);
}

int summand__sealed_deliver(struct summand__sealed *own, unsigned group, bool *done)
{
    int code = MPI_SUCCESS;
    struct summand__sealed_message **at = &own->first, *made;
    while ((made = *at)) {
        const bool skip = made->message.group != group || !*done;
        if (!skip && !made->sends && code == MPI_SUCCESS)
            code = made->asked ? MPI_SUCCESS : deliver(own, made);
        *done = *done && (skip || !made->asked);
        if (skip || made->asked) {
            at = &made->next;
            continue;
        }
        *at = made->next;
        if (own->repairs && own->silent)
            summand__sealed_log_end(&own->log, made);
        struct summand__sealed_message **over =
            made->sends && own->repairs ? &own->kept : &own->free;
        made->next = *over;
        *over = made;
    }
    own->last = at;
    return code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* A message with a seal, and what is done with its bytes while they move, or behind. */
#pragma once

#include "transport/sealed.h"
#include "transport/transport.h"

struct summand__sealed_message {
    struct summand__sealed_message *next;
    struct summand__message message;        /* as it was posted */
    struct summand__arrival arrival, below; /* of the message; for the transport below */
    struct summand__seal_head head;
    bool sends, framed;    /* framed: the data lie behind the seal */
    bool streams;          /* the bytes are seen while they move */
    size_t unit;           /* bytes of an element that is combined; else 1 */
    size_t offset, extent; /* of an element */
    struct summand__seal_words words;
    struct summand__sealed_memory {
        unsigned char *of;
        size_t room;
    } seal, packed, check;  /* they last longer than the message; check: of `words` */
    unsigned char *bytes;   /* where the data lie: of a send, until the operation ends */
    bool copies;            /* a send: `bytes` gets a copy as the data leave */
    uint32_t order, number; /* among the messages of the operation (sealed_log.h) */
    /* Of a receive that has arrived. */
    bool opened;          /* the seal is good */
    size_t length, chunk; /* of the message; the next chunk to be checked */
    bool asked;           /* this part has been asked for again, and has not come */
    uint32_t part;
    unsigned tries;
};

/* In place of the number of a chunk: the seal, with the data that lie behind it. */
enum { SUMMAND__SEAL_PART = 0x7fffffff };

/* Bytes of the seal, and of data behind it. */
static inline size_t summand__sealed_wire_bytes(const struct summand__sealed_message *made)
{
    const size_t bytes = (size_t)made->head.length;
    return summand__seal_bytes(bytes) + (made->framed ? bytes : 0);
}

/* For a transport below, of a message's context: bytes arrive, and are combined or copied at once;
 * or leave. `left` and `right` as in struct summand__arrival, but bytes. The last ones that leave
 * complete the seal. */
void summand__sealed_arrive(const void *context, const void *left, const void *right, void *out,
                            size_t count);
void summand__sealed_leave(const void *context, const void *left, const void *right, void *out,
                           size_t count);

/* Frees a list. */
void summand__sealed_free(struct summand__sealed_message *made);

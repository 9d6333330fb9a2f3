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
    unsigned char *seal, *packed, *words_memory;
    size_t seal_room, packed_room, words_room;
};

/* For a transport below, of a message's context: bytes arrive, and are combined or copied at once;
 * or leave. `left` and `right` as in struct summand__arrival, but bytes. The last ones that leave
 * complete the seal. */
void summand__sealed_arrive(const void *context, const void *left, const void *right, void *out,
                            size_t count);
void summand__sealed_leave(const void *context, const void *left, const void *right, void *out,
                           size_t count);

/* Sees the next chunk of a message of `length` bytes that did not stream. */
void summand__sealed_see(struct summand__sealed_message *made, const unsigned char *bytes,
                         size_t length);

/* Combines elements [begin, end); `elements`: the address of the first that arrived. */
void summand__sealed_combine(const struct summand__sealed_message *made,
                             const unsigned char *elements, size_t begin, size_t end);

/* Frees a list. */
void summand__sealed_free(struct summand__sealed_message *made);

/* SPDX-License-Identifier: BSD-3-Clause */
/* What travels with each message of a checked operation, and what it proves. Knows no link. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SUMMAND__SEALED_CHUNK = 65536 /* bytes under one check word */ };

/* The head of a seal; one check word for each chunk of the message follows. */
struct summand__seal_head {
    uint32_t self;  /* CRC32C of all that follows, words of chunks included */
    uint32_t tag;   /* of the operation */
    uint32_t step;  /* number of the message among those from its source to its target */
    int32_t source; /* rank of the schedule */
    int32_t target; /* the same; -1: all others */
    uint32_t zero;
    uint64_t length; /* bytes of the message */
};

static inline size_t summand__seal_chunks(size_t bytes)
{
    return (bytes + SUMMAND__SEALED_CHUNK - 1) / SUMMAND__SEALED_CHUNK;
}

/* Bytes of the seal of a message; a multiple of 16, so that a message may follow. */
static inline size_t summand__seal_bytes(size_t bytes)
{
    return (sizeof(struct summand__seal_head) + 4 * summand__seal_chunks(bytes) + 15) / 16 * 16;
}

/* Check words of the bytes of a message so far. */
struct summand__seal_words {
    uint32_t *of; /* by chunk */
    size_t bytes;
};

static inline size_t summand__seal_words_bytes(size_t length)
{
    return 4 * summand__seal_chunks(length);
}

/* Adds the next bytes, of one chunk. */
void summand__seal_add(struct summand__seal_words *words, const void *bytes, size_t count);

/* Bytes from here to the end of the chunk. */
static inline size_t summand__seal_rest(const struct summand__seal_words *words)
{
    return SUMMAND__SEALED_CHUNK - words->bytes % SUMMAND__SEALED_CHUNK;
}

/* Writes the seal of a message, of which `head` has tag, step, source, target and length. */
void summand__seal_write(unsigned char *seal, const struct summand__seal_head *head,
                         const struct summand__seal_words *words);

/* Tells if a seal that arrived is one, and the expected one; then `*length` is the message's. Else
 * writes why not to `why`. `expected->length`: what the receiver has room for. */
bool summand__seal_read(const unsigned char *seal, const struct summand__seal_head *expected,
                        size_t *length, char *why, size_t room);

/* True if the chunk has the word of its seal. */
bool summand__seal_holds(const unsigned char *seal, const struct summand__seal_words *words,
                         size_t chunk);

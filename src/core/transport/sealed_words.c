/* SPDX-License-Identifier: BSD-3-Clause */
#include "transport/sealed.h"

#include <stdio.h>

#include "kernel/seal.h"

/* Of all but the word itself. */
static uint32_t self_of(const unsigned char *seal, size_t length)
{
    const size_t end = sizeof(struct summand__seal_head) + summand__seal_words_bytes(length);
    return summand__seal_kernels()->crc32c(0, seal + sizeof(uint32_t), end - sizeof(uint32_t));
}

void summand__seal_add(struct summand__seal_words *words, const void *bytes, size_t count)
{
    uint32_t *word = &words->of[words->bytes / SUMMAND__SEALED_CHUNK];
    if (words->bytes % SUMMAND__SEALED_CHUNK == 0)
        *word = 0;
    *word = summand__seal_kernels()->crc32c(*word, bytes, count);
    words->bytes += count;
}

void summand__seal_write(unsigned char *seal, const struct summand__seal_head *head,
                         const struct summand__seal_words *words)
{
    const size_t length = (size_t)head->length;
    memset(seal, 0, summand__seal_bytes(length));
    memcpy(seal, head, sizeof *head);
    if (length)
        memcpy(seal + sizeof *head, words->of, summand__seal_words_bytes(length));
    uint32_t self = self_of(seal, length);
    memcpy(seal, &self, sizeof self);
}

bool summand__seal_read(const unsigned char *seal, const struct summand__seal_head *expected,
                        size_t *length, char *why, size_t room)
{
    struct summand__seal_head head;
    memcpy(&head, seal, sizeof head);
    bool good = false;
    if (head.length > expected->length)
        snprintf(why, room, "seal damaged, or the ranks' counts differ");
    else if (head.self != self_of(seal, head.length))
        snprintf(why, room, "seal damaged");
    else if (head.tag != expected->tag || head.step != expected->step)
        snprintf(why, room, "this is message %u of operation %u", head.step, head.tag);
    else if (head.source != expected->source || head.target != expected->target)
        snprintf(why, room, "this is a message from %d to %d", head.source, head.target);
    else
        good = true;
    *length = good ? head.length : 0;
    return good;
}

bool summand__seal_holds(const unsigned char *seal, const struct summand__seal_words *words,
                         size_t chunk)
{
    uint32_t word;
    memcpy(&word, seal + sizeof(struct summand__seal_head) + 4 * chunk, sizeof word);
    return word == words->of[chunk];
}

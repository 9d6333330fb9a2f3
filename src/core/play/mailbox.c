/* SPDX-License-Identifier: BSD-3-Clause */
#include "play/mailbox.h"

#include <stdlib.h>

#include "base/hash.h"
#include "play/grow.h"

#define NONE SUMMAND__NO_MESSAGE

static uint32_t slot_of(const struct summand__mailbox *mailbox, int sender, int receiver)
{
    uint64_t key = (uint64_t)(uint32_t)sender << 32 | (uint32_t)receiver;
    key *= SUMMAND__GOLDEN;
    key ^= key >> 32; /* else pairs at equal distances would share buckets */
    return (uint32_t)(key * SUMMAND__GOLDEN >> 32) & (mailbox->slots - 1);
}

static void append(struct summand__mailbox *mailbox, uint32_t message)
{
    struct summand__message *m = &mailbox->messages[message];
    struct summand__bucket *bucket = &mailbox->buckets[slot_of(mailbox, m->sender, m->receiver)];
    m->next = NONE;
    if (bucket->first == NONE)
        bucket->first = message;
    else
        mailbox->messages[bucket->last].next = message;
    bucket->last = message;
}

/* Doubles the buckets; keeps the order within a pair. */
static bool spread(struct summand__mailbox *mailbox)
{
    struct summand__bucket *old = mailbox->buckets;
    uint32_t slots = mailbox->slots, more = slots ? 2 * slots : 64;
    struct summand__bucket *buckets = malloc(more * sizeof *buckets);
    if (!buckets)
        return false;
    for (uint32_t b = 0; b < more; b++)
        buckets[b].first = buckets[b].last = NONE;
    mailbox->buckets = buckets;
    mailbox->slots = more;
    for (uint32_t b = 0; b < slots; b++)
        for (uint32_t m = old[b].first, next; m != NONE; m = next) {
            next = mailbox->messages[m].next;
            append(mailbox, m);
        }
    free(old);
    return true;
}

static uint32_t take_free(struct summand__mailbox *mailbox)
{
    if (mailbox->used && mailbox->free != NONE) {
        uint32_t message = mailbox->free;
        mailbox->free = mailbox->messages[message].next;
        return message;
    }
    if (mailbox->used == mailbox->capacity) {
        void *grown =
            summand__grown(mailbox->messages, &mailbox->capacity, sizeof *mailbox->messages);
        if (!grown)
            return NONE;
        mailbox->messages = grown;
    }
    mailbox->free = NONE;
    return mailbox->used++;
}

/* Takes the oldest message of the pair out of its bucket. All waiting messages of a pair wait for
 * the same end. */
static uint32_t take_waiting(struct summand__mailbox *mailbox, int sender, int receiver,
                             bool sending)
{
    struct summand__bucket *bucket = &mailbox->buckets[slot_of(mailbox, sender, receiver)];
    uint32_t before = NONE;
    for (uint32_t m = bucket->first; m != NONE; before = m, m = mailbox->messages[m].next) {
        const struct summand__message *message = &mailbox->messages[m];
        if (message->sender != sender || message->receiver != receiver)
            continue;
        if (sending ? message->sent : message->posted)
            return NONE;
        if (before == NONE)
            bucket->first = message->next;
        else
            mailbox->messages[before].next = message->next;
        if (bucket->last == m)
            bucket->last = before;
        mailbox->waiting--;
        return m;
    }
    return NONE;
}

uint32_t summand__mailbox_meet(struct summand__mailbox *mailbox, int sender, int receiver,
                               bool sending)
{
    if (mailbox->waiting >= mailbox->slots && !spread(mailbox))
        return NONE;
    uint32_t message = take_waiting(mailbox, sender, receiver, sending);
    if (message != NONE)
        return message;
    message = take_free(mailbox);
    if (message == NONE)
        return NONE;
    mailbox->messages[message] = (struct summand__message){.sender = sender, .receiver = receiver};
    append(mailbox, message);
    mailbox->waiting++;
    return message;
}

uint32_t summand__mailbox_put(struct summand__mailbox *mailbox, int sender, int receiver)
{
    uint32_t message = take_free(mailbox);
    if (message != NONE)
        mailbox->messages[message] = (struct summand__message){
            .sender = sender, .receiver = receiver, .put = true, .sent = true, .posted = true};
    return message;
}

void summand__mailbox_drop(struct summand__mailbox *mailbox, uint32_t message)
{
    mailbox->messages[message].next = mailbox->free;
    mailbox->free = message;
}

void summand__mailbox_free(struct summand__mailbox *mailbox)
{
    free(mailbox->messages);
    free(mailbox->buckets);
    *mailbox = (struct summand__mailbox){0};
}

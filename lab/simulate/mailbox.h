/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a prediction that are in flight or wait for their other end. The k-th send of a rank
 * to another meets the k-th receive there, as in MPI. */
#ifndef SUMMAND_LAB_SIMULATE_MAILBOX_H
#define SUMMAND_LAB_SIMULATE_MAILBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUMMAND__NO_MESSAGE UINT32_MAX
#define SUMMAND__NO_COUNT UINT32_MAX

struct summand__message {
    int sender, receiver;
    uint32_t next; /* in its bucket, or in the list of free ones */
    bool sent, posted, arrived;
    bool waits;                 /* for its receiver, though it is short */
    uint8_t send_due, recv_due; /* the rounds of its ends that wait for it, modulo */
    bool put;                   /* next in its bucket, or in the free list */
    bool asks;                  /* it starts when its target looks */
    uint32_t counter;           /* for its receiver, although it is short */
    uint32_t elements;
    double ready;                             /* one-sided; `elements` are bytes */
    uint32_t send_span, post_span, wire_span; /* it starts when its target polls */
};

struct summand__bucket {
    uint32_t first, last;
};

struct summand__mailbox {
    struct summand__message *messages;
    uint32_t capacity, used, free; /* `free` starts the list of free ones */
    struct summand__bucket *buckets;
    uint32_t slots, waiting; /* `free` begins the free list */
};

/* The message of this pair that waits for the given end, taken out of the list of those that wait;
 * or a new one, put there. SUMMAND__NO_MESSAGE when out of memory. */
uint32_t summand__mailbox_meet(struct summand__mailbox *mailbox, int sender, int receiver,
                               bool sending);
/* A message that waits for no other end. */
uint32_t summand__mailbox_put(struct summand__mailbox *mailbox, int sender, int receiver);
void summand__mailbox_drop(struct summand__mailbox *mailbox, uint32_t message);
void summand__mailbox_free(struct summand__mailbox *mailbox);

#endif

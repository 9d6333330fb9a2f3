/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a prediction that are in flight or wait for their other end. The k-th send of a rank
 * to another meets the k-th receive there, as in MPI. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SUMMAND__NO_MESSAGE UINT32_MAX
#define SUMMAND__NO_COUNT UINT32_MAX

struct summand__message {
    int sender, receiver;
    uint32_t next; /* next in its bucket, or in the free list */
    bool sent, posted, arrived;
    bool waits;                 /* for its receiver, although it is short */
    uint8_t send_due, recv_due; /* the rounds, modulo, in which its ends wait for it */
    uint8_t reach;              /* of enum summand__reach */
    bool put;                   /* one-sided; `elements` are bytes */
    bool asks;                  /* it starts when its target polls */
    uint32_t counter;           /* of a put: the counter at its target; or SUMMAND__NO_COUNT */
    uint32_t elements;
    double ready;                             /* when those ends were ready that are there */
    uint32_t send_span, post_span, wire_span; /* only if the play is traced */
};

struct summand__bucket {
    uint32_t first, last;
};

struct summand__mailbox {
    struct summand__message *messages;
    uint32_t capacity, used, free; /* `free` begins the free list */
    struct summand__bucket *buckets;
    uint32_t slots, waiting; /* slots: 0 or a power of two */
};

/* Returns the waiting message of this pair that needs the given end, and takes it out of the
 * waiting list. If there is none, puts a new one there. SUMMAND__NO_MESSAGE when out of memory. */
uint32_t summand__mailbox_meet(struct summand__mailbox *mailbox, int sender, int receiver,
                               bool sending);
/* A message that waits for no other end. */
uint32_t summand__mailbox_put(struct summand__mailbox *mailbox, int sender, int receiver);
void summand__mailbox_drop(struct summand__mailbox *mailbox, uint32_t message);
void summand__mailbox_free(struct summand__mailbox *mailbox);

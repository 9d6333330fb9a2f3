/* SPDX-License-Identifier: BSD-3-Clause */
/* A transport between ranks of one process, for the executor's tests without MPI. Messages use
 * rendezvous: a send completes when its receive is posted. Even ranks, and odd ranks, combine each
 * other's messages once all of a group have arrived. */
#pragma once

#include "transport/transport.h"

struct loopback_message {
    bool sending, done;
    unsigned group;
    int peer;
    const void *from;
    void *to;
    size_t count;
    bool combines;
    struct summand__arrival arrival;
};

struct loopback {
    struct summand__link link; /* first */
    struct loopback *ranks;    /* all ends */
    int rank;
    size_t unit; /* bytes per count */
    struct loopback_message *messages;
    int posted, capacity;
};

/* Number of messages so far that were taken directly from the sender's memory. */
extern size_t loopback_taken;

/* Opens one end per rank; count is in units of `unit` bytes. */
void loopback_open(struct loopback *ends, int ranks, size_t unit);
void loopback_close(struct loopback *ends, int ranks);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Timed messages: rank 0 measures and gives orders, other ranks follow. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { SUMMAND__PROBE_BURST = 8 }; /* messages of a burst */

struct summand__probe {
    MPI_Comm comm;
    int code;     /* of the first failed call, after which nothing is done */
    size_t room;  /* bytes of each half of the memory */
    char *memory; /* summand__probe_memory(room) bytes: the send buffer, the receive buffer, ... */
    bool left;    /* the MPI may still use the memory */
};

size_t summand__probe_memory(size_t room);

/* Follows: obeys rank 0 until it says stop. */
void summand__probe_follow(struct summand__probe *probe);

/* The functions below are for rank 0, unless they say otherwise: seconds, or 0 after an error. */

/* Stops every follower. */
void summand__probe_stop(struct summand__probe *probe, const int *followers, int count);

/* The shortest of `times` round trips to a follower. */
double summand__probe_trip(struct summand__probe *probe, int peer, size_t there, size_t back,
                           int times);

/* Both ends send at once; the time until both messages have arrived. */
double summand__probe_exchange(struct summand__probe *probe, int peer, size_t bytes);

/* For any rank: its part of an exchange that was agreed before. */
void summand__probe_swap(struct summand__probe *probe, int peer, size_t bytes);

/* Times of short messages in sequence: per message at the sender, per message that has arrived at
 * the receiver, and the pace of arrivals. */
struct summand__probe_overheads {
    double send, recv, pace;
};
struct summand__probe_overheads summand__probe_burst(struct summand__probe *probe, int peer,
                                                     int times);

/* True if a message leaves its sender before its receiver is ready. `trip`: a round trip of short
 * messages; `flight`: the message's own time. */
bool summand__probe_is_eager(struct summand__probe *probe, int peer, size_t bytes, double trip,
                             double flight);

/* Runs two pairs at once: this rank sends to `peer` and waits for its answer; `helper` does so with
 * `partner`, a moment later. Returns the time until both have answers; `*helped`: the helper's. */
double summand__probe_beside(struct summand__probe *probe, int peer, size_t bytes, int helper,
                             int partner, size_t helper_bytes, double *helped);

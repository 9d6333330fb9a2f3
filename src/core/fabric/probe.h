/* SPDX-License-Identifier: BSD-3-Clause */
/* Timed messages between ranks of which one gives orders: rank 0 measures, some others follow. */
#ifndef SUMMAND_FABRIC_PROBE_H
#define SUMMAND_FABRIC_PROBE_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

enum { SUMMAND__PROBE_BURST = 8 }; /* messages of a burst */

struct summand__probe {
    MPI_Comm comm;
    int code;     /* of the first call that failed: then nothing more is done */
    size_t room;  /* bytes of each half of the memory */
    char *memory; /* summand__probe_memory(room) bytes: what is sent, what is received, ... */
    bool left;    /* the MPI may still use the memory */
};

size_t summand__probe_memory(size_t room);

/* Another rank's part: obeys rank 0 until it is told to stop. */
void summand__probe_follow(struct summand__probe *probe);

/* What follows is for rank 0; seconds, 0 where something failed. */

/* Every follower goes on its way. */
void summand__probe_stop(struct summand__probe *probe, const int *followers, int count);

/* The least of `times` round trips to a follower. */
double summand__probe_trip(struct summand__probe *probe, int peer, size_t there, size_t back,
                           int times);

/* Both ends send at once; until both messages have come. */
double summand__probe_exchange(struct summand__probe *probe, int peer, size_t bytes);

/* Any rank's part of an exchange that was agreed before. */
void summand__probe_swap(struct summand__probe *probe, int peer, size_t bytes);

/* Short messages one after another: the sender's time for each, the receiver's for each that lies
 * there, and the pace at which they come. */
struct summand__probe_overheads {
    double send, recv, pace;
};
struct summand__probe_overheads summand__probe_burst(struct summand__probe *probe, int peer,
                                                     int times);

/* Whether a message leaves its sender before its receiver is ready. `trip`: a round trip of short
 * messages; `flight`: the message's own time. */
bool summand__probe_is_eager(struct summand__probe *probe, int peer, size_t bytes, double trip,
                             double flight);

/* Two pairs at once: this rank sends to `peer` and waits for its answer, `helper` to `partner`
 * after it. Returns the seconds until both have their answers; `*helped` those of the helper. */
double summand__probe_beside(struct summand__probe *probe, int peer, size_t bytes, int helper,
                             int partner, size_t helper_bytes, double *helped);

#endif

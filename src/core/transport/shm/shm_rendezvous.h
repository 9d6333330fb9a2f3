/* SPDX-License-Identifier: BSD-3-Clause */
/* Rendezvous reads: the receiver reads messages from the sender's memory. This is one copy, a queue
 * makes two; the sender need not run meanwhile. The reader counts the bytes read, so the sender
 * knows which ones it may overwrite. */
#pragma once

#include "transport/shm/shm_ends.h"

enum {
    SUMMAND__READ_PIECE = 262144 /* bytes: they stay in the cache until they are combined */
};

/* Announces the first send to be published. The queue must have room. */
void summand__shm_announce(struct summand__shm_out *out);

/* Sees how far the reader is with announced sends. True if anything moved. */
bool summand__shm_see_reads(struct summand__shm_out *out);

/* Withdraws an unfinished announcement: its memory must not be read any more. */
void summand__shm_withdraw(struct summand__shm_out *out, struct summand__shm_send *send);

enum summand__shm_outcome {
    SUMMAND__SHM_LATER, /* nothing can be read for now */
    SUMMAND__SHM_READ,  /* some bytes, perhaps all */
    SUMMAND__SHM_WITHDRAWN,
    SUMMAND__SHM_REFUSED /* the message goes on in pieces */
};

/* Continues to read the message in transit from a process; into `scratch` to combine it at once. */
enum summand__shm_outcome summand__shm_read(struct summand__shm_in *in, pid_t process,
                                            unsigned char *scratch, struct summand__cell *cell,
                                            bool may_stay);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rendezvous reads: the receiver reads messages from the sender's memory. This is one copy, a queue
 * makes two; the sender need not run meanwhile. The reader counts the bytes that it has read, so
 * the sender knows which ones it may overwrite. */
#ifndef SUMMAND_TRANSPORT_SHM_SHM_RENDEZVOUS_H
#define SUMMAND_TRANSPORT_SHM_SHM_RENDEZVOUS_H

#include "transport/shm/shm_ends.h"

enum {
    SUMMAND__READ_PIECE = 262144 /* bytes: in the cache until they are combined */
};

/* Announces the first send to be published. There must be room. */
void summand__shm_announce(struct summand__shm_out *out);

/* What the reader has done of those that were announced. True if anything moved. */
bool summand__shm_see_reads(struct summand__shm_out *out);

/* Takes one back that is not over: its memory is not to be read any more. */
void summand__shm_withdraw(struct summand__shm_out *out, struct summand__shm_send *send);

enum summand__shm_outcome {
    SUMMAND__SHM_LATER, /* nothing can be read for now */
    SUMMAND__SHM_READ,  /* some bytes, perhaps all */
    SUMMAND__SHM_WITHDRAWN,
    SUMMAND__SHM_REFUSED /* the message goes on in pieces */
};

/* Reads on in the message under way, from a process; into `scratch` what is combined at once. */
enum summand__shm_outcome summand__shm_read(struct summand__shm_in *in, pid_t process,
                                            unsigned char *scratch, struct summand__cell *cell,
                                            bool may_stay);

#endif

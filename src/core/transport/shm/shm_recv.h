/* SPDX-License-Identifier: BSD-3-Clause */
/* What a receive does with bytes that arrive. */
#ifndef SUMMAND_TRANSPORT_SHM_SHM_RECV_H
#define SUMMAND_TRANSPORT_SHM_SHM_RECV_H

#include "transport/shm/shm_link.h"

/* The next `length` bytes. False if they are to stay where they are for now. */
bool summand__shm_take(struct summand__shm *shm, struct summand__shm_recv *recv,
                       const unsigned char *from, size_t length, bool may_stay);

/* Takes the whole message of the first receive, which is complete then. False, and nothing is done,
 * if a cheap check finds that it cannot be combined at once. */
bool summand__shm_take_whole(struct summand__shm *shm, struct summand__shm_recv *recv,
                             const unsigned char *from);

/* Bytes that arrive, put where the message belongs (if they are not there yet) and not combined:
 * while messages of the round are still being posted, sends of what would be overwritten may be to
 * come.
 */
void summand__shm_keep(struct summand__shm *shm, struct summand__shm_recv *recv,
                       const unsigned char *from, size_t length);

/* Where the next `*length` bytes are to be put by whoever reads them and lets them be taken from
 * there: into `scratch` or the result's place, to be combined, or where they belong (so many of
 * them as there is room for). NULL if they are not to be read for now. */
unsigned char *summand__shm_place(const struct summand__shm *shm,
                                  const struct summand__shm_recv *recv, size_t *length,
                                  unsigned char *scratch, bool may_stay);

/* All have arrived. */
void summand__shm_arrived(struct summand__shm *shm, struct summand__shm_recv *recv);

/* Combines what arrived and could not be combined at once. True if anything moved. */
bool summand__shm_catch_up(struct summand__shm *shm, struct summand__shm_recv *recv);

#endif

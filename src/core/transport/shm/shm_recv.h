/* SPDX-License-Identifier: BSD-3-Clause */
/* How a receive handles arriving bytes. */
#pragma once

#include "transport/shm/shm_link.h"

/* Takes the next `length` bytes. False if they stay in the queue for now. */
bool summand__shm_take(struct summand__shm *shm, struct summand__shm_recv *recv,
                       const unsigned char *from, size_t length, bool may_stay);

/* Takes the whole message of the first receive, which is then complete. False, with nothing done,
 * if a cheap check finds that it cannot be combined at once. */
bool summand__shm_take_whole(struct summand__shm *shm, struct summand__shm_recv *recv,
                             const unsigned char *from);

/* Copies arriving bytes to the message's place, if they are not there yet, without combining them.
 * While messages of the round are being posted, a later send may still read what combining would
 * overwrite. */
void summand__shm_keep(struct summand__shm *shm, struct summand__shm_recv *recv,
                       const unsigned char *from, size_t length);

/* The address to which to read the next `*length` bytes before `summand__shm_take`: `scratch` or
 * the result's place if they are combined at once, else the message's place. Reduces `*length` to
 * the room there. NULL if they cannot be read for now. */
unsigned char *summand__shm_place(const struct summand__shm *shm,
                                  const struct summand__shm_recv *recv, size_t *length,
                                  unsigned char *scratch, bool may_stay);

/* All bytes have arrived. */
void summand__shm_arrived(struct summand__shm *shm, struct summand__shm_recv *recv);

/* Combines data that arrived and could not be combined at once. True if anything moved. */
bool summand__shm_catch_up(struct summand__shm *shm, struct summand__shm_recv *recv);

/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a fabric and its private communicator. The MPI may reuse the communicator's context,
 * and messages that remain in it would then match those of the next one. So each rank that sends no
 * more over it says goodbye to all others. It frees it once it has received all messages before
 * their goodbyes: messages between two ranks do not overtake each other (MPI 4.0, section 3.5). No
 * rank waits for that. A rank in whose fabric a call failed says no goodbye until MPI ends, so its
 * communicator stays on all ranks.
 *
 * When MPI ends, the ranks agree for each remaining fabric if a call failed on any of them. If so,
 * and for all other fabrics, they say goodbye and wait for the others' goodbyes. So no message
 * remains: no notice (wait/notice.h), and none that a failed rank did not receive. Where a call
 * failed, they say a second time that they have received these, before any of them goes on.
 * Then two ranks may measure a calibration (fabric/calibrated.h).
 *
 * Contexts that communicators have left are reused, with the same tags: their messages are dropped
 * before they are offered. */
#pragma once

#include "fabric/fabric.h"

/* Local: removes one user; the last one's fabric is closed. Cost: a message to each other rank if
 * it has a communicator. */
void summand__fabric_release(struct summand__fabric *fabric);

/* Local: closes a fabric that is in no list. An unfinished one has no communicator yet. */
void summand__fabric_drop(struct summand__fabric *fabric);

/* Local: drops messages for contexts that no communicator has. False if a message of a living
 * context is ahead of others that may have arrived. The caller holds the lock of the fabrics. */
bool summand__fabric_drain(struct summand__fabric *fabric);

/* Local: frees communicators to which all ranks have said goodbye. */
void summand__closing_go_on(void);

/* Collective, when MPI ends: receives remaining messages, and frees communicators whose goodbyes
 * are incomplete. Cost: an MPI_Iallreduce of a word for each remaining fabric; two messages
 * to each other rank if a call of it failed, and one for other communicators that remain. */
void summand__closing_end(void);

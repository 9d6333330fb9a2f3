/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a fabric, and of its private communicator. What is left in that, or still on its way
 * there, would meet the messages of the next communicator, to which the MPI may give its place. So
 * each rank that will send nothing more over it says goodbye to all others, and frees it once it
 * has taken all that came before their goodbyes: messages from one rank to another do not overtake
 * one another (MPI 4.0, section 3.5). Nobody waits for that. A rank in whose fabric a call failed
 * says no goodbye until MPI ends, so its communicator stays on all ranks.
 *
 * When MPI ends, the ranks ask of each fabric that has stayed whether a call failed on any of them.
 * If so, and for all other fabrics, they say goodbye and wait for the others' goodbyes: so no
 * message is left, neither a notice (wait/notice.h) nor what a rank that failed did not take.
 *
 * Contexts that communicators have left are taken by others, with the same tags: what has come for
 * them is dropped before they are offered. */
#ifndef SUMMAND_FABRIC_CLOSING_H
#define SUMMAND_FABRIC_CLOSING_H

#include "fabric/fabric.h"

/* Local: one user less. The last one's fabric goes. Cost: a message to each other rank where it has
 * a communicator. */
void summand__fabric_release(struct summand__fabric *fabric);

/* Local: the fabric goes, which is in no list. One that was not made has no communicator yet. */
void summand__fabric_drop(struct summand__fabric *fabric);

/* Local: takes what has come for contexts that no communicator has. False where a message of one
 * that lives stands before what else may have come. The lock of the fabrics is held. */
bool summand__fabric_drain(struct summand__fabric *fabric);

/* Local: frees communicators to which all have said goodbye. */
void summand__closing_go_on(void);

/* Collective, when MPI ends: takes what is left, and frees communicators to which not all had said
 * goodbye. Cost: an MPI_Iallreduce of a word for each fabric that stays; a message to each other
 * rank where a call of it failed, and for others that are left. */
void summand__closing_end(void);

#endif

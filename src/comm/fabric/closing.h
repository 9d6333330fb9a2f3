/* The end of a fabric, and of its private communicator. What is left in that, or still on its way
 * there, would meet the messages of the next communicator, to which the MPI may give its place. So
 * each rank that will send nothing more over it says goodbye to all others, and frees it once it
 * has taken all that came before their goodbyes: messages from one rank to another do not overtake
 * one another (MPI 4.0, section 3.5). Nobody waits for that. A rank in whose fabric a call failed
 * says no goodbye, so its communicator stays on all ranks, until MPI ends.
 *
 * Contexts that communicators have left are taken by others, with the same tags: what has come for
 * them is dropped before they are offered. */
#ifndef SUMMAND_COMM_FABRIC_CLOSING_H
#define SUMMAND_COMM_FABRIC_CLOSING_H

#include "comm/fabric/fabric.h"

/* Local: one user less. The last one's fabric goes. Cost: a message to each other rank where it has
 * a communicator of its own. */
void summand__fabric_release(struct summand__fabric *fabric);

/* Local: the fabric goes, which is in no list. */
void summand__fabric_drop(struct summand__fabric *fabric);

/* Local: takes what has come for contexts that no communicator has. False where a message of one
 * that lives stands before what else may have come. The lock of the fabrics is held. */
bool summand__fabric_drain(struct summand__fabric *fabric);

/* Local: frees communicators to which all have said goodbye. */
void summand__closing_go_on(void);

/* Local: frees all, when MPI ends. */
void summand__closing_end(void);

#endif

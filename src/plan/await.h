/* The one place where the library waits for a collective of the MPI: in setting up a plan, and in
 * agreeing on arguments. There is one kind of them, so that a rank that has left one cannot meet
 * another one with its next: see plan/agree.h. */
#ifndef SUMMAND_PLAN_AWAIT_H
#define SUMMAND_PLAN_AWAIT_H

#include "comm/state.h"

/* Waits for a non-blocking collective on the state's communicator. Meanwhile moves all started
 * plans of this thread on: other ranks may have to wait for one of these before they call the
 * collective. Returns an MPI error code. If that is not MPI_SUCCESS, the request may still be under
 * way: the buffers it was given must stay in memory unless the request is MPI_REQUEST_NULL. A rank
 * that leaves it so tells the others that it has given the call up. */
int summand__await(struct summand__state *state, MPI_Request *request);

/* In place of one: this rank comes to no more of them in the call. Others who may be in one learn
 * of it. */
void summand__await_none(struct summand__state *state);

/* After one: SUMMAND_ERR_REMOTE if another rank is known to have left it, so that it will not come
 * to what follows in this call; else MPI_SUCCESS. */
int summand__await_aborted(struct summand__state *state);

#endif

/* Put with notification through memory that all ranks of a communicator share. */
#ifndef SUMMAND_TRANSPORT_WINDOW_SHM_WINDOW_H
#define SUMMAND_TRANSPORT_WINDOW_SHM_WINDOW_H

#include "comm/state.h"
#include "transport/transport.h"

/* Collective, with the same arguments on all ranks: each exposes `bytes` and has `notifications`.
 * `*window` is NULL on all ranks where they do not all share memory. An MPI error code. */
int summand__shm_window_open(struct summand__state *state, size_t bytes, int notifications,
                             struct summand__window **window);

/* Local; when no rank puts anything into this one's memory any more. NULL is nothing. */
void summand__shm_window_close(struct summand__window *window);

#endif

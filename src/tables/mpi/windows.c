/* SPDX-License-Identifier: BSD-3-Clause */
/* Every window of the library, in the order in which they are tried: with GPI-2 if it was found. */
#include "compute/mpi/window.h"

extern const struct summand__window_transport summand__gpi2_window;

const struct summand__window_transport *const summand__window_transports[] = {
    &summand__shm_window,
#ifdef SUMMAND_GPI2_FILE
    &summand__gpi2_window,
#endif
    &summand__rma_window, &summand__p2p_window, NULL};

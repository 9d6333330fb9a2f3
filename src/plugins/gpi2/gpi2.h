/* SPDX-License-Identifier: BSD-3-Clause */
/* GPI-2, an implementation of GASPI (gaspi.de): loaded and started for the first window that needs
 * it. So nothing is linked to it, and other programs have no cost. Only in builds that found it
 * (cmake/Gpi2.cmake). */
#pragma once

#include <GASPI.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The functions in use, without their prefix. */
#define SUMMAND__GPI2_CALLS(X)                                                                     \
    X(config_get)                                                                                  \
    X(config_set)                                                                                  \
    X(proc_init)                                                                                   \
    X(proc_term)                                                                                   \
    X(proc_rank)                                                                                   \
    X(proc_num)                                                                                    \
    X(connect)                                                                                     \
    X(segment_alloc)                                                                               \
    X(segment_delete)                                                                              \
    X(segment_register)                                                                            \
    X(segment_ptr)                                                                                 \
    X(segment_max)                                                                                 \
    X(segment_num)                                                                                 \
    X(segment_list)                                                                                \
    X(queue_num)                                                                                   \
    X(notification_num)                                                                            \
    X(transfer_size_max)                                                                           \
    X(write)                                                                                       \
    X(notify)                                                                                      \
    X(write_notify)                                                                                \
    X(notify_waitsome)                                                                             \
    X(notify_reset)                                                                                \
    X(wait)

struct summand__gpi2 {
#define SUMMAND__GPI2_CALL(name) __typeof__(gaspi_##name) *name;
    SUMMAND__GPI2_CALLS(SUMMAND__GPI2_CALL)
#undef SUMMAND__GPI2_CALL
    gaspi_number_t segments, queues, notifications;
    gaspi_size_t longest; /* bytes of one write */
};

/* Local: NULL if it has not been started, or could not be. */
const struct summand__gpi2 *summand__gpi2(void);

/* Collective; `comm` has all processes of MPI_COMM_WORLD, and GASPI itself calls collectives there.
 * Starts GASPI on them, with the ranks of the world, or finds that the program has done so. True if
 * it runs: the same on all ranks, unless a rank waits for others longer than SUMMAND_TIMEOUT. A
 * second call returns the result of the first one. GASPI ends in MPI_Finalize, after `before_end`
 * and once all processes have arrived there. */
bool summand__gpi2_start(MPI_Comm comm, void (*before_end)(void));

/* Local: ranks of the world. */
int summand__gpi2_world(void);

/* Local: the world ranks of a communicator's ranks; false: some are not in the world. `own` is
 * working memory. */
bool summand__gpi2_places(MPI_Comm comm, int ranks, int *own, int *places);

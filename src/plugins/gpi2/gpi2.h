/* SPDX-License-Identifier: BSD-3-Clause */
/* GPI-2, an implementation of GASPI (gaspi.de): loaded and started when the first window asks for
 * it, so nothing is linked to it and nobody else pays for it. Only in builds that found it
 * (cmake/Gpi2.cmake). */
#ifndef SUMMAND_PLUGINS_GPI2_GPI2_H
#define SUMMAND_PLUGINS_GPI2_GPI2_H

#include <GASPI.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* The functions that are used, without their prefix. */
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
 * Starts GASPI on them, whose ranks are those of the world, or finds that the program has done so.
 * Whether it runs: the same on all, unless a rank waits for others longer than SUMMAND_TIMEOUT. A
 * second call says what the first one did. GASPI ends in MPI_Finalize, after `before_end` and once
 * all processes have come there. */
bool summand__gpi2_start(MPI_Comm comm, void (*before_end)(void));

/* Local: ranks of the world. */
int summand__gpi2_world(void);

/* Local: what ranks of the world a communicator's are; false: some are not in it. `own` is used. */
bool summand__gpi2_places(MPI_Comm comm, int ranks, int *own, int *places);

#endif

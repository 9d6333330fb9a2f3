/* SPDX-License-Identifier: BSD-3-Clause */
/* Test programs with threads. */
#pragma once

#include <sched.h>

#include "mpi/harness.h"

/* Launchers bind a process to one core, on which its threads hardly ever run concurrently. */
static inline void threads_use_all_cores(void)
{
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int i = 0; i < CPU_SETSIZE; i++)
        CPU_SET(i, &all);
    sched_setaffinity(0, sizeof all, &all);
}

/* Like harness_begin; false, and a failed check, if the MPI has no MPI_THREAD_MULTIPLE. */
static inline int threads_begin(int *argc, char ***argv)
{
    int provided = harness_begin_threads(argc, argv, MPI_THREAD_MULTIPLE);
    CHECK(provided == MPI_THREAD_MULTIPLE, "the MPI gives thread level %d only", provided);
    threads_use_all_cores();
    return provided == MPI_THREAD_MULTIPLE;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/timing/counter_barrier.h"

#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "cli/ranks/agree.h"
#include "fabric/node_split.h"
#include "fabric/segment.h"

struct counter_barrier_counter {
    _Atomic uint64_t count;
};

bool counter_barrier_open(struct counter_barrier *barrier)
{
    MPI_Comm node;
    unsigned char *memory = NULL;
    int here;
    *barrier = (struct counter_barrier){0};
    MPI_Comm_size(MPI_COMM_WORLD, &barrier->ranks);
    summand__node_split(MPI_COMM_WORLD, &node);
    MPI_Comm_size(node, &here);
    int code = summand__segment_share(node, sizeof *barrier->counter, &memory);
    MPI_Comm_free(&node);
    bool all = agree_fine(here == barrier->ranks && code == MPI_SUCCESS && memory);
    barrier->counter = (struct counter_barrier_counter *)(void *)memory;
    if (!all)
        counter_barrier_close(barrier);
    return all;
}

void counter_barrier_pass(struct counter_barrier *barrier)
{
    if (!barrier->counter) {
        MPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    barrier->passed += (uint64_t)barrier->ranks;
    atomic_fetch_add(&barrier->counter->count, 1);
    while (atomic_load(&barrier->counter->count) < barrier->passed)
        sched_yield();
}

void counter_barrier_close(struct counter_barrier *barrier)
{
    if (barrier->counter)
        munmap(barrier->counter, sizeof *barrier->counter);
    barrier->counter = NULL;
}

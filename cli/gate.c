#include "gate.h"

#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "comm/segment.h"

struct gate_counter {
    _Atomic uint64_t count;
};

bool gate_open(struct gate *gate)
{
    MPI_Comm node;
    unsigned char *memory = NULL;
    int here, all = 0;
    *gate = (struct gate){0};
    MPI_Comm_size(MPI_COMM_WORLD, &gate->ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &here);
    int code = summand__segment_share(node, sizeof *gate->counter, &memory);
    MPI_Comm_free(&node);
    here = here == gate->ranks && code == MPI_SUCCESS && memory;
    MPI_Allreduce(&here, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    gate->counter = (struct gate_counter *)(void *)memory;
    if (!all)
        gate_close(gate);
    return all;
}

void gate_pass(struct gate *gate)
{
    gate->passed += (uint64_t)gate->ranks;
    atomic_fetch_add(&gate->counter->count, 1);
    while (atomic_load(&gate->counter->count) < gate->passed)
        sched_yield();
}

void gate_close(struct gate *gate)
{
    if (gate->counter)
        munmap(gate->counter, sizeof *gate->counter);
    gate->counter = NULL;
}

/* np: 1 2 3; brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* If the MPI's windows fail on one rank, all ranks learn of it, nothing is left behind, and another
 * window transport is used. */
#include <summand.h>

#include "compute/mpi/window.h"
#include "mpi/harness.h"

static enum { NOTHING, LOCK, MODEL, OPERATION, KINDS } broken;
static bool victim;
static int windows; /* of the MPI's, that live */

int __real_PMPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                             MPI_Win *win);
int __wrap_PMPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                             MPI_Win *win);
int __wrap_PMPI_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                             MPI_Win *win)
{
    int code = __real_PMPI_Win_allocate(size, unit, info, comm, base, win);
    windows += code == MPI_SUCCESS;
    return code;
}

int __real_PMPI_Win_free(MPI_Win *win);
int __wrap_PMPI_Win_free(MPI_Win *win);
int __wrap_PMPI_Win_free(MPI_Win *win)
{
    windows--;
    return __real_PMPI_Win_free(win);
}

int __real_PMPI_Win_lock_all(int assert, MPI_Win win);
int __wrap_PMPI_Win_lock_all(int assert, MPI_Win win);
int __wrap_PMPI_Win_lock_all(int assert, MPI_Win win)
{
    return victim && broken == LOCK ? MPI_ERR_OTHER : __real_PMPI_Win_lock_all(assert, win);
}

int __real_PMPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag);
int __wrap_PMPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag);
int __wrap_PMPI_Win_get_attr(MPI_Win win, int key, void *value, int *flag)
{
    static int separate = MPI_WIN_SEPARATE;
    int code = __real_PMPI_Win_get_attr(win, key, value, flag);
    if (victim && broken == MODEL && key == MPI_WIN_MODEL)
        *(int **)value = &separate;
    return code;
}

int __real_PMPI_Fetch_and_op(const void *from, void *to, MPI_Datatype datatype, int rank,
                             MPI_Aint at, MPI_Op op, MPI_Win win);
int __wrap_PMPI_Fetch_and_op(const void *from, void *to, MPI_Datatype datatype, int rank,
                             MPI_Aint at, MPI_Op op, MPI_Win win);
int __wrap_PMPI_Fetch_and_op(const void *from, void *to, MPI_Datatype datatype, int rank,
                             MPI_Aint at, MPI_Op op, MPI_Win win)
{
    return victim && broken == OPERATION
               ? MPI_ERR_OTHER
               : __real_PMPI_Fetch_and_op(from, to, datatype, rank, at, op, win);
}

TESTS
{
    static const size_t bytes[] = {100};
    static const struct summand__window_spec spec = {
        .slot_bytes = bytes, .slots = 1, .counters = 1};
    struct summand__state *state;
    summand__state_of(MPI_COMM_WORLD, &state);
    for (int rank = 0; rank < harness_ranks && summand__rma_window.available(state); rank++)
        for (int kind = NOTHING; kind < KINDS; kind++) {
            struct summand__window *window = NULL;
            int before = windows; /* closed ones may go as well */
            victim = harness_rank == rank;
            broken = kind;
            int code = summand__rma_window.open(state, &spec, &window);
            CHECK(code == (kind ? MPI_ERR_UNSUPPORTED_OPERATION : MPI_SUCCESS), "%d: %d", kind,
                  code);
            CHECK((window == NULL) == (kind != NOTHING), "a window, or none");
            CHECK(!kind || windows <= before, "kind %d: %d windows left", kind, windows - before);
            if (window)
                summand__rma_window.close(window);
            code = summand__window_open(state, &spec, 0, &window);
            CHECK(code == MPI_SUCCESS && window, "another: %d", code);
            CHECK(!window || !kind || window->transport != &summand__rma_window, "the broken one");
            CHECK(!window || window->transport->notify(window, (harness_rank + 1) % harness_ranks,
                                                       0) == MPI_SUCCESS,
                  "notify");
            if (window)
                CHECK(summand__window_wait(window, 0, SUMMAND__ANY_PRODUCER, 1, 0) == MPI_SUCCESS,
                      "wait");
            MPI_Barrier(MPI_COMM_WORLD);
            if (window)
                window->transport->close(window);
            broken = NOTHING;
        }
    CHECK(windows >= 0, "freed twice");
}

/* np: 3, long: 1 2; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows without memory: each request of each rank fails in turn. If one rank cannot open a
 * window, no rank has it. A put that cannot be stored is an error of its rank alone, and nothing is
 * sent. */
#include <summand.h>

#include "compute/mpi/window.h"
#include "mpi/harness.h"
#include "mpi/scarce.h"

static struct summand__state *state;
static const struct summand__window_transport *transport;

static long failed;

static const size_t bytes[2] = {100, 20000};
static const struct summand__window_spec spec = {.slot_bytes = bytes, .slots = 2, .counters = 2};

/* Returns how many requests were refused. */
static int open_without(int victim, long n, struct summand__window **window)
{
    int memory = summand_error_code(SUMMAND_ERR_MEMORY);
    if (harness_rank == victim)
        scarce_begin(n, 0);
    int code = transport->open(state, &spec, window);
    int refused = harness_rank == victim && scarce_end() > 0, all;
    MPI_Allreduce(&refused, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(code == MPI_SUCCESS || (all && code == memory), "%s, request %ld of rank %d: code %d",
          transport->name, n, victim, code);
    CHECK((*window == NULL) == (code != MPI_SUCCESS), "a window, or none");
    int least, most;
    MPI_Allreduce(&code, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    MPI_Allreduce(&code, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    CHECK(least == most, "codes %d to %d", least, most);
    failed += code != MPI_SUCCESS;
    if (all && *window) { /* it succeeded without that memory */
        transport->close(*window);
        *window = NULL;
    }
    return all;
}

static int put(struct summand__window *window, int rank, int slot, int counter)
{
    static const char data[20000];
    struct summand__put put = {
        .data = data, .bytes = bytes[slot], .rank = rank, .slot = slot, .counter = counter};
    return transport->put(window, &put);
}

/* Puts to all; then repeats the put that was refused. */
static void test_puts(struct summand__window *window, int slot)
{
    int next = (harness_rank + 1) % harness_ranks,
        last = (harness_rank + harness_ranks - 1) % harness_ranks;
    uint64_t came = 0;
    for (long n = 1, refused = 1; refused && n < 20; n++) {
        scarce_begin(n, 0);
        int code = put(window, next, slot, slot);
        refused = scarce_end();
        CHECK(code == (refused ? summand_error_code(SUMMAND_ERR_MEMORY) : MPI_SUCCESS),
              "%s, request %ld: code %d", transport->name, n, code);
        if (refused)
            CHECK(put(window, next, slot, slot) == MPI_SUCCESS, "with memory");
        came++;
    }
    CHECK(summand__window_wait(window, slot, last, came, 0) == MPI_SUCCESS, "wait");
    bool more = true;
    CHECK(transport->test(window, slot, came + 1, &more) == MPI_SUCCESS && !more, "once each");
    MPI_Barrier(MPI_COMM_WORLD);
}

TESTS
{
    if (summand__state_of(MPI_COMM_WORLD, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int t = 0; (transport = summand__window_transports[t]); t++) {
        if (!transport->available(state))
            continue;
        struct summand__window *window = NULL;
        for (int victim = 0; victim < harness_ranks; victim++) {
            for (long n = 1; n < 50 && open_without(victim, n, &window); n++)
                continue;
            CHECK(window != NULL, "too many requests");
            CHECK(failed > 0, "%s: no request was needed", transport->name);
            failed = 0;
            MPI_Barrier(MPI_COMM_WORLD);
            if (victim < harness_ranks - 1)
                transport->close(window);
        }
        for (int slot = 0; slot < 2; slot++)
            test_puts(window, slot);
        transport->close(window);
    }
}

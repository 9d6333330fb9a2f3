/* np: 4; brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Measurement on a clock by which messages take the times in this file: two switches of two nodes,
 * with too few links between them. All ranks learn the same values, whatever their rounding modes.
 * If no message leaves before its receiver is ready, nobody waits for ever. */
#include <fenv.h>
#include <math.h>
#include <summand.h>

#include "comm/state.h"
#include "mpi/fresh.h"
#include "mpi/harness.h"

static double now; /* s; messages alone take time */
static bool waits; /* sends end when their receivers are ready */

double __wrap_PMPI_Wtime(void);
int __real_PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request);
int __wrap_PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request);

double __wrap_PMPI_Wtime(void)
{
    return now;
}

/* Of bytes. */
int __wrap_PMPI_Isend(const void *data, int count, MPI_Datatype type, int to, int tag,
                      MPI_Comm comm, MPI_Request *request)
{
    bool far = to / 2 != harness_rank / 2;
    now += far ? 4e-6 + 1.8e-9 * count : 2e-6 + 1e-9 * count;
    return waits ? MPI_Issend(data, count, type, to, tag, comm, request)
                 : __real_PMPI_Isend(data, count, type, to, tag, comm, request);
}

static void check_learned(MPI_Comm comm, const struct summand__fabric *fabric)
{
    struct summand__network mine, first;
    fesetround(harness_rank & 1 ? FE_UPWARD : FE_DOWNWARD);
    int code = summand__network_measure(comm, fabric->map.leader, NULL, NULL, 1, &mine);
    fesetround(FE_TONEAREST);
    CHECK(code == MPI_SUCCESS && mine.known, "waits %d: code %d", waits, code);
    first = mine;
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(!memcmp(&mine, &first, sizeof mine), "waits %d: others", waits);
    const struct summand__model *model = &mine.model;
    CHECK(model->per_switch == 2, "waits %d: %g", waits, model->per_switch);
    CHECK(fabs(model->oversubscription - 1.8) < 0.01, "waits %d: %a", waits,
          model->oversubscription);
    CHECK((model->eager < 1000) == waits, "waits %d: %g", waits, model->eager);
}

TESTS
{
    double one = 1, sum;
    struct summand__state *state;
    fresh_settings();
    setenv("SUMMAND_NETWORK", "off", 1);
    setenv("SUMMAND_NODE_SIZE", "1", 1);
    setenv("SUMMAND_TRANSPORT", "auto", 1);
    int code = summand_allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL);
    CHECK(code == MPI_SUCCESS, "code %d", code);
    CHECK(summand__state_of(MPI_COMM_WORLD, &state) == MPI_SUCCESS, "state");
    MPI_Comm comm; /* messages may be left if a check fails, so it is not freed */
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    setenv("SUMMAND_TIMEOUT", "30", 1); /* of what would hang */
    for (int way = 0; way < 2; way++) {
        waits = way;
        check_learned(comm, state->context.fabric);
    }
}

/* np: 2 3 4; brief; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The costs of messages between nodes are measured at the first use, the same on all ranks and once
 * per process. They are not measured if that is switched off, if a rank lacks memory, or within a
 * node. Canonical bits do not depend on them. A rank that does not take part is an error after
 * SUMMAND_TIMEOUT. */
#include <summand.h>

#include "comm/state.h"
#include "learn/probe.h"
#include "mpi/fresh.h"
#include "mpi/harness.h"
#include "mpi/scarce.h"
#include "plan/tuned.h"

enum { COUNT = 5000 };

/* The model of a new communicator's fabric, the same on all ranks, and the bits of a sum. */
static struct summand__network network_with(const char *value, const char *nodes, double *sum)
{
    static double values[COUNT];
    const summand_options canonical = {.promise = SUMMAND_PROMISE_CANONICAL};
    struct summand__state *state;
    MPI_Comm comm;
    fresh_settings();
    setenv("SUMMAND_NETWORK", value, 1);
    setenv("SUMMAND_NODE_SIZE", nodes, 1);
    setenv("SUMMAND_TRANSPORT", "auto", 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int i = 0; i < COUNT; i++)
        values[i] = 1.0 / (i + 3 * harness_rank + 1);
    int code = summand_allreduce(values, sum, COUNT, MPI_DOUBLE, MPI_SUM, comm, &canonical);
    CHECK(code == MPI_SUCCESS, "%s: code %d", value, code);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    struct summand__network mine = state->context.fabric->network, first = mine;
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(!memcmp(&mine, &first, sizeof mine), "%s: others on rank %d", value, harness_rank);
    const struct summand__model *model = summand__query_on(state, NULL).model;
    CHECK(!model == (!mine.known || atoi(nodes) >= harness_ranks), "%s: a model", value);
    MPI_Comm_free(&comm);
    return mine;
}

static void check_refused(const double *bits, double *sum)
{
    scarce_above = harness_rank == 1 ? 500000 : SIZE_MAX;
    struct summand__network got = network_with("auto", "1", sum);
    scarce_above = SIZE_MAX;
    CHECK(!got.known, "without memory");
    CHECK(!memcmp(bits, sum, COUNT * sizeof *sum), "bits");
}

static void check_learned(const double *bits, double *sum)
{
    struct summand__network got = network_with("auto", "1", sum);
    const struct summand__level *level = &got.model.level[SUMMAND__NETWORK];
    CHECK(got.known, "not learned");
    CHECK(level->latency + level->send + level->recv > 0 && level->byte > 0 && level->gap >= 0,
          "latency %g, overheads %g and %g, byte %g", level->latency, level->send, level->recv,
          level->byte);
    for (const struct summand__model_row *row = summand__model_rows; row->name; row++) {
        double value = *summand__model_value(&got.model, row);
        CHECK(value >= row->least && value <= row->most, "%s: %g", row->name, value);
    }
    CHECK(!memcmp(bits, sum, COUNT * sizeof *sum), "bits");
    struct summand__network again = network_with("auto", "2", sum);
    CHECK(!memcmp(&got, &again, sizeof got), "measured twice");
    CHECK(!memcmp(bits, sum, COUNT * sizeof *sum), "bits");
}

/* For a file, one node is measured too: its messages stand for all levels. */
static void check_one_node(void)
{
    struct summand__network_sample samples[2] = {{0}};
    struct summand__network got, first;
    struct summand__state *state;
    MPI_Comm comm;
    fresh_settings();
    setenv("SUMMAND_NODE_SIZE", "4", 1);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK(summand__state_of(comm, &state) == MPI_SUCCESS, "state");
    const int *leader = state->context.fabric->map.leader;
    CHECK(summand__network_measure(MPI_COMM_WORLD, leader, NULL, NULL, 0.1, &got) == MPI_SUCCESS &&
              !got.known,
          "one node, in short");
    CHECK(summand__network_measure(MPI_COMM_WORLD, leader, NULL, samples, 0.1, &got) ==
                  MPI_SUCCESS &&
              got.known,
          "one node, for a file");
    first = got;
    MPI_Bcast(&first, (int)sizeof first, MPI_BYTE, 0, MPI_COMM_WORLD);
    CHECK(!memcmp(&got, &first, sizeof got), "others on rank %d", harness_rank);
    const struct summand__level *level = got.model.level;
    CHECK(!memcmp(&level[SUMMAND__WITHIN_NODE], &level[SUMMAND__NETWORK], sizeof *level) &&
              level->latency + level->send + level->recv > 0 && level->byte > 0,
          "latency %g, byte %g", level->latency, level->byte);
    CHECK(harness_rank || (samples[0].sizes > 0 && samples[0].seconds[0] > 0), "%d sizes",
          samples[0].sizes);
    MPI_Comm_free(&comm);
}

/* Rank 1 answers only after rank 0 has given up. */
static void check_silent(void)
{
    struct summand__probe probe = {.comm = MPI_COMM_NULL, .room = 64};
    MPI_Comm_dup(MPI_COMM_WORLD, &probe.comm); /* messages may be left, so it is not freed */
    probe.memory = calloc(1, summand__probe_memory(probe.room));
    setenv("SUMMAND_TIMEOUT", "1", 1);
    if (harness_rank == 0) {
        double seconds = summand__probe_trip(&probe, 1, 8, 8, 1);
        CHECK(seconds == 0 && probe.code == summand_error_code(SUMMAND_ERR_TIMEOUT), "code %d",
              probe.code);
        CHECK(probe.left, "the message may still come");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (harness_rank == 1) {
        summand__probe_follow(&probe);
        CHECK(probe.code == summand_error_code(SUMMAND_ERR_TIMEOUT), "code %d", probe.code);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    unsetenv("SUMMAND_TIMEOUT");
}

TESTS
{
    static double bits[COUNT], sum[COUNT];
    struct summand__network got = network_with("off", "1", bits);
    CHECK(!got.known, "off");
    got = network_with("auto", "4", sum);
    CHECK(!got.known, "one node");
    check_refused(bits, sum);
    check_learned(bits, sum);
    got = network_with("off", "1", sum);
    CHECK(!got.known, "off again");
    check_one_node();
    check_silent();
}

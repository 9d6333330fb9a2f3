/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the tests of segments: runs each window of the table in turn. */
#pragma once

#include <summand/notify.h>

#include "compute/mpi/window.h"
#include "mpi/harness.h"

static const struct summand__window_transport *row;
static MPI_Comm world; /* whose errors return */
static int turn = -1;  /* groups of ranks make segments one after the other: Open MPI 4.1 gives
                          concurrent windows of one node the same file */
static bool few;       /* ranks share processors, and some MPIs spin: few messages */

#define OK(call)                                                                                   \
    do {                                                                                           \
        int code_ = (call);                                                                        \
        CHECK(code_ == MPI_SUCCESS, "%s: %s", row ? row->name : "", notify_words(code_));          \
        if (code_ != MPI_SUCCESS)                                                                  \
            MPI_Abort(MPI_COMM_WORLD, 1); /* others would wait for the next call */                \
    } while (0)

static inline const char *notify_words(int code)
{
    static char text[MPI_MAX_ERROR_STRING];
    int length;
    if (code < 0)
        return code == SUMMAND_NOTIFY_NOT_YET ? "not yet"
               : code == SUMMAND_QUEUE_FULL   ? "queue full"
                                              : "?";
    MPI_Error_string(code, text, &length);
    return text;
}

static inline summand_segment *make(MPI_Comm comm, MPI_Count bytes, int ids)
{
    summand_segment_options options = {.queues = 3, .transport = row->name};
    summand_segment *segment = NULL;
    for (int t = 0; t < 2; t++) {
        if (t == turn || (turn < 0 && !t))
            OK(summand_segment_create(bytes, ids, comm, &options, &segment));
        if (turn >= 0)
            MPI_Barrier(world);
    }
    void *address;
    const char *name = "";
    OK(summand_segment_memory(segment, &address, NULL, &name));
    CHECK(!strcmp(name, row->name), "%s is not %s", name, row->name);
    return segment;
}

static inline unsigned char *memory_of(summand_segment *segment)
{
    void *address = NULL;
    MPI_Count bytes;
    OK(summand_segment_memory(segment, &address, &bytes, NULL));
    CHECK(bytes >= 0 && (uintptr_t)address % 64 == 0, "memory");
    return address;
}

static void test_all(void); /* over `row` */

TESTS
{
    struct summand__state *state;
    int tried = 0;
    world = harness_comm();
    if (summand__state_of(world, &state) != MPI_SUCCESS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    few = harness_ranks > 3;
    for (int t = 0; (row = summand__window_transports[t]); t++) {
        if (!row->available(state))
            continue;
        tried++;
        test_all();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    CHECK(tried, "no window");
    MPI_Comm_free(&world);
}

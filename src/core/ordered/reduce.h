/* SPDX-License-Identifier: BSD-3-Clause */
/* A reduction over all elements of a distributed array, as a plan. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <summand/sum.h>

#include "comm/state.h"

struct summand__ordered_call {
    const void *sendbuf;
    void *recvbuf;
    MPI_Count count, displacement;
    MPI_Datatype datatype;
    MPI_Op op;
    int root;
    const summand_options *options; /* or NULL */
    bool outlives;                  /* the plan outlives the call: the user may free the datatype */
};

/* Checks a call on this rank: MPI_SUCCESS or an MPI error code. */
int summand__ordered_check(const struct summand__ordered_call *call,
                           const struct summand__state *state);

/* Collective: agrees on `error`, this rank's from the check, and on the ranges, then makes the
 * plan. */
int summand__ordered_plan(struct summand__state *state, const struct summand__ordered_call *call,
                          int error, int tag, summand_plan **plan);

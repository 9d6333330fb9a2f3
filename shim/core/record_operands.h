/* SPDX-License-Identifier: BSD-3-Clause */
/* Which buffers of a call are its input and its result on this rank. */
#pragma once

#include "core/watch.h"
#include "shim/core/record_type.h"

struct record_operands {
    const char *name; /* "MPI_Iallreduce" */
    long long count;  /* of the call, not negative */
    MPI_Datatype type;
    bool has_op;
    long long root; /* -1: none */
    /* The result of a broadcast's root is its input. */
    struct record_data input, result;
};

/* Reads nothing of the buffers, but of the arrays of counts. */
struct record_operands record_operands(const struct shim_call *call);

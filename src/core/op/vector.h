/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of any datatype, combined by any MPI operator: the operator of a schedule. */
#pragma once

#include "op/datatype_layout.h"
#include "op/predefined.h"
#include "schedule/operator.h"

struct summand__vector {
    struct summand__datatype datatype;
    struct summand__datatype_layout layout; /* of the elements that the schedule works on */
    bool bytes;                             /* elements are bytes: no operator */
    MPI_Op op;
    struct summand__predefined predefined; /* our kernel, or none */
    struct summand__self_copy self_copy;
    bool streams; /* vectors are too long to stay in a cache */
    int code;     /* the first MPI error, or MPI_SUCCESS */
};

/* Sets the operator; the datatype must be set before. */
void summand__vector_set_operator(struct summand__vector *vector, MPI_Op op);

/* The vector must stay valid while the operator is used. */
struct summand__operator summand__vector_operator(struct summand__vector *vector);

/* True if vectors of so many bytes should bypass the caches. The operands and results of the node's
 * `ranks` that share the last cache must exceed it, so that a result would be read from memory and
 * written back; and streaming stores must be the faster ones. SUMMAND_STREAM overrides this. Local:
 * it changes neither bits nor messages. */
bool summand__vector_streams(size_t bytes, int ranks);

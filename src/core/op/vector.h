/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of any datatype, combined by any operator of MPI's: the operator of a schedule. */
#ifndef SUMMAND_OP_VECTOR_H
#define SUMMAND_OP_VECTOR_H

#include "op/datatype_layout.h"
#include "op/predefined.h"
#include "schedule/operator.h"

struct summand__vector {
    struct summand__datatype datatype;
    struct summand__datatype_layout layout; /* of the elements that the schedule works on */
    bool bytes;                             /* elements are bytes: no operator */
    MPI_Op op;
    struct summand__predefined predefined; /* how we combine elements ourselves, or no kernel */
    struct summand__self_copy self_copy;
    bool streams; /* vectors are too long to be found in a cache again */
    int code;     /* the first error of the MPI, or MPI_SUCCESS */
};

/* The operator for elements of the datatype that is set. */
void summand__vector_set_operator(struct summand__vector *vector, MPI_Op op);

/* The vector must stay where it is while the operator is used. */
struct summand__operator summand__vector_operator(struct summand__vector *vector);

/* Whether vectors of so many bytes had better bypass the caches: operand and result of each of the
 * `ranks` of a node that share the last cache do not fit in it, so that a result would be written
 * to memory anyway, and read from there before that; and such stores are the faster ones. Or as
 * SUMMAND_STREAM says. Local: it changes no bits and no messages. */
bool summand__vector_streams(size_t bytes, int ranks);

#endif

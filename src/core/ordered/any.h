/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of index trees for any MPI datatype and any MPI operator. */
#pragma once

#include "ordered/local.h"
#include "schedule/operator.h"

struct summand__any {
    struct summand__ordered_workspace workspace;
    int packed; /* bytes of one value */
    int code;   /* the first MPI error, or MPI_SUCCESS */
};

/* `any` must stay valid while the operator is used. Returns an MPI error code. */
int summand__any_init(struct summand__any *any, MPI_Datatype datatype, MPI_Op op,
                      struct summand__operator *operator);

/* The bytes of an element before its address, and from it on. */
void summand__any_reach(const struct summand__any *any, size_t *lower, size_t *upper);

void summand__any_free(struct summand__any *any);

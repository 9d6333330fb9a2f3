/* SPDX-License-Identifier: BSD-3-Clause */
/* Moves of elements as plans. */
#pragma once

#include "matrix/move.h"
#include "matrix/mpi/matrix.h"

/* A move, and the addresses of this rank's arrays. */
struct summand__transfer {
    struct summand__move move;
    const void *from;
    void *to;
    /* Held until the plan is freed; either may be NULL. */
    const struct summand_matrix *from_matrix, *to_matrix;
};

/* The operator of floating-point numbers of so many bytes that are copied and sent, but never
 * combined. */
struct summand__operator summand__copy_operator(size_t unit);

/* Collective: makes the plan if `code` is MPI_SUCCESS on every rank; else every rank gets an error.
 * Afterwards the arrays of the holders may be freed. */
int summand__transfer_plan(struct summand__state *state, int code,
                           const struct summand__transfer *transfer, int tag, summand_plan **plan);

/* MPI_SUCCESS, or an MPI error code if this rank cannot copy from one to the other. */
int summand__matrix_copy_check(const struct summand_matrix *from, const struct summand_matrix *to,
                               bool transposed);

/* Collective: makes the plan if `code` and the arguments of every rank are right. `call`: name of
 * the public call. */
int summand__matrix_copy_plan(const struct summand_matrix *from, struct summand_matrix *to,
                              bool transposed, const char *call, int code, int tag,
                              summand_plan **plan);

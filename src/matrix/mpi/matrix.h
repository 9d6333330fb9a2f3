/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix on its communicator, and shared parts of the collective calls on matrices. */
#pragma once

#include <summand/matrix.h>

#include "base/extent.h"
#include "matrix/grid.h"
#include "plan/plan.h"
#include "plan/signature.h"

struct summand_matrix {
    struct summand__state *state;
    uint64_t number; /* of the call that made it; the same on all ranks */
    struct summand__grid grid;
    int *group; /* grid.group */
    MPI_Datatype datatype;
    size_t unit; /* bytes of an element */
    int process; /* of this rank, or -1 */
    int64_t rows, columns, lead;
    unsigned char *data; /* the caller's, `memory`, or in the window */
    void *memory;
    struct summand__window *window; /* of an exposed matrix, or NULL */
    int users;                      /* plans that use it, plus one for the caller */
};

/* Elements from the first to the last one of this rank's array. */
static inline int64_t summand__matrix_span(const struct summand_matrix *matrix)
{
    return summand__span(matrix->columns, matrix->lead, matrix->rows, matrix->unit);
}

static inline unsigned char *summand__matrix_column(const struct summand_matrix *matrix,
                                                    int64_t column)
{
    return matrix->data + (size_t)(column * matrix->lead) * matrix->unit;
}

static inline const char *summand__matrix_type(const struct summand_matrix *matrix)
{
    return matrix->unit == sizeof(float) ? "MPI_FLOAT" : "MPI_DOUBLE";
}

/* MPI_SUCCESS, or an MPI error code of a shape. `ranks`: size of the communicator; 0: the shape is
 * not checked against it. */
int summand__matrix_shape_check(const summand_matrix_shape *shape, int ranks);

/* This rank's part of a new matrix; an MPI error code. `number` of the call. */
int summand__matrix_make(struct summand__state *state, const summand_matrix_shape *shape,
                         MPI_Datatype datatype, void *data, int64_t lead,
                         struct summand_matrix **matrix);
void summand__matrix_sign(struct summand__signature *signature, const summand_matrix_shape *shape,
                          MPI_Datatype datatype);

/* True if their arrays on this rank have elements in common. */
bool summand__matrices_meet(const struct summand_matrix *a, const struct summand_matrix *b);

struct summand_matrix *summand__matrix_hold(const struct summand_matrix *matrix);
void summand__matrix_release(struct summand_matrix *matrix);

/* True if a collective call is possible: the communicator exists and MPI is not finalized. */
static inline bool summand__matrix_usable(const struct summand__state *state)
{
    return !state->over && state->comm != MPI_COMM_NULL;
}

/* Begins a collective call: the tag of its messages; an MPI error code. */
int summand__matrix_enter(struct summand__state *state, unsigned call, int *tag);

/* Signs the identity of the matrix, for an agreement. */
void summand__matrix_sign_as(struct summand__signature *signature, const char *name,
                             const struct summand_matrix *matrix);

/* Collective: an error `code` on one rank, or a different signature, is an error on all ranks.
 * `tag`: of the messages that follow, if any. */
int summand__matrix_agree(struct summand__state *state, int code,
                          const struct summand__signature *signature, int tag);

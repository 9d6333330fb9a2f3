/* Moves of elements as plans. */
#ifndef SUMMAND_MATRIX_MPI_COPY_H
#define SUMMAND_MATRIX_MPI_COPY_H

#include "matrix/move.h"
#include "matrix/mpi/matrix.h"

/* A move, and where this rank's arrays begin. */
struct summand__transfer {
    struct summand__move move;
    const void *from;
    void *to;
    /* Held while the plan lives; either may be NULL. */
    const struct summand_matrix *from_matrix, *to_matrix;
};

/* Of floating-point numbers of so many bytes, which are copied and sent, and never combined. */
struct summand__operator summand__copy_operator(size_t unit);

/* Collective: makes the plan where `code` of every rank is MPI_SUCCESS, else it is an error of all.
 * What the holders point to may be freed then. */
int summand__transfer_plan(struct summand__state *state, int code,
                           const struct summand__transfer *transfer, int tag, summand_plan **plan);

/* What is wrong with copying from one to the other, on this rank: an MPI error code. */
int summand__matrix_copy_check(const struct summand_matrix *from, const struct summand_matrix *to,
                               bool transposed);

/* Collective: the plan, where `code` and the arguments of every rank are good. `call` for the
 * agreement. */
int summand__matrix_copy_plan(const struct summand_matrix *from, struct summand_matrix *to,
                              bool transposed, const char *call, int code, int tag,
                              summand_plan **plan);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Datatypes, operators, the vectors that benchmarks reduce, and the expected results. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct element_type {
    const char *name;
    size_t extent;
    MPI_Datatype (*datatype)(void);
    void (*put)(void *place, int64_t value); /* value, and for pairs value % 64 as the index */
    int64_t (*get)(const void *place);       /* for a pair, its index * 2^32 + value */
    bool pair;
    bool whole; /* an integer of 4 or 8 bytes */
};

struct element_op {
    const char *name;
    MPI_Op (*op)(void); /* NULL: user-defined, see element_op_make */
    /* What rank `rank` of `ranks` contributes at element `i`: small, so that every type can hold
     * any sum or product of it. */
    int64_t (*value)(int rank, int ranks, uint64_t i);
    int64_t (*combine)(int64_t left, int64_t right, const struct element_type *type);
    MPI_User_function *by_kernel; /* the library's kernel, as a user's operator */
};

extern const struct element_type element_types[]; /* the last row has no name */
extern const struct element_op element_ops[];

const struct element_type *element_type_named(const char *name);
const struct element_op *element_op_named(const char *name);

/* "a|b|c" of either table. */
void element_type_names(char *text, size_t room);
void element_op_names(char *text, size_t room);

/* The operator's handle for the type; MPI_OP_NULL if they do not match. */
MPI_Op element_op_make(const struct element_op *op, const struct element_type *type);
/* The handle for the MPI's own calls: they add no numbers of 16 bits, but they take the library's
 * kernel as a user's operator. Else `ours`. */
MPI_Op element_op_of_mpi(const struct element_op *op, const struct element_type *type, MPI_Op ours);
void element_op_free(const struct element_op *op, MPI_Op *ours, MPI_Op *of_mpi);

/* Fills elements first .. first + count - 1 of this rank's contribution; without an operator, bytes
 * that encode element and rank. */
void elements_fill(const struct element_type *type, const struct element_op *op, int rank,
                   int ranks, uint64_t first, uint64_t count, void *vector);

/* Returns the first element that is not the combination, in rank order, of what `combined` ranks
 * from `rank` on contributed, or `count`. Without an operator one rank did. expected, found [out]:
 * this element's values. */
uint64_t elements_check(const struct element_type *type, const struct element_op *op, int rank,
                        int combined, int ranks, uint64_t first, uint64_t count, const void *vector,
                        int64_t *expected, int64_t *found);

/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree over the elements of one rank, for any MPI operator and datatype: values of the
 * maximal aligned subtrees of a range (shape/dyadic.h), combined. Operands are always in index
 * order; the operator may have any properties.
 *
 * All memory is in a workspace that belongs to one caller at a time: calls allocate nothing.
 * Elements in arrays of values are `element.stride` bytes apart, the datatype's extent unless
 * elements would overlap. Gaps between and within values stay unchanged. */
#pragma once

#include <mpi.h>
#include <stdint.h>

#include "op/predefined.h"
#include "ordered/element.h"

enum { SUMMAND__BLOCK_LEVEL = 9 }; /* a block has at most 2^9 elements */

struct summand__ordered_workspace {
    struct summand__element element;
    MPI_Op op;
    struct summand__predefined predefined; /* our kernel, or none */
    unsigned level;                        /* of a block: lower if elements are large */
    void *memory;
    void *block; /* 2^level elements; a result is in the last */
    void *left;  /* values of left siblings that wait for the right one, by level */
    void *pack;
    int packed;                                /* bytes of pack */
    uint16_t order[1 << SUMMAND__BLOCK_LEVEL]; /* i < 2^SUMMAND__BLOCK_LEVEL with reversed bits */
    /* For elements that are not movable: 2^l in bit-reversed order, as one MPI datatype. */
    MPI_Datatype reversed[SUMMAND__BLOCK_LEVEL + 1];
};

/* Makes a workspace for one operator and datatype; both must outlive it. Returns an MPI error code,
 * or SUMMAND_ERR_MEMORY. Local. */
int summand__ordered_workspace_init(struct summand__ordered_workspace *w, MPI_Datatype datatype,
                                    MPI_Op op);
void summand__ordered_workspace_free(struct summand__ordered_workspace *w);

/* Values of the maximal aligned subtrees of [start, start + count), left to right.
 * x [in]: count elements, x's first has global index `start`; not modified, and nothing beyond the
 *         elements' true extents is read
 * values [out]: room for summand__dyadic_count(start, count) elements
 * Cost: a copy of the elements, and 10 calls of a kernel or MPI_Reduce_local per 512 of them. */
int summand__ordered_local(struct summand__ordered_workspace *w, const void *x, uint64_t start,
                           uint64_t count, void *values);

/* right = left op right, for `count` values, fewer than INT_MAX. Returns an MPI error code. */
int summand__ordered_combine(const struct summand__ordered_workspace *w, const void *left,
                             void *right, size_t count);

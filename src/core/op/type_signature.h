/* SPDX-License-Identifier: BSD-3-Clause */
/* Type signatures of MPI datatypes (MPI 4.0, 5.1): the sequence of basic datatypes without their
 * displacements. Ranks may describe the same data by different datatypes and counts; the signatures
 * of the whole data must agree. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__type_signature {
    uint64_t hash;   /* of the sequence: below 2^61, equal for equal sequences */
    uint64_t weight; /* for appending */
    uint64_t length; /* number of basic datatypes, modulo 2^64 */
    MPI_Datatype first;
    bool mixed; /* basic datatypes of several kinds */
    bool raw;   /* holds MPI_BYTE or MPI_PACKED, which match any type */
    bool known; /* false: out of memory */
};

/* The signature of `count` elements. Basic datatypes with the same numbers in the same bytes are
 * equal: MPI_INT and MPI_INT32_T, MPI_DOUBLE_INT and a struct of the two. Local; costs the size of
 * the datatype's description. */
struct summand__type_signature summand__type_signature(MPI_Datatype datatype, MPI_Count count);

/* "MPI_DOUBLE", "2 x MPI_DOUBLE", or the name that the user gave. */
void summand__type_text(MPI_Datatype datatype, char *text, size_t room);

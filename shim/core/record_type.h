/* SPDX-License-Identifier: BSD-3-Clause */
/* What a record says of buffers: hashes and values. Gaps of datatypes do not count. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shim/core/record_line.h"

/* Data in a buffer: `blocks` of elements. */
struct record_data {
    const void *buffer;
    MPI_Datatype type;
    long long count; /* of the only block, if there are no counts */
    int blocks;      /* 0: there are no data on this rank */
    const int *counts, *displs;
    const MPI_Count *large_counts;
    const MPI_Aint *large_displs;
};

/* Before the first of the others, and after the last; the record and the report both do so. */
bool record_types_begin(void);
void record_types_end(void);

/* The type's name, without blanks: "MPI_DOUBLE", the user's name for it, or "derived(24)", with its
 * bytes. */
void record_type_name(MPI_Datatype type, char *name, size_t room);

/* False for predefined types, which live as long as the program. */
bool record_type_derived(MPI_Datatype type);

/* The bytes of an element's data; 0: the type is none. */
long long record_type_size(MPI_Datatype type);
/* The same for predefined types whose elements lie side by side without gaps; else 0. */
long long record_type_dense(MPI_Datatype type);

/* The hash of the elements' data, in their order. None if the arguments are none that the MPI
 * takes. */
struct record_hashed record_hash_data(const struct record_data *data);

/* The elements as text, `most` at most: floating-point numbers with all their digits. 0: there are
 * none, more, or they are of a type that is not predefined. Returns the length, less than
 * `room`. */
size_t record_print_values(const struct record_data *data, long long most, char *text, size_t room);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of the caller's buffers, shared by all calls. */
#pragma once

#include <mpi.h>
#include <stdbool.h>

#include "op/datatype_layout.h"

/* See summand__buffer_check. */
int summand__buffer_refuse(const char *name, const void *buffer, MPI_Count count,
                           MPI_Datatype datatype);

/* MPI_SUCCESS, or MPI_ERR_BUFFER, explained, for a bad buffer of `count` elements; `name` is its
 * name in the public call. MPI_IN_PLACE is bad: the caller of this function handles it before if it
 * is allowed. NULL is bad if elements would lie there; so is MPI_BOTTOM, which is NULL, except with
 * absolute addresses. Local. */
static inline int summand__buffer_check(const char *name, const void *buffer, MPI_Count count,
                                        MPI_Datatype datatype)
{
    return buffer && buffer != MPI_IN_PLACE ? MPI_SUCCESS
                                            : summand__buffer_refuse(name, buffer, count, datatype);
}

/* For buffers without a datatype: NULL and MPI_IN_PLACE are no addresses. */
static inline bool summand__no_buffer(const void *buffer)
{
    return !buffer || buffer == MPI_IN_PLACE;
}

static inline const char *summand__no_buffer_name(const void *buffer)
{
    return buffer ? "MPI_IN_PLACE" : "NULL";
}

/* Elements in memory: `count`, or none. */
struct summand__elements {
    const void *buffer;
    MPI_Count count;
    const struct summand__datatype *type;
};

/* True if two buffers visibly share memory: a byte if elements have no gaps; else the whole buffer,
 * because gaps may hold each other's elements. */
bool summand__buffers_overlap(const struct summand__elements *a, const struct summand__elements *b);

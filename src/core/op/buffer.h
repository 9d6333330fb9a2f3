/* SPDX-License-Identifier: BSD-3-Clause */
/* The caller's buffers: what every call that has some says of a bad one. */
#ifndef SUMMAND_OP_BUFFER_H
#define SUMMAND_OP_BUFFER_H

#include <mpi.h>
#include <stdbool.h>

#include "op/datatype_layout.h"

/* See summand__buffer_check. */
int summand__buffer_refuse(const char *name, const void *buffer, MPI_Count count,
                           MPI_Datatype datatype);

/* MPI_SUCCESS, or MPI_ERR_BUFFER, explained, for a buffer of `count` elements that is called `name`
 * in the public call: MPI_IN_PLACE, which the caller of this function has looked for if it is
 * allowed, or NULL if elements would lie there. MPI_BOTTOM is NULL too: datatypes with absolute
 * addresses have no element there. Local. */
static inline int summand__buffer_check(const char *name, const void *buffer, MPI_Count count,
                                        MPI_Datatype datatype)
{
    return buffer && buffer != MPI_IN_PLACE ? MPI_SUCCESS
                                            : summand__buffer_refuse(name, buffer, count, datatype);
}

/* For buffers that have no datatype: neither is an address. */
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

/* Whether two buffers are seen to share memory: where elements have no gaps, a byte of theirs; else
 * the whole, as gaps may hold each other's elements. */
bool summand__buffers_overlap(const struct summand__elements *a, const struct summand__elements *b);

#endif

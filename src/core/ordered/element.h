/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of any MPI datatype in our own memory: their distance, and copies. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct summand__element {
    MPI_Datatype datatype;
    MPI_Aint extent; /* between the caller's elements, of either sign */
    MPI_Aint stride; /* between our elements: the extent, or the true extent, aligned, if that is
                        larger, so that elements never overlap */
    MPI_Aint true_lb, true_extent;
    int size;
    bool dense;   /* all bytes of the true extent are data */
    bool movable; /* the true extent may be copied as a whole into our element beside others: its
                     gaps are small and the stride is the extent */
};

int summand__element_init(struct summand__element *element, MPI_Datatype datatype);

/* Bytes for `count` of our elements, with alignment. */
size_t summand__element_span(const struct summand__element *element, size_t count);

/* The address of the first element (for MPI, without the lower bound), such that all elements lie
 * in [memory, memory + span), aligned like malloc. */
void *summand__element_origin(const struct summand__element *element, void *memory);

/* Bytes of `count` packed elements, or -1 if MPI cannot pack them (2 GiB or more). */
int summand__element_packed(const struct summand__element *element, int count);

/* Copies one element; gaps of `to` stay unchanged. `pack`: room for a packed element. */
int summand__element_copy(const struct summand__element *element, const void *from, void *to,
                          void *pack, int packed);

/* Element i of our elements. */
static inline const void *summand__element_at(const struct summand__element *element,
                                              const void *origin, size_t i)
{
    return (const char *)origin + (MPI_Aint)i * element->stride;
}

static inline void *summand__element_in(const struct summand__element *element, void *origin,
                                        size_t i)
{
    return (char *)origin + (MPI_Aint)i * element->stride;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of any MPI datatype in memory of our own: how far apart they lie, how they are copied.
 */
#ifndef SUMMAND_ORDERED_ELEMENT_H
#define SUMMAND_ORDERED_ELEMENT_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

struct summand__element {
    MPI_Datatype datatype;
    MPI_Aint extent; /* between elements of the caller's, of either sign */
    MPI_Aint stride; /* between elements of our own: the extent, but where the true extent is
                        larger, that, so that they never overlap */
    MPI_Aint true_lb, true_extent;
    int size;
    bool dense;   /* the bytes of the true extent are data, all of them */
    bool movable; /* the true extent may be copied whole into an element of our own, next to which
                     others lie already: its gaps are small and the stride is the extent */
};

int summand__element_init(struct summand__element *element, MPI_Datatype datatype);

/* Bytes that `count` elements of our own reach over, alignment included. */
size_t summand__element_span(const struct summand__element *element, size_t count);

/* Where the first element starts (the address to give to MPI, lower bound not added) so that all
 * lie in [memory, memory + span), aligned as the caller's malloc would align them. */
void *summand__element_origin(const struct summand__element *element, void *memory);

/* Bytes that `count` elements need packed, or -1 if MPI cannot pack them (2 GiB and more). */
int summand__element_packed(const struct summand__element *element, int count);

/* Copies one element; gaps of `to` stay as they are. pack: room for a packed element. */
int summand__element_copy(const struct summand__element *element, const void *from, void *to,
                          void *pack, int packed);

/* Element i of our own. */
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

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Elements of a datatype with gaps as bytes, by the MPI, which counts bytes in an int. */
#pragma once

#include <mpi.h>
#include <stddef.h>

struct summand__packing {
    MPI_Datatype datatype;
    MPI_Comm comm;
    size_t size, extent; /* bytes of an element, and from one to the next */
};

/* `bytes` has room for count * size. Both return an MPI error code. */
int summand__pack(const struct summand__packing *packing, const void *elements, size_t count,
                  unsigned char *bytes);
int summand__unpack(const struct summand__packing *packing, const unsigned char *bytes,
                    void *elements, size_t count);

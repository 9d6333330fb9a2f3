/* SPDX-License-Identifier: BSD-3-Clause */
/* Layouts of elements in memory: the caller's, or ours if we cannot work on the caller's. */
#pragma once

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* An element is `parts` of `datatype`; elements lie `stride` bytes apart. */
struct summand__datatype_layout {
    MPI_Datatype datatype;
    MPI_Aint stride;
    int parts;
};

/* Properties of a datatype. */
struct summand__datatype {
    MPI_Datatype handle;
    MPI_Aint extent, true_lb, true_extent;
    MPI_Count size;
    bool dense;  /* consecutive elements are consecutive bytes, all of them data */
    bool spaced; /* consecutive elements do not overlap, nor lie 1 GiB apart */
};

int summand__datatype_read(MPI_Datatype handle, struct summand__datatype *datatype);

/* Where copies between layouts take place: by packing, or by messages of a process to itself, which
 * convert any layout to any other. */
struct summand__self_copy {
    MPI_Comm comm;
    int rank, tag;
};

/* Copies elements from one layout to another; gaps of the target stay as they are. Returns an MPI
 * error code. */
int summand__datatype_layout_copy(const struct summand__self_copy *self_copy,
                                  const struct summand__datatype_layout *from, const void *source,
                                  const struct summand__datatype_layout *to, void *target,
                                  size_t count);

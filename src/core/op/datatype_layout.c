/* SPDX-License-Identifier: BSD-3-Clause */
#include "op/datatype_layout.h"

#include <stdlib.h>
#include <summand/error.h>

#include "base/int_max.h"
#include "process/datatype.h"

/* Our memory cannot have such gaps. */
enum { WIDE = 1 << 30 };

int summand__datatype_read(MPI_Datatype handle, struct summand__datatype *datatype)
{
    MPI_Aint lb;
    datatype->handle = handle;
    int code = PMPI_Type_get_extent(handle, &lb, &datatype->extent);
    if (code == MPI_SUCCESS)
        code = PMPI_Type_get_true_extent(handle, &datatype->true_lb, &datatype->true_extent);
    if (code == MPI_SUCCESS)
        code = summand__type_size(handle, &datatype->size);
    if (code != MPI_SUCCESS)
        return code;
    datatype->dense =
        datatype->size == datatype->true_extent && datatype->extent == datatype->true_extent;
    datatype->spaced = datatype->extent >= datatype->true_extent && datatype->extent > 0 &&
                       datatype->extent - datatype->true_extent < WIDE;
    return MPI_SUCCESS;
}

/* Copies `n` elements. Packs for MPI_PACKED, which some MPIs cannot send in place of datatypes:
 * MPICH 4.0.2 truncates long messages of MPI_DOUBLE_INT that are received as MPI_PACKED. */
static int copy(const struct summand__self_copy *self_copy,
                const struct summand__datatype_layout *from, const void *source,
                const struct summand__datatype_layout *to, void *target, int n)
{
    MPI_Comm comm = self_copy->comm;
    int position = 0;
    if (to->datatype == MPI_PACKED)
        return PMPI_Pack(source, n * from->parts, from->datatype, target, n * to->parts, &position,
                         comm);
    if (from->datatype == MPI_PACKED)
        return PMPI_Unpack(source, n * from->parts, &position, target, n * to->parts, to->datatype,
                           comm);
    return PMPI_Sendrecv(source, n * from->parts, from->datatype, self_copy->rank, self_copy->tag,
                         target, n * to->parts, to->datatype, self_copy->rank, self_copy->tag, comm,
                         MPI_STATUS_IGNORE);
}

int summand__datatype_layout_copy(const struct summand__self_copy *self_copy,
                                  const struct summand__datatype_layout *from, const void *source,
                                  const struct summand__datatype_layout *to, void *target,
                                  size_t count)
{
    int parts = from->parts > to->parts ? from->parts : to->parts;
    size_t most = SUMMAND_INT_MAX / (size_t)(parts ? parts : 1);
    if (!most)
        most = 1; /* only in tests with a small INT_MAX */
    int code = MPI_SUCCESS;
    for (size_t done = 0; done < count && code == MPI_SUCCESS; done += most) {
        int n = (int)(count - done < most ? count - done : most);
        code = copy(self_copy, from, (const char *)source + (MPI_Aint)done * from->stride, to,
                    (char *)target + (MPI_Aint)done * to->stride, n);
    }
    return code;
}

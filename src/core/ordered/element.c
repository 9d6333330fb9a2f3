/* SPDX-License-Identifier: BSD-3-Clause */
#include "ordered/element.h"

#include <stdint.h>
#include <string.h>

enum {
    ALIGNMENT = 64,
    /* Gaps whose sum is below a page lie in pages with data, so reading them is safe. */
    SMALL_GAPS = 1024
};

int summand__element_init(struct summand__element *element, MPI_Datatype datatype)
{
    MPI_Aint lb;
    *element = (struct summand__element){.datatype = datatype};
    int error = PMPI_Type_get_extent(datatype, &lb, &element->extent);
    if (!error)
        error = PMPI_Type_get_true_extent(datatype, &element->true_lb, &element->true_extent);
    if (!error)
        error = PMPI_Type_size(datatype, &element->size);
    if (error)
        return error;
    if (element->size == MPI_UNDEFINED) /* 2 GiB or more: never dense, and cannot be packed */
        element->size = -1;
    element->dense = element->size == element->true_extent;
    element->stride = element->extent;
    if (element->extent < element->true_extent)
        element->stride = (element->true_extent + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    element->movable =
        element->stride == element->extent && element->true_extent - element->size < SMALL_GAPS;
    return MPI_SUCCESS;
}

size_t summand__element_span(const struct summand__element *element, size_t count)
{
    return (count - 1) * (size_t)element->stride + (size_t)element->true_extent + ALIGNMENT;
}

void *summand__element_origin(const struct summand__element *element, void *memory)
{
    uintptr_t origin = (uintptr_t)memory - (uintptr_t)element->true_lb;
    return (void *)((origin + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

int summand__element_packed(const struct summand__element *element, int count)
{
    int bytes;
    if (element->size < 0 || (int64_t)element->size * count > INT32_MAX / 2)
        return -1;
    if (PMPI_Pack_size(count, element->datatype, MPI_COMM_SELF, &bytes) || bytes < 0)
        return -1;
    return bytes;
}

int summand__element_copy(const struct summand__element *element, const void *from, void *to,
                          void *pack, int packed)
{
    if (element->dense) {
        memcpy((char *)to + element->true_lb, (const char *)from + element->true_lb,
               (size_t)element->true_extent);
        return MPI_SUCCESS;
    }
    int position = 0;
    int error = PMPI_Pack(from, 1, element->datatype, pack, packed, &position, MPI_COMM_SELF);
    if (error)
        return error;
    packed = position;
    position = 0;
    return PMPI_Unpack(pack, packed, &position, to, 1, element->datatype, MPI_COMM_SELF);
}

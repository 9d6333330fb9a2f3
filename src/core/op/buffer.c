/* SPDX-License-Identifier: BSD-3-Clause */
#include "op/buffer.h"

#include <stdint.h>

#include "base/page.h"
#include "op/predefined.h"
#include "process/error.h"

/* True if data lie in the page of address 0, where no program has memory. */
static bool lies_at_zero(MPI_Datatype datatype)
{
    MPI_Aint lb = 0, extent = 0;
    return PMPI_Type_get_true_extent(datatype, &lb, &extent) == MPI_SUCCESS && extent > 0 &&
           lb < SUMMAND__PAGE && lb + extent > 0;
}

int summand__buffer_refuse(const char *name, const void *buffer, MPI_Count count,
                           MPI_Datatype datatype)
{
    char type[SUMMAND__TYPE_NAME];
    if (buffer == MPI_IN_PLACE)
        return summand__refuse_as(MPI_ERR_BUFFER, "%s is MPI_IN_PLACE, which is not allowed here",
                                  name);
    if (buffer || count <= 0 || !lies_at_zero(datatype))
        return MPI_SUCCESS;
    summand__datatype_name(datatype, type, sizeof type);
    return summand__refuse_as(MPI_ERR_BUFFER, "%s is NULL, not the address of %lld element%s of %s",
                              name, (long long)count, count == 1 ? "" : "s", type);
}

/* First byte, and one past the last, of elements without gaps. */
static void span(const struct summand__elements *e, uintptr_t *begin, uintptr_t *end)
{
    *begin = (uintptr_t)e->buffer + (uintptr_t)e->type->true_lb;
    *end = *begin + (uintptr_t)e->count * (uintptr_t)e->type->size;
}

bool summand__buffers_overlap(const struct summand__elements *a, const struct summand__elements *b)
{
    uintptr_t a_begin, a_end, b_begin, b_end;
    if (a->count <= 0 || b->count <= 0 || !a->type->size || !b->type->size)
        return false;
    if (!a->type->dense || !b->type->dense)
        return a->buffer == b->buffer && a->type->handle == b->type->handle;
    span(a, &a_begin, &a_end);
    span(b, &b_begin, &b_end);
    return a_begin < b_end && b_begin < a_end;
}

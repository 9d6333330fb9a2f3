/* SPDX-License-Identifier: BSD-3-Clause */
#include "ordered/any.h"

static void note(struct summand__any *any, int code)
{
    if (any->code == MPI_SUCCESS)
        any->code = code;
}

static void any_reduce(const void *context, const void *in, void *inout, size_t count)
{
    struct summand__any *any = (struct summand__any *)context;
    note(any, summand__ordered_combine(&any->workspace, in, inout, count));
}

static void any_copy(const void *context, const void *from, void *to, size_t count)
{
    struct summand__any *any = (struct summand__any *)context;
    const struct summand__ordered_workspace *w = &any->workspace;
    for (size_t i = 0; i < count; i++)
        note(any,
             summand__element_copy(&w->element, summand__element_at(&w->element, from, i),
                                   summand__element_in(&w->element, to, i), w->pack, w->packed));
}

static size_t any_pack(const void *context, const void *from, size_t count, void *bytes)
{
    struct summand__any *any = (struct summand__any *)context;
    const struct summand__element *element = &any->workspace.element;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        int position = 0;
        note(any, PMPI_Pack(summand__element_at(element, from, i), 1, element->datatype,
                            (char *)bytes + i * (size_t)any->packed, any->packed, &position,
                            MPI_COMM_SELF));
        used = (i + 1) * (size_t)any->packed;
    }
    return used;
}

static void any_unpack(const void *context, const void *bytes, void *to, size_t count)
{
    struct summand__any *any = (struct summand__any *)context;
    const struct summand__element *element = &any->workspace.element;
    for (size_t i = 0; i < count; i++) {
        int position = 0;
        note(any,
             PMPI_Unpack((const char *)bytes + i * (size_t)any->packed, any->packed, &position,
                         summand__element_in(element, to, i), 1, element->datatype, MPI_COMM_SELF));
    }
}

int summand__any_init(struct summand__any *any, MPI_Datatype datatype, MPI_Op op,
                      struct summand__operator *operator)
{
    *any = (struct summand__any){.packed = 0};
    int code = summand__ordered_workspace_init(&any->workspace, datatype, op);
    if (code != MPI_SUCCESS)
        return code;
    any->packed = summand__element_packed(&any->workspace.element, 1);
    if (any->packed < 0) {
        summand__any_free(any);
        return MPI_ERR_TYPE;
    }
    *operator=(struct summand__operator){
        .extent = (size_t)any->workspace.element.stride,
        .context = any,
        .reduce = any_reduce,
        .copy = any_copy,
        .packed = (size_t)any->packed,
        .pack = any_pack,
        .unpack = any_unpack,
    };
    return MPI_SUCCESS;
}

void summand__any_reach(const struct summand__any *any, size_t *lower, size_t *upper)
{
    const struct summand__element *e = &any->workspace.element;
    MPI_Aint end = e->true_lb + e->true_extent;
    *lower = e->true_lb < 0 ? (size_t)-e->true_lb : 0;
    *upper = end > 0 ? (size_t)end : 0;
}

void summand__any_free(struct summand__any *any)
{
    summand__ordered_workspace_free(&any->workspace);
}

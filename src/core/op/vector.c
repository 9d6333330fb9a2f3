/* SPDX-License-Identifier: BSD-3-Clause */
#include "op/vector.h"

#include <string.h>

#include "base/environment.h"
#include "base/int_max.h"
#include "base/machine.h"
#include "kernel/fpenv_call.h"
#include "kernel/stream.h"

static void note(struct summand__vector *vector, int code)
{
    if (vector->code == MPI_SUCCESS)
        vector->code = code;
}

/* Reduces whole regions in one call if elements lie as the datatype says: a user's operator may
 * depend on that. */
static void vector_reduce(const void *context, const void *in, void *inout, size_t count)
{
    struct summand__vector *vector = (struct summand__vector *)context;
    MPI_Aint stride = vector->layout.stride;
    if (vector->predefined.kernel) {
        summand__predefined_run(&vector->predefined, in, inout, inout, count);
        return;
    }
    size_t most = stride == vector->datatype.extent ? SUMMAND_INT_MAX : 1;
    struct summand__fpenv *lent = summand__fpenv_lend();
    for (size_t done = 0; done < count; done += most)
        note(vector, PMPI_Reduce_local((const char *)in + (MPI_Aint)done * stride,
                                       (char *)inout + (MPI_Aint)done * stride,
                                       (int)(count - done < most ? count - done : most),
                                       vector->datatype.handle, vector->op));
    summand__fpenv_take_back(lent);
}

static void vector_combine(const void *context, const void *left, const void *right, void *out,
                           size_t count)
{
    struct summand__vector *vector = (struct summand__vector *)context;
    if (vector->predefined.kernel) {
        summand__predefined_run(&vector->predefined, left, right, out, count);
    } else {
        struct summand__operator op = summand__vector_operator(vector);
        summand__combine_by_copy(&op, left, right, out, count);
    }
}

void summand__vector_set_operator(struct summand__vector *vector, MPI_Op op)
{
    vector->op = op;
    vector->predefined = summand__predefined(op, vector->datatype.handle);
}

static void copy_by(const void *context, const void *from, void *to, size_t count,
                    void (*copy_bytes)(void *to, const void *from, size_t bytes))
{
    struct summand__vector *vector = (struct summand__vector *)context;
    MPI_Aint lb = vector->datatype.true_lb;
    if (vector->bytes)
        copy_bytes(to, from, count);
    else if (vector->datatype.dense)
        copy_bytes((char *)to + lb, (const char *)from + lb,
                   count * (size_t)vector->datatype.extent);
    else
        note(vector, summand__datatype_layout_copy(&vector->self_copy, &vector->layout, from,
                                                   &vector->layout, to, count));
}

static void vector_copy(const void *context, const void *from, void *to, size_t count)
{
    copy_by(context, from, to, count, summand__copy_bytes);
}

static void copy_last(const void *context, const void *from, void *to, size_t count)
{
    copy_by(context, from, to, count, summand__stream_copy);
}

bool summand__vector_streams(size_t bytes, int ranks)
{
    struct summand__setting setting;
    struct summand__complaint complaint;
    if (!summand__streams())
        return false;
    if (summand__environment_read("SUMMAND_STREAM", &setting, &complaint) && setting.text)
        return bytes >= (unsigned long long)setting.number;
    if (!summand__stream_pays(SUMMAND__STREAM_COPIES))
        return false;
    struct summand__last_cache cache = summand__last_cache();
    int sharing = ranks < cache.processors ? ranks : cache.processors;
    return sharing && bytes >= cache.bytes / (size_t)sharing / 2;
}

struct summand__operator summand__vector_operator(struct summand__vector *vector)
{
    return (struct summand__operator){.extent = vector->bytes ? 1 : (size_t)vector->layout.stride,
                                      .context = vector,
                                      .reduce = vector_reduce,
                                      .copy = vector_copy,
                                      .combine = vector_combine,
                                      .copy_last = vector->streams ? copy_last : NULL};
}

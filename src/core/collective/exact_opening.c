/* SPDX-License-Identifier: BSD-3-Clause */
#include "collective/exact_opening.h"

static void spoil(struct summand__opening *opening)
{
    opening->formats = opening->words = 0;
}

static size_t bytes_of(const struct summand__opening *opening)
{
    return sizeof *opening + opening->words * sizeof *opening->lanes;
}

/* Integers wrap: lanes of ranks that disagree, which are dropped, may be any. */
static void opening_reduce(const void *context, const void *in, void *inout, size_t count)
{
    const struct summand__opening *other = in;
    struct summand__opening *mine = inout;
    (void)context;
    (void)count; /* a plan's schedule has one element */
    summand__worsen(&mine->head, other->head.error_flag);
    if (mine->formats != other->formats || mine->words != other->words)
        spoil(mine);
    mine->filled += other->filled;
    for (size_t i = 0; i < mine->words; i++)
        mine->lanes[i] = (int64_t)((uint64_t)mine->lanes[i] + (uint64_t)other->lanes[i]);
}

static void opening_copy(const void *context, const void *from, void *to, size_t count)
{
    (void)context;
    (void)count;
    memcpy(to, from, bytes_of(from));
}

static size_t opening_pack(const void *context, const void *from, size_t count, void *bytes)
{
    (void)context;
    (void)count;
    memcpy(bytes, from, bytes_of(from));
    return bytes_of(from);
}

/* A message of another call may have any content. */
static void opening_unpack(const void *context, const void *bytes, void *to, size_t count)
{
    const struct summand__opening_shape *shape = context;
    struct summand__opening *opening = to;
    (void)count;
    memcpy(opening, bytes, sizeof *opening);
    opening->head = summand__head_read(bytes, shape->signature);
    if (opening->head.error_flag || opening->words > shape->room)
        spoil(opening);
    memcpy(opening->lanes, (const char *)bytes + sizeof *opening,
           opening->words * sizeof *opening->lanes);
}

struct summand__operator summand__opening_operator(const struct summand__opening_shape *shape)
{
    const size_t bytes = sizeof(struct summand__opening) + shape->room * sizeof(int64_t);
    return (struct summand__operator){
        .extent = bytes,
        .context = shape,
        .reduce = opening_reduce,
        .copy = opening_copy,
        .packed = bytes,
        .pack = opening_pack,
        .unpack = opening_unpack,
    };
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ordered/local.h"

#include <stdlib.h>
#include <string.h>
#include <summand/error.h>

#include "kernel/fpenv_call.h"
#include "process/datatype.h"
#include "shape/dyadic.h"

enum {
    BLOCK_BYTES = 256 * 1024, /* a block should fit into the second-level cache */
    LEFTS = 64
};

/* Reverses the bits of i < 2^level. If a subtree's elements are in this order, those of even index
 * are the first half, those of odd index the second, in matching places. The operator's results on
 * the two halves are in the same order one level up. So one copy serves all levels. */
static unsigned reverse(unsigned i, unsigned level)
{
    unsigned reversed = 0;
    for (unsigned bit = 0; bit < level; bit++)
        reversed |= (i >> bit & 1u) << (level - 1 - bit);
    return reversed;
}

static unsigned block_level(const struct summand__element *element)
{
    unsigned level = SUMMAND__BLOCK_LEVEL;
    while (level && element->stride > BLOCK_BYTES >> level)
        level--;
    return level;
}

static int make_reversed(struct summand__ordered_workspace *w)
{
    MPI_Aint offsets[1 << SUMMAND__BLOCK_LEVEL];
    for (unsigned level = 0; level <= w->level; level++) {
        for (unsigned i = 0; i < 1u << level; i++)
            offsets[i] = (MPI_Aint)reverse(i, level) * w->element.extent;
        int error = PMPI_Type_create_hindexed_block(1 << level, 1, offsets, w->element.datatype,
                                                    &w->reversed[level]);
        if (!error)
            error = PMPI_Type_commit(&w->reversed[level]);
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

static int make_memory(struct summand__ordered_workspace *w)
{
    const struct summand__element *element = &w->element;
    size_t block = (size_t)1 << w->level;
    size_t block_bytes = summand__element_span(element, block);
    size_t left_bytes = summand__element_span(element, LEFTS);
    if (!element->dense || !element->movable) {
        w->packed = summand__element_packed(element, (int)block);
        if (w->packed < 0)
            return MPI_ERR_TYPE;
    }
    w->memory = calloc(1, block_bytes + left_bytes + (size_t)w->packed);
    if (!w->memory)
        return summand_error_code(SUMMAND_ERR_MEMORY);
    char *memory = w->memory;
    w->block = summand__element_origin(element, memory);
    w->left = summand__element_origin(element, memory + block_bytes);
    w->pack = memory + block_bytes + left_bytes;
    for (unsigned i = 0; i < 1u << SUMMAND__BLOCK_LEVEL; i++)
        w->order[i] = (uint16_t)reverse(i, SUMMAND__BLOCK_LEVEL);
    return element->movable ? MPI_SUCCESS : make_reversed(w);
}

int summand__ordered_workspace_init(struct summand__ordered_workspace *w, MPI_Datatype datatype,
                                    MPI_Op op)
{
    *w = (struct summand__ordered_workspace){.op = op};
    for (int i = 0; i <= SUMMAND__BLOCK_LEVEL; i++)
        w->reversed[i] = MPI_DATATYPE_NULL;
    int error = summand__element_init(&w->element, datatype);
    if (!error) {
        w->level = block_level(&w->element);
        w->predefined = summand__predefined(op, datatype);
        error = make_memory(w);
    }
    if (error)
        summand__ordered_workspace_free(w);
    return error;
}

void summand__ordered_workspace_free(struct summand__ordered_workspace *w)
{
    for (int i = 0; i <= SUMMAND__BLOCK_LEVEL; i++)
        summand__datatype_free(&w->reversed[i]);
    free(w->memory);
    w->memory = NULL;
}

static int copy(struct summand__ordered_workspace *w, const void *from, void *to)
{
    return summand__element_copy(&w->element, from, to, w->pack, w->packed);
}

int summand__ordered_combine(const struct summand__ordered_workspace *w, const void *left,
                             void *right, size_t count)
{
    const struct summand__element *element = &w->element;
    if (w->predefined.kernel) {
        summand__predefined_run(&w->predefined, left, right, right, count);
        return MPI_SUCCESS;
    }
    if (!element->size) /* MPICH reports two empty elements at one address as aliases */
        return MPI_SUCCESS;
    struct summand__fpenv *lent = summand__fpenv_lend();
    bool dense = element->stride == element->extent;
    int error = MPI_SUCCESS;
    if (dense)
        error = PMPI_Reduce_local(left, right, (int)count, element->datatype, w->op);
    for (size_t i = 0; !dense && !error && i < count; i++)
        error =
            PMPI_Reduce_local(summand__element_at(element, left, i),
                              summand__element_in(element, right, i), 1, element->datatype, w->op);
    summand__fpenv_take_back(lent);
    return error;
}

/* Element i of the caller's elements. */
static const void *input(const struct summand__ordered_workspace *w, const void *x, uint64_t i)
{
    return (const char *)x + (MPI_Aint)i * w->element.extent;
}

static void *current(const struct summand__ordered_workspace *w)
{
    return summand__element_in(&w->element, w->block, ((size_t)1 << w->level) - 1);
}

/* With a constant size, copies compile to plain loads and stores. */
#define COPY_REVERSED(bytes)                                                                       \
    for (unsigned i = 0; i < count; i++)                                                           \
    memcpy(to + i * stride, from + (w->order[i] >> shift) * stride, (bytes))

/* Copies 2^level elements from x to `block`, in reversed order. */
static void copy_reversed(const struct summand__ordered_workspace *w, const void *x, void *block,
                          unsigned level)
{
    const struct summand__element *element = &w->element;
    const char *from = (const char *)x + element->true_lb;
    char *to = (char *)block + element->true_lb;
    size_t stride = (size_t)element->extent, bytes = (size_t)element->true_extent;
    unsigned count = 1u << level, shift = SUMMAND__BLOCK_LEVEL - level;
    if (bytes == 8 && stride == 8)
        COPY_REVERSED(8);
    else if (bytes == 4 && stride == 4)
        COPY_REVERSED(4);
    else
        COPY_REVERSED(bytes);
}

/* The same by MPI, for datatypes with large gaps. */
static int pack_reversed(struct summand__ordered_workspace *w, const void *x, void *block,
                         unsigned level)
{
    const struct summand__element *element = &w->element;
    int position = 0;
    int error = PMPI_Pack(x, 1, w->reversed[level], w->pack, w->packed, &position, MPI_COMM_SELF);
    int bytes = position;
    position = 0;
    for (size_t i = 0; !error && i < (size_t)1 << level; i++)
        error = PMPI_Unpack(w->pack, bytes, &position, summand__element_in(element, block, i), 1,
                            element->datatype, MPI_COMM_SELF);
    return error;
}

/* Computes the value of 2^level elements, level <= w->level, into the last place of the block. */
static int reduce_block(struct summand__ordered_workspace *w, const void *x, unsigned level)
{
    size_t places = (size_t)1 << w->level;
    size_t count = (size_t)1 << level;
    void *block = summand__element_in(&w->element, w->block, places - count);
    int error = MPI_SUCCESS;
    if (w->element.movable)
        copy_reversed(w, x, block, level);
    else
        error = pack_reversed(w, x, block, level);
    for (count /= 2; !error && count; count /= 2)
        error = summand__ordered_combine(
            w, summand__element_in(&w->element, w->block, places - 2 * count),
            summand__element_in(&w->element, w->block, places - count), count);
    return error;
}

/* Prefetches, because reversed order defeats the hardware's prefetcher. */
static void prefetch(const struct summand__ordered_workspace *w, const void *x)
{
    const char *at = (const char *)x + w->element.true_lb;
    MPI_Aint bytes = w->element.movable ? w->element.extent << w->level : 0;
    for (MPI_Aint i = 0; i < bytes; i += 64)
        __builtin_prefetch(at + i);
}

/* Works at any level: block after block, like a binary counter. A value waits on its level in
 * `left` until the one to the right of it is there. */
static int reduce_subtree(struct summand__ordered_workspace *w, const void *x, unsigned level)
{
    if (level <= w->level)
        return reduce_block(w, x, level);
    uint64_t blocks = (uint64_t)1 << (level - w->level);
    for (uint64_t i = 0; i < blocks; i++) {
        if (i + 1 < blocks)
            prefetch(w, input(w, x, (i + 1) << w->level));
        int error = reduce_block(w, input(w, x, i << w->level), w->level);
        unsigned slot = 0;
        for (; !error && i >> slot & 1; slot++)
            error = summand__ordered_combine(w, summand__element_at(&w->element, w->left, slot),
                                             current(w), 1);
        if (!error && i + 1 < blocks)
            error = copy(w, current(w), summand__element_in(&w->element, w->left, slot));
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

int summand__ordered_local(struct summand__ordered_workspace *w, const void *x, uint64_t start,
                           uint64_t count, void *values)
{
    struct summand__dyadic_node nodes[SUMMAND__DYADIC_MAX];
    unsigned n = summand__dyadic_nodes(start, count, nodes);
    for (unsigned i = 0; i < n; i++) {
        const void *first = input(w, x, nodes[i].position - start);
        void *value = summand__element_in(&w->element, values, i);
        int error = nodes[i].level ? reduce_subtree(w, first, nodes[i].level) : MPI_SUCCESS;
        if (!error)
            error = copy(w, nodes[i].level ? current(w) : first, value);
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products of sparse factors. */
#include "compute/outer_kernels.h"
#include "kernel/fpenv.h"

/* The first of ascending indices [begin, end) that is at least `least`, else end. */
static size_t search(const uint32_t *index, size_t begin, size_t end, size_t least)
{
    while (begin < end) {
        const size_t middle = begin + (end - begin) / 2;
        if (index[middle] < least)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The elements of pair k with indices [low, high): `first` among all elements. */
struct span {
    size_t first, count;
    const uint32_t *index;
};

static struct span span_of(const struct summand__outer_list *list, size_t k, size_t low,
                           size_t high)
{
    const size_t begin = list->begin ? (size_t)list->begin[k] : k * list->width;
    const size_t count = list->begin ? (size_t)list->begin[k + 1] - begin : list->width;
    const uint32_t *index = list->begin ? list->index + begin : list->index;
    const size_t first = search(index, 0, count, low), end = search(index, first, count, high);
    return (struct span){begin + first, end - first, index + first};
}

void summand__outer_scatter(enum summand__outer_type type, const struct summand__outer_sparse *work,
                            size_t first, size_t rows)
{
    const struct outer_kernel *kernel = summand__outer_kernel(type);
    const struct summand__outer_list *a = &work->a, *b = &work->b;
    const struct summand__fpenv_plain saved = summand__fpenv_enter();
    for (size_t k = 0; k < work->pairs; k++) {
        const struct span x = span_of(a, k, work->row + first, work->row + first + rows);
        const struct span y = span_of(b, k, work->column, work->column + work->columns);
        for (size_t e = 0; e < x.count; e++)
            kernel->scatter((const char *)a->value + (x.first + e) * kernel->factor_size,
                            (const char *)b->value + y.first * kernel->factor_size, y.index,
                            y.count, work->column,
                            (char *)work->g + (x.index[e] - work->row) * work->ldg * kernel->size);
    }
    summand__fpenv_leave(saved);
}

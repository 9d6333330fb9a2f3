/* Sums of outer products of sparse factors. */
#include "kernel/fpenv.h"
#include "kernel/outer_kernels.h"

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

void summand__outer_scatter(enum summand__outer_type type, const struct summand__outer_sparse *work,
                            size_t first, size_t rows)
{
    const struct outer_kernel *kernel = summand__outer_kernel(type);
    const struct summand__outer_list *a = &work->a, *b = &work->b;
    const uint32_t saved = summand__fpenv_enter();
    for (size_t k = 0; k < work->pairs; k++) {
        const size_t top = search(a->index, a->begin[k], a->begin[k + 1], work->row + first);
        const size_t end = search(a->index, top, a->begin[k + 1], work->row + first + rows);
        const size_t left = search(b->index, b->begin[k], b->begin[k + 1], work->column);
        const size_t right = search(b->index, left, b->begin[k + 1], work->column + work->columns);
        for (size_t e = top; e < end; e++)
            kernel->scatter((const char *)a->value + e * kernel->factor_size,
                            (const char *)b->value + left * kernel->factor_size, b->index + left,
                            right - left, work->column,
                            (char *)work->g + (a->index[e] - work->row) * work->ldg * kernel->size);
    }
    summand__fpenv_leave(saved);
}

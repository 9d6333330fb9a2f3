/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products of lists as compressed rows (F. Gustavson, 1978). For each row, the pairs
 * with an element in it are added in order into a row of sums; then the touched columns are copied
 * from it. If the part has many more columns than all lists of b have elements, the row of sums has
 * only columns of some pair, and the indices of b are renumbered.
 * Cost: an operation for each element touched, and a sort of each row's columns; memory for columns
 * or, if that is less, for elements of b. */
#include <string.h>

#include "outer/mpi/factored.h"
#include "process/error.h"

/* An element of a in a row, and its pair. */
struct hit {
    const struct summand__outer_segment *segment;
    size_t pair;
    const char *value;
};

struct making {
    enum summand__outer_type type;
    struct summand__outer_block block;
    const summand_outer_compressed *to;
    double alpha;
    size_t size, used;
    size_t *begin; /* first hit of each row, and the end */
    struct hit *hit;
    char *sums;        /* of each column of the part, or of each listed column */
    uint32_t *touched; /* columns of the part */
    unsigned char *is_touched;
    uint32_t *listed; /* ascending columns of the part that occur in some pair; or NULL */
};

enum { WIDE = 4 }; /* columns per possible element from which columns are listed */

/* The most elements of b in the blocks of all ranks, if that is far less than the columns of the
 * part; else 0. */
static size_t most_listed(const struct summand__outer_factored *f, int m, size_t columns)
{
    const size_t unit = summand__outer_factor_size(f->arguments.type) + sizeof(uint32_t);
    const summand_outer_matrix *matrix = &f->matrices[m];
    const size_t most = f->first[f->ranks] * sizeof(uint64_t) / unit;
    return (matrix->list_b || matrix->symmetric) && most < columns / WIDE ? most : 0;
}

size_t summand__outer_compressed_room(const struct summand__outer_factored *f, int m)
{
    const struct summand__outer_block block = summand__outer_factored_block(f, m);
    const size_t size = summand__outer_result_size(f->arguments.type);
    const size_t most = most_listed(f, m, block.columns), places = most ? most : block.columns;
    return f->hits[m] * sizeof(struct hit) + (block.rows + 2) * sizeof(size_t) +
           places * (size + sizeof(uint32_t) + 1) + 2 * most * sizeof(uint32_t) +
           7 * SUMMAND__OUTER_ALIGNED;
}

/* Elements of a pair: the number of the first one in the list, and their indices. */
static size_t elements_of(const struct summand__outer_list *list, size_t k, size_t *first,
                          const uint32_t **index)
{
    *first = list->begin ? (size_t)list->begin[k] : k * list->width;
    *index = list->begin ? list->index + *first : list->index;
    return list->begin ? (size_t)list->begin[k + 1] - *first : list->width;
}

/* Counts the hits of each row, or stores them row by row. */
static void sort_hits(const struct summand__outer_factored *f, struct making *making, bool count)
{
    const struct summand__outer_block *block = &making->block;
    const size_t unit = summand__outer_factor_size(making->type);
    for (int r = 0; r < f->ranks; r++) {
        const struct summand__outer_segment *s = &f->segment[r];
        for (size_t k = 0; k < s->pairs; k++) {
            const uint32_t *index;
            size_t first, all = elements_of(&s->a, k, &first, &index);
            for (size_t e = 0; e < all; e++) {
                if (index[e] < block->row || index[e] >= block->row + block->rows)
                    continue;
                const size_t row = index[e] - block->row;
                if (count)
                    making->begin[row + 2]++;
                else
                    making->hit[making->begin[row + 1]++] =
                        (struct hit){s, k, (const char *)s->a.value + (first + e) * unit};
            }
        }
    }
}

/* False if there are more than when the plan was made, so that the room is too small. */
static bool find_hits(const struct summand__outer_factored *f, int m, struct making *making)
{
    size_t hits = 0;
    memset(making->begin, 0, (making->block.rows + 2) * sizeof *making->begin);
    sort_hits(f, making, true);
    for (size_t i = 0; i < making->block.rows; i++)
        hits += making->begin[i + 2];
    if (hits > f->hits[m])
        return false;
    for (size_t i = 0; i < making->block.rows; i++)
        making->begin[i + 2] += making->begin[i + 1];
    sort_hits(f, making, false);
    return true;
}

/* Radix sort by bytes, the lowest first; `spare` has room for `count`. */
static void sort_by_bytes(uint32_t *x, uint32_t *spare, size_t count)
{
    enum { BITS = 8, VALUES = 1 << BITS };
    for (int shift = 0; shift < 32; shift += BITS) {
        size_t next[VALUES + 1] = {0};
        for (size_t i = 0; i < count; i++)
            next[(x[i] >> shift) % VALUES + 1]++;
        for (int v = 0; v < VALUES; v++)
            next[v + 1] += next[v];
        for (size_t i = 0; i < count; i++)
            spare[next[(x[i] >> shift) % VALUES]++] = x[i];
        uint32_t *sorted = spare;
        spare = x;
        x = sorted;
    }
}

/* The place of a number in an ascending list that contains it. */
static size_t place_of(const uint32_t *numbers, size_t count, uint32_t number)
{
    size_t from = 0;
    while (count > 1) {
        const size_t half = count / 2;
        from += numbers[from + half] <= number ? half : 0;
        count -= half;
    }
    return from;
}

/* Visits each element of b in the part: lists its column, or sets its index to the column's place.
 * Indices after the part stay as they are, and all stay ascending. */
static size_t visit_columns(const struct summand__outer_factored *f, const struct making *making,
                            size_t count, bool renames)
{
    const struct summand__outer_block *block = &making->block;
    size_t found = 0;
    for (int r = 0; r < f->ranks; r++) {
        const struct summand__outer_list *b = &f->segment[r].b;
        const size_t elements = f->segment[r].pairs ? (size_t)b->begin[f->segment[r].pairs] : 0;
        uint32_t *index = (uint32_t *)b->index; /* in f->all, which this start has filled */
        for (size_t e = 0; e < elements; e++) {
            const size_t column = index[e] - block->column;
            if (index[e] < block->column || column >= block->columns)
                continue;
            if (renames)
                index[e] =
                    (uint32_t)(block->column + place_of(making->listed, count, (uint32_t)column));
            else
                making->listed[found++] = (uint32_t)column;
        }
    }
    return found;
}

/* From here on the part has only the listed columns. */
static void list_columns(const struct summand__outer_factored *f, struct making *making,
                         uint32_t *spare)
{
    const size_t found = visit_columns(f, making, 0, false);
    size_t count = 0;
    sort_by_bytes(making->listed, spare, found);
    for (size_t i = 0; i < found; i++)
        if (!count || making->listed[count - 1] != making->listed[i])
            making->listed[count++] = making->listed[i];
    visit_columns(f, making, count, true);
    making->block.columns = count;
}

/* Marks the columns of a pair that are in the part; returns the number of new ones. */
static size_t touch(const struct making *making, const struct hit *hit, size_t count)
{
    const struct summand__outer_block *block = &making->block;
    const uint32_t *index;
    size_t first, all = elements_of(&hit->segment->b, hit->pair, &first, &index);
    for (size_t e = 0; e < all; e++) {
        const size_t column = index[e] - block->column;
        if (index[e] < block->column || column >= block->columns || making->is_touched[column])
            continue;
        making->is_touched[column] = 1;
        memset(making->sums + column * making->size, 0, making->size);
        making->touched[count++] = (uint32_t)column;
    }
    return count;
}

static void add(const struct making *making, const struct hit *hit, size_t row)
{
    static const uint64_t one[] = {0, 1};
    const uint32_t at = (uint32_t)row;
    const struct summand__outer_list *b = &hit->segment->b;
    const size_t unit = summand__outer_factor_size(making->type);
    struct summand__outer_sparse work = {.a = {.begin = one, .index = &at, .value = hit->value},
                                         .b = *b,
                                         .g = making->sums,
                                         .pairs = 1,
                                         .columns = making->block.columns,
                                         .ldg = making->block.columns,
                                         .row = row,
                                         .column = making->block.column};
    if (b->begin)
        work.b.begin += hit->pair;
    else
        work.b.value = (const char *)b->value + hit->pair * b->width * unit;
    summand__outer_scatter(making->type, &work, 0, 1);
}

/* Shell sort: rows are short. */
static void sort(uint32_t *x, size_t count)
{
    size_t gap = 1;
    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap; gap /= 3)
        for (size_t i = gap; i < count; i++) {
            const uint32_t moved = x[i];
            size_t j = i;
            for (; j >= gap && x[j - gap] > moved; j -= gap)
                x[j] = x[j - gap];
            x[j] = moved;
        }
}

/* Stores the row's elements, as far as there is room. */
static void store(struct making *making, size_t count)
{
    const size_t room = (size_t)making->to->room;
    sort(making->touched, count);
    for (size_t e = 0; e < count; e++) {
        const size_t column = making->touched[e], at = making->used + e;
        making->is_touched[column] = 0;
        if (at >= room)
            continue;
        making->to->index[at] =
            (uint32_t)(making->block.column + (making->listed ? making->listed[column] : column));
        summand__outer_finish(making->type, making->sums + column * making->size,
                              (char *)making->to->value + at * making->size, 1, making->alpha, 0);
    }
    making->used += count;
}

int summand__outer_make_compressed(struct summand__outer_factored *f, int m)
{
    const enum summand__outer_type type = f->arguments.type;
    struct making making = {.type = type,
                            .block = summand__outer_factored_block(f, m),
                            .to = f->matrices[m].compressed,
                            .alpha = f->arguments.alpha,
                            .size = summand__outer_result_size(type)};
    const struct summand__outer_block *block = &making.block;
    const size_t most = most_listed(f, m, block->columns);
    char *room = f->room;
    if (!block->rows)
        return MPI_SUCCESS;
    making.hit = summand__outer_take(&room, f->hits[m] * sizeof *making.hit);
    making.begin = summand__outer_take(&room, (block->rows + 2) * sizeof *making.begin);
    if (!find_hits(f, m, &making))
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "the lists of matrices[%d] now have more elements than the %zu of "
                               "when the plan was made",
                               m, f->hits[m]);
    if (most) {
        making.listed = summand__outer_take(&room, most * sizeof *making.listed);
        list_columns(f, &making, summand__outer_take(&room, most * sizeof *making.listed));
    }
    making.sums = summand__outer_take(&room, block->columns * making.size);
    making.touched = summand__outer_take(&room, block->columns * sizeof *making.touched);
    making.is_touched = summand__outer_take(&room, block->columns);
    memset(making.is_touched, 0, block->columns);
    making.to->begin[0] = 0;
    for (size_t i = 0; i < block->rows; i++) {
        size_t count = 0;
        for (size_t h = making.begin[i]; h < making.begin[i + 1]; h++) {
            count = touch(&making, &making.hit[h], count);
            add(&making, &making.hit[h], block->row + i);
        }
        store(&making, count);
        making.to->begin[i + 1] = (MPI_Count)making.used;
    }
    if (making.used <= (size_t)making.to->room)
        return MPI_SUCCESS;
    return summand__refuse_as(MPI_ERR_TRUNCATE,
                              "matrices[%d].compressed->room is %lld; this rank's part has %zu "
                              "elements",
                              m, (long long)making.to->room, making.used);
}

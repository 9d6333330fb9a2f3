/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of outer products in which a and b are the same numbers, at least in part. Opposite elements
 * of G that are equal for this reason are computed once. */
#include <string.h>

#include "base/extreme.h"
#include "compute/outer_kernels.h"
#include "kernel/fpenv.h"
#include "kernel/stream.h"

enum {
    ROWS = 64,     /* of a tile that is computed once and stored twice */
    COLUMNS = 240, /* whole panels on every instruction set */
    LINES = 8,     /* columns of a tile that become rows together */
    FEW_ROWS = 8   /* of a tile on the stack */
};

/* Rows [lo, hi) of the tile of G are opposite columns [lo - shift, hi - shift). */
struct overlap {
    ptrdiff_t shift, lo, hi;
};

/* With fewer pairs, writing G dominates the time, and the product of all elements writes best. */
enum { LEAST_PAIRS = 64 };

static bool find_overlap(const struct outer_kernel *kernel, const struct summand__outer *work,
                         size_t all, struct overlap *overlap)
{
    const intptr_t size = (intptr_t)kernel->factor_size;
    const intptr_t bytes = (intptr_t)work->b - (intptr_t)work->a;
    if (work->continues || work->upper || work->turned_a || work->turned_b ||
        work->pairs < LEAST_PAIRS || work->lda != work->ldb || bytes % size)
        return false;
    const ptrdiff_t rows = (ptrdiff_t)all, columns = (ptrdiff_t)work->columns;
    overlap->shift = bytes / size;
    overlap->lo = overlap->shift > 0 ? overlap->shift : 0;
    overlap->hi = columns + overlap->shift < rows ? columns + overlap->shift : rows;
    return overlap->hi - overlap->lo > ROWS;
}

struct tile {
    const struct outer_kernel *kernel;
    const struct summand__outer *work;
    ptrdiff_t shift, row, rows, column, columns; /* columns are numbered by their opposite rows */
    bool diagonal; /* column is row, and elements below the diagonal are not computed */
    char *sums, *lines;
};

_Static_assert((ROWS * COLUMNS + LINES * ROWS) * sizeof(double) <= OUTER_SQUARE, "a tile");

static char *element(const struct tile *tile, ptrdiff_t i, ptrdiff_t j)
{
    return (char *)tile->work->g +
           (i * (ptrdiff_t)tile->work->ldg + j - tile->shift) * (ptrdiff_t)tile->kernel->size;
}

static inline __attribute__((always_inline)) void turn(const char *from, char *to, ptrdiff_t rows,
                                                       size_t size)
{
    for (ptrdiff_t r = 0; r < rows; r++)
        for (size_t c = 0; c < LINES; c++)
            memcpy(to + (c * ROWS + (size_t)r) * size, from + ((size_t)r * COLUMNS + c) * size,
                   size);
}

static void put(const struct tile *tile, char *sums, ptrdiff_t i, ptrdiff_t j, ptrdiff_t count)
{
    if (tile->work->stream && tile->work->beta == 0)
        summand__stream_copy(element(tile, i, j), sums, (size_t)count * tile->kernel->size);
    else
        tile->kernel->finish(sums, element(tile, i, j), (size_t)count, 1, tile->work->beta);
}

/* Stores the tile's rows, and its columns as rows on the other side of the diagonal. */
static void store(struct tile *tile)
{
    const size_t size = tile->kernel->size;
    for (ptrdiff_t r = 0; r < tile->rows; r++) {
        const ptrdiff_t begin = tile->diagonal ? r : 0;
        if (begin < tile->columns)
            put(tile, tile->sums + (size_t)(r * COLUMNS + begin) * size, tile->row + r,
                tile->column + begin, tile->columns - begin);
    }
    for (ptrdiff_t c = 0; c < tile->columns; c++) {
        const ptrdiff_t count = tile->diagonal && c < tile->rows ? c : tile->rows;
        if (c % LINES == 0 && size == sizeof(double))
            turn(tile->sums + (size_t)c * size, tile->lines, tile->rows, sizeof(double));
        else if (c % LINES == 0)
            turn(tile->sums + (size_t)c * size, tile->lines, tile->rows, sizeof(float));
        put(tile, tile->lines + (size_t)(c % LINES) * ROWS * size, tile->column + c, tile->row,
            count);
    }
}

static void run_tile(enum summand__outer_type type, struct tile *tile)
{
    const size_t factor = tile->kernel->factor_size;
    struct summand__outer part = *tile->work;
    part.a = (const char *)part.a + (size_t)tile->row * factor;
    part.b = (const char *)part.b + (tile->column - tile->shift) * (ptrdiff_t)factor;
    part.g = tile->sums;
    part.ldg = COLUMNS;
    part.columns = (size_t)tile->columns;
    part.beta = 0;
    part.stream = false;
    part.upper = tile->diagonal;
    summand__outer_run(type, &part, 0, (size_t)tile->rows);
    store(tile);
}

/* Runs columns [column, end) of the rows, each element on its own. */
static void run_columns(enum summand__outer_type type, const struct outer_kernel *kernel,
                        const struct summand__outer *work, ptrdiff_t column, ptrdiff_t end,
                        size_t first, size_t rows)
{
    struct summand__outer part = *work;
    if (column >= end)
        return;
    part.b = (const char *)work->b + (size_t)column * kernel->factor_size;
    part.g = (char *)work->g + (size_t)column * kernel->size;
    part.columns = (size_t)(end - column);
    summand__outer_run(type, &part, first, rows);
}

/* Runs rows of the overlap in tiles of `tall` rows. The room holds such a tile and, after it, LINES
 * of ROWS elements. The set of stored elements does not depend on the tiles. */
static void run_square_in(char *room, ptrdiff_t tall, enum summand__outer_type type,
                          const struct overlap *overlap, const struct summand__outer *work,
                          ptrdiff_t first, ptrdiff_t end)
{
    struct tile tile = {.kernel = summand__outer_kernel(type),
                        .work = work,
                        .shift = overlap->shift,
                        .sums = room,
                        .lines = room + (size_t)tall * COLUMNS * sizeof(double)};
    for (tile.row = first; tile.row < end; tile.row += tile.rows) {
        tile.rows = summand__lesser(tall, end - tile.row);
        for (tile.column = tile.row; tile.column < overlap->hi; tile.column += tile.columns) {
            tile.columns = summand__lesser(COLUMNS, overlap->hi - tile.column);
            tile.diagonal = tile.column == tile.row;
            run_tile(type, &tile);
        }
    }
    if (work->stream)
        summand__stream_fence();
}

/* Not inlined: only a thread without memory needs so much stack. */
static __attribute__((noinline)) void run_square_with_few(enum summand__outer_type type,
                                                          const struct overlap *overlap,
                                                          const struct summand__outer *work,
                                                          ptrdiff_t first, ptrdiff_t end)
{
    _Alignas(64) char room[(FEW_ROWS * COLUMNS + LINES * ROWS) * sizeof(double)];
    run_square_in(room, FEW_ROWS, type, overlap, work, first, end);
}

/* Earlier rows may have run with memory and these without, or vice versa. Both ways leave out the
 * same elements, those that another row stores. */
static void run_square(enum summand__outer_type type, const struct overlap *overlap,
                       const struct summand__outer *work, ptrdiff_t first, ptrdiff_t end)
{
    const struct outer_panels *panels = summand__outer_panels();
    if (panels)
        run_square_in(panels->square, ROWS, type, overlap, work, first, end);
    else
        run_square_with_few(type, overlap, work, first, end);
}

void summand__outer_run_in_order(enum summand__outer_type type, const struct summand__outer *work,
                                 size_t all, size_t first, size_t rows)
{
    const struct outer_kernel *kernel = summand__outer_kernel(type);
    const ptrdiff_t columns = (ptrdiff_t)work->columns, end = (ptrdiff_t)(first + rows);
    struct overlap overlap;
    if (!find_overlap(kernel, work, all, &overlap)) {
        summand__outer_run(type, work, first, rows);
        return;
    }
    ptrdiff_t row = (ptrdiff_t)first;
    const ptrdiff_t above = summand__lesser(end, overlap.lo),
                    within = summand__lesser(end, overlap.hi);
    if (row < above)
        summand__outer_run(type, work, first, (size_t)(above - row));
    row = row < above ? above : row;
    if (row < within) {
        const struct summand__fpenv_plain saved = summand__fpenv_enter();
        const size_t count = (size_t)(within - row);
        run_columns(type, kernel, work, 0, overlap.lo - overlap.shift, (size_t)row, count);
        run_square(type, &overlap, work, row, within);
        run_columns(type, kernel, work, overlap.hi - overlap.shift, columns, (size_t)row, count);
        summand__fpenv_leave(saved);
        row = within;
    }
    if (row < end)
        summand__outer_run(type, work, (size_t)row, (size_t)(end - row));
}

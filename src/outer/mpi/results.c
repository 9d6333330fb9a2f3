/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of a rank from the blocks of all ranks: its part of each matrix, in place or in
 * tiles, or the factors themselves. */
#include <string.h>

#include "base/extreme.h"
#include "kernel/fpenv_call.h"
#include "outer/mpi/factored.h"
#include "process/error.h"

enum {
    ROWS = 128,    /* of a tile of dense factors */
    COLUMNS = 1024 /* the same; the columns of b are collected once for all rows */
};
enum { TILE = 1 << 20 /* bytes of a tile of lists, unless a row is longer */ };
enum { STREAMED = 8 << 20 /* bytes of a result that no cache will still hold */ };

/* A part of a matrix that is being computed. */
struct making {
    struct summand__outer_factored *of;
    const struct summand__outer_arguments *arguments;
    enum summand__outer_type type;
    int m;
    struct summand__outer_block block;
    size_t ldg, unit, size, pairs;
    char *g, *room;
};

static bool is_sparse(const struct summand__outer_factored *f, int m)
{
    return f->matrices[m].list_a || f->matrices[m].list_b;
}

static size_t list_rows(const struct summand__outer_block *block, size_t size)
{
    size_t fit = TILE / size / (block->columns + !block->columns);
    return summand__lesser(block->rows, fit ? fit : 1);
}

static size_t room_of(const struct summand__outer_factored *f, int m)
{
    const enum summand__outer_type type = f->arguments.type;
    const struct summand__outer_block block = summand__outer_factored_block(f, m);
    const size_t unit = summand__outer_factor_size(type), size = summand__outer_result_size(type);
    const size_t rows = summand__lesser(ROWS, block.rows),
                 columns = summand__lesser(COLUMNS, block.columns);
    if (f->arguments.options.result == SUMMAND_OUTER_FACTORS)
        return 0;
    if (f->matrices[m].compressed)
        return summand__outer_compressed_room(f, m);
    if (is_sparse(f, m))
        return list_rows(&block, size) * block.columns * size + SUMMAND__OUTER_ALIGNED;
    return f->pairs[m] * (rows + columns) * unit + rows * columns * size +
           3 * SUMMAND__OUTER_ALIGNED;
}

size_t summand__outer_results_room(const struct summand__outer_factored *f)
{
    size_t most = 0;
    for (int m = 0; m < f->arguments.n; m++) {
        size_t room = room_of(f, m);
        most = room > most ? room : most;
    }
    return most;
}

static void told(const struct making *making, size_t row, size_t rows)
{
    struct summand__fpenv *lent = summand__fpenv_lend();
    if (making->arguments->options.finished && rows)
        making->arguments->options.finished(making->arguments->options.context, making->m,
                                            (MPI_Count)row, (MPI_Count)rows);
    summand__fpenv_take_back(lent);
}

static void hand_tile(const struct making *making, size_t row, size_t rows, size_t column,
                      size_t columns, const void *values)
{
    const summand_outer_part part = {(MPI_Count)(making->block.row + row), (MPI_Count)rows,
                                     (MPI_Count)(making->block.column + column),
                                     (MPI_Count)columns};
    struct summand__fpenv *lent = summand__fpenv_lend();
    making->arguments->options.tile(making->arguments->options.context, making->m, &part, values,
                                    (MPI_Count)columns);
    summand__fpenv_take_back(lent);
}

/* Collects columns [first, first + count) of a or b, of all pairs contiguously. */
static void bring(const struct making *making, bool a, size_t first, size_t count, char *to)
{
    const size_t begin = a ? making->block.row : making->block.column;
    const size_t cut = making->of->slices ? begin : 0; /* slices begin with the part */
    for (int r = 0; r < making->of->ranks; r++) {
        const struct summand__outer_segment *s = &making->of->segment[r];
        const struct summand__outer_list *list = a ? &s->a : &s->b;
        const char *from = (const char *)list->value + (first - cut) * making->unit;
        for (size_t k = 0; k < s->pairs; k++, to += count * making->unit)
            memcpy(to, from + k * list->width * making->unit, count * making->unit);
    }
}

static void make_dense(const struct making *making)
{
    const struct summand__outer_block *block = &making->block;
    const struct summand__outer_arguments *arguments = making->arguments;
    char *room = making->room;
    char *a = summand__outer_take(&room, making->pairs * summand__lesser(ROWS, block->rows) *
                                             making->unit);
    char *b = summand__outer_take(&room, making->pairs * summand__lesser(COLUMNS, block->columns) *
                                             making->unit);
    char *tile = summand__outer_take(&room, 0);
    for (size_t j = 0, columns; j < block->columns; j += columns) {
        columns = summand__lesser(COLUMNS, block->columns - j);
        bring(making, false, block->column + j, columns, b);
        for (size_t i = 0, rows; i < block->rows; i += rows) {
            rows = summand__lesser(ROWS, block->rows - i);
            bring(making, true, block->row + i, rows, a);
            const struct summand__outer work = {
                .a = a,
                .b = b,
                .g = arguments->options.tile ? tile
                                             : making->g + (i * making->ldg + j) * making->size,
                .pairs = making->pairs,
                .columns = columns,
                .lda = rows,
                .ldb = columns,
                .ldg = arguments->options.tile ? columns : making->ldg,
                .alpha = arguments->alpha,
                .beta = arguments->beta,
                .stream = !arguments->options.tile && arguments->beta == 0 &&
                          block->rows * block->columns * making->size > STREAMED};
            summand__outer_run(making->type, &work, 0, rows);
            if (arguments->options.tile)
                hand_tile(making, i, rows, j, columns, tile);
            else if (j + columns == block->columns)
                told(making, i, rows);
        }
    }
}

static void make_of_lists(const struct making *making)
{
    const struct summand__outer_block *block = &making->block;
    const struct summand__outer_arguments *arguments = making->arguments;
    char *room = making->room;
    const size_t most = list_rows(block, making->size), row = block->columns * making->size;
    char *sums = summand__outer_take(&room, most * row);
    for (size_t i = 0, rows; i < block->rows && row; i += rows) {
        rows = summand__lesser(most, block->rows - i);
        memset(sums, 0, rows * row);
        for (int r = 0; r < making->of->ranks; r++) {
            const struct summand__outer_segment *s = &making->of->segment[r];
            const struct summand__outer_sparse work = {.a = s->a,
                                                       .b = s->b,
                                                       .g = sums,
                                                       .pairs = s->pairs,
                                                       .columns = block->columns,
                                                       .ldg = block->columns,
                                                       .row = block->row + i,
                                                       .column = block->column};
            summand__outer_scatter(making->type, &work, 0, rows);
        }
        for (size_t r = 0; r < rows; r++)
            summand__outer_finish(making->type, sums + r * row,
                                  arguments->options.tile
                                      ? sums + r * row
                                      : making->g + (i + r) * making->ldg * making->size,
                                  block->columns, arguments->alpha, arguments->beta);
        if (arguments->options.tile)
            hand_tile(making, i, rows, 0, block->columns, sums);
        else
            told(making, i, rows);
    }
}

static void hand_factors_over(const struct making *making)
{
    size_t row = 0;
    for (int r = 0; r < making->of->ranks; r++) {
        const struct summand__outer_segment *s = &making->of->segment[r];
        const size_t a = s->a.width * making->unit, b = s->b.width * making->unit;
        for (size_t k = 0; k < s->pairs; k++, row++) {
            char *to = making->g + row * making->ldg * making->unit;
            if (a)
                memcpy(to, (const char *)s->a.value + k * a, a);
            if (b && !making->of->matrices[making->m].symmetric)
                memcpy(to + a, (const char *)s->b.value + k * b, b);
        }
    }
    told(making, 0, row);
}

int summand__outer_make_results(struct summand__outer_factored *f)
{
    const struct summand__outer_arguments *arguments = &f->arguments;
    const enum summand__outer_type type = arguments->type;
    int code = MPI_SUCCESS;
    if (f->changed)
        return summand__refuse(SUMMAND_ERR_ARGUMENT,
                               "the indices of list_a or list_b now take another amount of memory "
                               "than when the plan was made");
    const int changed = summand__outer_first_segments(f);
    if (changed < f->ranks) {
        summand__error_explain(SUMMAND_ERR_REMOTE,
                               "rank %d: its lists have changed since the plan was made", changed);
        return summand_error_code(SUMMAND_ERR_REMOTE);
    }
    for (int m = 0; m < arguments->n; m++) {
        const summand_outer_matrix *matrix = &f->matrices[m];
        struct making making = {.of = f,
                                .arguments = arguments,
                                .type = type,
                                .m = m,
                                .block = summand__outer_factored_block(f, m),
                                .unit = summand__outer_factor_size(type),
                                .size = summand__outer_result_size(type),
                                .pairs = f->pairs[m],
                                .g = matrix->g,
                                .room = f->room};
        const bool factors = arguments->options.result == SUMMAND_OUTER_FACTORS;
        making.ldg = matrix->lead_g ? (size_t)matrix->lead_g : making.block.columns;
        if (factors && !matrix->lead_g)
            making.ldg = (size_t)(matrix->rows + (matrix->symmetric ? 0 : matrix->columns));
        summand__outer_next_segments(f, m);
        if (factors) {
            hand_factors_over(&making);
        } else if (matrix->compressed) {
            const int failed = summand__outer_make_compressed(f, m);
            code = failed == MPI_SUCCESS ? code : failed;
            told(&making, 0, failed == MPI_SUCCESS ? making.block.rows : 0);
        } else if (is_sparse(f, m)) {
            make_of_lists(&making);
        } else {
            make_dense(&making);
        }
    }
    return code;
}

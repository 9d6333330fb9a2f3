/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/tiles.h"
#include "compute/kernels.h"

static const struct summand__tile none;

static void compute(struct summand__schedule *schedule, const char *kernel,
                    struct summand__tile from, struct summand__tile to)
{
    summand__compute(schedule, summand__kernel_named(kernel), from, none, to, false);
}

/* Copies a run of rows, over columns at any distance. */
static void copy_run(struct summand__schedule *schedule, const struct summand__comb *run,
                     const struct summand__comb *columns, struct summand__columns from,
                     struct summand__columns to)
{
    compute(schedule, "pack",
            summand__tile(from.place, from.first + columns->from * from.lead + run->from,
                          columns->teeth, run->teeth, columns->from_step * from.lead),
            summand__tile(to.place, to.first + columns->to * to.lead + run->to, columns->teeth,
                          run->teeth, columns->to_step * to.lead));
}

static void copy_by_runs(struct summand__schedule *schedule, const struct summand__comb *rows,
                         const struct summand__comb *columns, struct summand__columns from,
                         struct summand__columns to)
{
    for (size_t k = 0; k < summand__comb_pieces(columns); k++)
        for (size_t tooth = 0; tooth < rows->teeth; tooth++) {
            struct summand__comb piece = summand__comb_piece(columns, k);
            struct summand__comb run = summand__comb_run(rows, tooth);
            copy_run(schedule, &run, &piece, from, to);
        }
}

static void copy_by_columns(struct summand__schedule *schedule, const struct summand__comb *rows,
                            const struct summand__comb *columns, struct summand__columns from,
                            struct summand__columns to)
{
    for (size_t i = 0; i < columns->teeth * columns->width; i++) {
        size_t tooth = i / columns->width, within = i % columns->width;
        size_t a = columns->from + tooth * columns->from_step + within;
        size_t b = columns->to + tooth * columns->to_step + within;
        compute(schedule, "pack",
                summand__tile(from.place, from.first + a * from.lead + rows->from, rows->teeth,
                              rows->width, rows->from_step),
                summand__tile(to.place, to.first + b * to.lead + rows->to, rows->teeth, rows->width,
                              rows->to_step));
    }
}

void summand__tiles_copy(struct summand__schedule *schedule, const struct summand__combs *rows,
                         const struct summand__combs *columns, struct summand__columns from,
                         struct summand__columns to)
{
    bool by_runs = rows->runs * summand__combs_pieces(columns) <= rows->length * columns->total;
    for (size_t j = 0; j < columns->length; j++)
        for (size_t i = 0; i < rows->length; i++)
            (by_runs ? copy_by_runs : copy_by_columns)(schedule, &rows->comb[i], &columns->comb[j],
                                                       from, to);
}

/* True if the comb is one rectangle. Rectangles of `from` need neighbouring rows, those of `to`
 * neighbouring columns; the others may be any distance apart. */
static bool is_one_piece(const struct summand__comb *comb, size_t step)
{
    return comb->width == 1 && (step == 1 || comb->teeth == 1);
}

static size_t transposed_pieces(const struct summand__combs *combs, bool rows)
{
    size_t pieces = 0;
    for (size_t i = 0; i < combs->length; i++) {
        const struct summand__comb *comb = &combs->comb[i];
        pieces += is_one_piece(comb, rows ? comb->from_step : comb->to_step) ? 1 : comb->teeth;
    }
    return pieces;
}

static void transpose_by_runs(struct summand__schedule *schedule, const struct summand__comb *rows,
                              const struct summand__comb *columns, struct summand__columns from,
                              struct summand__columns to)
{
    bool rows_whole = is_one_piece(rows, rows->from_step);
    bool columns_whole = is_one_piece(columns, columns->to_step);
    for (size_t i = 0; i < (rows_whole ? 1 : rows->teeth); i++)
        for (size_t j = 0; j < (columns_whole ? 1 : columns->teeth); j++) {
            struct summand__comb r = rows_whole ? *rows : summand__comb_run(rows, i);
            struct summand__comb c = columns_whole ? *columns : summand__comb_run(columns, j);
            compute(schedule, "transpose",
                    summand__tile(from.place, from.first + c.from * from.lead + r.from, c.teeth,
                                  r.teeth, c.from_step * from.lead),
                    summand__tile(to.place, to.first + r.to * to.lead + c.to, r.teeth, c.teeth,
                                  r.to_step * to.lead));
        }
}

/* One row becomes parts of one column: one step for a comb if its elements are equally far apart.
 */
static size_t row_steps(const struct summand__comb *columns)
{
    bool regular = columns->width == 1 || columns->from_step == columns->width;
    return regular ? 1 : columns->teeth;
}

static void transpose_row(struct summand__schedule *schedule, size_t from_row, size_t to_column,
                          const struct summand__comb *columns, struct summand__columns from,
                          struct summand__columns to)
{
    size_t steps = row_steps(columns), teeth = columns->teeth / steps;
    size_t apart = columns->width == 1 ? columns->from_step : 1;
    for (size_t k = 0; k < steps; k++)
        compute(schedule, "pack",
                summand__tile(from.place,
                              from.first + (columns->from + k * columns->from_step) * from.lead +
                                  from_row,
                              teeth * columns->width, 1, apart * from.lead),
                summand__tile(to.place,
                              to.first + to_column * to.lead + columns->to + k * columns->to_step,
                              teeth, columns->width, columns->to_step));
}

static void transpose_by_rows(struct summand__schedule *schedule, const struct summand__comb *rows,
                              const struct summand__comb *columns, struct summand__columns from,
                              struct summand__columns to)
{
    for (size_t i = 0; i < rows->teeth * rows->width; i++) {
        size_t tooth = i / rows->width, within = i % rows->width;
        transpose_row(schedule, rows->from + tooth * rows->from_step + within,
                      rows->to + tooth * rows->to_step + within, columns, from, to);
    }
}

void summand__tiles_transpose(struct summand__schedule *schedule, const struct summand__combs *rows,
                              const struct summand__combs *columns, struct summand__columns from,
                              struct summand__columns to)
{
    size_t runs = transposed_pieces(rows, true) * transposed_pieces(columns, false), single = 0;
    for (size_t j = 0; j < columns->length; j++)
        single += rows->total * row_steps(&columns->comb[j]);
    for (size_t j = 0; j < columns->length; j++)
        for (size_t i = 0; i < rows->length; i++)
            (runs <= single ? transpose_by_runs : transpose_by_rows)(schedule, &rows->comb[i],
                                                                     &columns->comb[j], from, to);
}

bool summand__tiles_contiguous(const struct summand__combs *rows,
                               const struct summand__combs *columns, bool sends, size_t lead,
                               size_t *first)
{
    const struct summand__comb *row = rows->comb, *column = columns->comb;
    if (rows->runs != 1 || columns->runs != 1 || (columns->total != 1 && rows->total != lead))
        return false;
    *first = sends ? column->from * lead + row->from : column->to * lead + row->to;
    return true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/algorithms/crowd.h"

#include <math.h>
#include <stdlib.h>

#include "bench/need.h"

int crowd_per_row(int ranks)
{
    return (ranks + CROWD_ROWS - 1) / CROWD_ROWS;
}

int crowd_rows(int ranks)
{
    const int per_row = crowd_per_row(ranks);
    return (ranks + per_row - 1) / per_row;
}

static int columns_of(const struct svg_axis *time)
{
    return (int)(time->to - time->from) / CROWD_COLUMN;
}

/* Seconds of a column. */
static double width_of(const struct svg_axis *time, double unit)
{
    return (time->high - time->low) / unit / columns_of(time);
}

bool crowd_is(size_t parts, int ranks, const struct svg_axis *time)
{
    return crowd_per_row(ranks) > 1 || parts / (size_t)ranks > (size_t)columns_of(time) / 2;
}

void crowd_begin(struct crowd *crowd, int ranks, int kinds, double unit,
                 const struct svg_axis *time)
{
    *crowd = (struct crowd){.ranks = ranks,
                            .per_row = crowd_per_row(ranks),
                            .rows = crowd_rows(ranks),
                            .columns = columns_of(time),
                            .kinds = kinds,
                            .unit = unit,
                            .time = time};
    crowd->busy = need(
        calloc((size_t)crowd->rows * (size_t)crowd->columns * (size_t)kinds, sizeof *crowd->busy));
}

static double *cell(const struct crowd *crowd, int row, int column)
{
    return crowd->busy +
           ((size_t)row * (size_t)crowd->columns + (size_t)column) * (size_t)crowd->kinds;
}

void crowd_add(struct crowd *crowd, int rank, int kind, double begin, double end)
{
    const double width = width_of(crowd->time, crowd->unit), first = crowd->time->low / crowd->unit;
    int column = (int)fmax(0, (begin - first) / width);
    for (; column < crowd->columns && first + column * width < end; column++) {
        const double from = fmax(begin, first + column * width);
        const double to = fmin(end, first + (column + 1) * width);
        cell(crowd, rank / crowd->per_row, column)[kind] += fmax(0, to - from);
    }
}

/* Columns with the same heights are one box. */
static bool same(const struct crowd *crowd, const double *a, const double *b)
{
    for (int kind = 0; kind < crowd->kinds; kind++)
        if (fabs(a[kind] - b[kind]) > 0.02 * width_of(crowd->time, crowd->unit) * crowd->per_row)
            return false;
    return true;
}

static void draw_column(const struct crowd *crowd, int row, int column, int count, double bottom,
                        double height, const char *const *fills, FILE *out)
{
    const double *busy = cell(crowd, row, column);
    const int last = (row + 1) * crowd->per_row;
    const int ranks = (last < crowd->ranks ? last : crowd->ranks) - row * crowd->per_row;
    const double whole = width_of(crowd->time, crowd->unit) * ranks;
    for (int kind = 0; kind < crowd->kinds; kind++) {
        const double high = height * fmin(1, busy[kind] / whole);
        if (high < 0.05)
            continue;
        bottom -= high;
        fprintf(out, "<rect x=\"%.1f\" y=\"%.2f\" width=\"%d\" height=\"%.2f\" fill=\"%s\"/>\n",
                crowd->time->from + CROWD_COLUMN * column, bottom, CROWD_COLUMN * count, high,
                fills[kind]);
    }
}

void crowd_draw(struct crowd *crowd, double top, double row, const char *const *fills, FILE *out)
{
    for (int r = 0; r < crowd->rows; r++)
        for (int column = 0, next; column < crowd->columns; column = next) {
            for (next = column + 1; next < crowd->columns &&
                                    same(crowd, cell(crowd, r, column), cell(crowd, r, next));)
                next++;
            draw_column(crowd, r, column, next - column, top + row * (r + 0.9), 0.8 * row, fills,
                        out);
        }
    free(crowd->busy);
}

void crowd_note(int ranks, bool crowd, const struct svg_axis *time, double unit, char *text,
                size_t room)
{
    char width[32];
    text[0] = 0;
    if (!crowd)
        return;
    svg_time_text(width_of(time, unit), width, sizeof width);
    if (crowd_per_row(ranks) > 1)
        snprintf(text, room, "; a row is %d ranks, a column %s, heights are parts of their time",
                 crowd_per_row(ranks), width);
    else
        snprintf(text, room, "; a column is %s, heights are parts of the time", width);
}

void crowd_name(int ranks, int row, char *text, size_t room)
{
    const int per_row = crowd_per_row(ranks), last = (row + 1) * per_row;
    if (per_row == 1)
        snprintf(text, room, "rank %d", row);
    else
        snprintf(text, room, "%d-%d", row * per_row, (last < ranks ? last : ranks) - 1);
}

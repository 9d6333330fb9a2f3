/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "cli/common/cli.h"
#include "cli/output/output.h"
#include "cli/plot/svg.h"
#include "cli/spread/spread.h"

enum { COLUMNS = 2, WIDTH = 390, HEIGHT = 270, HEAD = 90 };

static int by_x(const void *a, const void *b)
{
    const struct svg_point *p = a, *q = b;
    return (p->x > q->x) - (p->x < q->x);
}

/* Distances from the exact sum. */
static int points_of(const struct spread_method *method, double exact, struct svg_point *points)
{
    int count = 0;
    for (int i = 0; i < method->runs; i++) {
        double y = method->value[i] - exact;
        if (isfinite(y))
            points[count++] = (struct svg_point){method->ranks[i], y, y, y};
    }
    qsort(points, (size_t)count, sizeof *points, by_x);
    return count;
}

static void draw_file(FILE *out, const struct spread_file *file, int place)
{
    struct svg_point points[METHODS][SPREAD_RUNS];
    struct svg_series series[METHODS];
    char title[160];
    double exact = file->method[0].runs ? file->method[0].value[0] : NAN;
    for (int i = 0; i < METHODS; i++) {
        int m = METHODS - 1 - i; /* ours on top */
        series[i] = (struct svg_series){methods[m].name, 0, 0, points[m]};
        series[i].points = points_of(&file->method[m], exact, points[m]);
    }
    svg_look(series, METHODS);
    snprintf(title, sizeof title, "%s, N = %llu", base_name(file->path),
             (unsigned long long)file->n);
    svg_chart(out, &(struct svg_chart){.title = title,
                                       .x_label = "ranks",
                                       .y_label = "result - exact sum",
                                       .count = METHODS,
                                       .series = series,
                                       .left = place % COLUMNS * WIDTH,
                                       .top = HEAD + place / COLUMNS * HEIGHT,
                                       .width = WIDTH,
                                       .height = HEIGHT});
}

static void draw(FILE *out, const struct spread *spread)
{
    struct svg_series legend[METHODS];
    char title[256], line[600];
    int rows = (spread->files + COLUMNS - 1) / COLUMNS;
    snprintf(title, sizeof title, "How far each sum is from the exact one, by rank count");
    snprintf(line, sizeof line, "double, %s", spread->setting);
    svg_begin(out, COLUMNS * WIDTH, HEAD + rows * HEIGHT, title);
    svg_heading(out, 20, 26, COLUMNS * WIDTH - 40, title);
    svg_note(out, 20, 44, COLUMNS * WIDTH - 40, line);
    for (int m = 0; m < METHODS; m++)
        legend[m] = (struct svg_series){methods[m].name, 0, 0, NULL};
    svg_look(legend, METHODS);
    legend[METHODS - 1].name = "naive: plain loop and MPI_Allreduce";
    svg_legend_rows(out, legend, METHODS, 24, 70, COLUMNS * WIDTH - 48);
    for (int i = 0; i < spread->files; i++)
        draw_file(out, &spread->file[i], i);
    svg_end(out);
}

bool spread_plot(const struct spread *spread, const char *command, const char *path)
{
    struct output output;
    if (!output_open(&output, command, path))
        return false;
    draw(output.file, spread);
    return output_close(&output, true);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures as tables, JSON and SVG. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/options/model.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/table.h"
#include "cli/plot/svg.h"
#include "cli/study/gemm/gemm.h"

enum { WIDTH = SVG_PAGE - 20, HEIGHT = 380 };

static const char *const kinds[] = {"formula", "crossing", "played", "predicted", "simulated"};

struct gemm_line *gemm_line(struct gemm_lines *lines, int chart, enum gemm_kind kind,
                            const char *format, ...)
{
    va_list list;
    struct gemm_line *line = &lines->line[lines->count];
    lines->count += lines->count < GEMM_LINES - 1; /* the last one is overwritten */
    *line = (struct gemm_line){.chart = chart, .kind = kind};
    va_start(list, format);
    vsnprintf(line->name, sizeof line->name, format, list);
    va_end(list);
    return line;
}

void gemm_point(struct gemm_line *line, double x, double y, long long block)
{
    if (isfinite(y) && line->count < GEMM_POINTS)
        line->point[line->count++] = (struct gemm_point){x, y, block};
}

static json_t *json_line(const struct gemm_lines *lines, const struct gemm_line *line)
{
    json_t *points = json_array();
    for (int i = 0; i < line->count; i++) {
        const struct gemm_point *point = &line->point[i];
        json_t *json = json_make("ff", "x", point->x, "y", point->y);
        if (point->block)
            json_object_set_new(json, "block", json_integer((json_int_t)point->block));
        json_array_append_new(points, json);
    }
    return json_make("ssso", "chart", lines->chart[line->chart], "name", line->name, "kind",
                     kinds[line->kind], "points", points);
}

static int write_figure(const struct gemm_figure *figure, const struct gemm_request *request,
                        const struct gemm_lines *lines)
{
    json_t *list = json_array(), *object = json_head(study_gemm.name);
    char name[16];
    snprintf(name, sizeof name, "figure %s", figure->number);
    for (int l = 0; l < lines->count; l++)
        if (lines->line[l].count)
            json_array_append_new(list, json_line(lines, &lines->line[l]));
    json_object_update_new(object, json_make("ssoo", "figure", name, "y", figure->y_label, "model",
                                             model_json(&request->model), "lines", list));
    return write_json(study_gemm.name, object, NULL);
}

static void print_figure(const struct gemm_figure *figure, const struct gemm_lines *lines)
{
    for (int c = 0; c < lines->charts; c++) {
        struct table table;
        print_remark("%s. x: %s; y: %s.", lines->chart[c], lines->x_label[c], figure->y_label);
        table_begin(&table, "<line|<kind|x|y|block");
        for (int l = 0; l < lines->count; l++)
            for (int i = 0; i < lines->line[l].count && lines->line[l].chart == c; i++) {
                const struct gemm_point *point = &lines->line[l].point[i];
                table_cell(&table, "%s", lines->line[l].name);
                table_cell(&table, "%s", kinds[lines->line[l].kind]);
                table_cell(&table, "%.6g", point->x);
                table_cell(&table, "%.5g", point->y);
                table_cell(&table, point->block ? "%lld" : "-", point->block);
            }
        table_end(&table, stdout);
    }
}

/* Rings have the look of the line of their name. */
static void look(struct svg_series *series, int count)
{
    struct svg_series lines[GEMM_LINES];
    int known = 0;
    for (int s = 0; s < count; s++)
        if (series[s].parts != SVG_RINGS)
            lines[known++] = series[s];
    svg_look(lines, known);
    for (int s = 0; s < count; s++)
        for (int l = 0; l < known; l++)
            if (!strcmp(series[s].name, lines[l].name))
                series[s].style = lines[l].style;
}

static enum svg_parts parts_of(enum gemm_kind kind)
{
    return kind == GEMM_FORMULA     ? SVG_LINE
           : kind == GEMM_PREDICTED ? SVG_LINE_AND_MARKS
                                    : SVG_RINGS;
}

static void draw_chart(FILE *out, const struct gemm_figure *figure, const struct gemm_lines *lines,
                       int c)
{
    struct svg_series series[GEMM_LINES];
    struct svg_point(*points)[GEMM_POINTS] = need(calloc(GEMM_LINES, sizeof *points));
    int count = 0;
    for (int l = 0; l < lines->count; l++) {
        const struct gemm_line *line = &lines->line[l];
        if (line->chart != c || !line->count)
            continue;
        for (int i = 0; i < line->count; i++)
            points[count][i] = (struct svg_point){line->point[i].x, line->point[i].y,
                                                  line->point[i].y, line->point[i].y};
        series[count] = (struct svg_series){.name = line->name,
                                            .points = line->count,
                                            .point = points[count],
                                            .parts = parts_of(line->kind)};
        count++;
    }
    look(series, count);
    svg_chart(out, &(struct svg_chart){.title = lines->chart[c],
                                       .x_label = lines->x_label[c],
                                       .y_label = figure->y_label,
                                       .y_unit = figure->seconds ? SVG_TIME : SVG_NUMBER,
                                       .log_x = figure->log,
                                       .log_y = figure->log,
                                       .count = count,
                                       .series = series,
                                       .top = HEIGHT * c,
                                       .width = WIDTH,
                                       .height = HEIGHT,
                                       .labels = true});
    free(points);
}

static int draw(const struct gemm_figure *figure, const struct gemm_lines *lines, const char *path)
{
    struct output output;
    if (!output_open(&output, study_gemm.name, path))
        return 1;
    svg_begin(output.file, WIDTH, HEIGHT * lines->charts, figure->title);
    for (int c = 0; c < lines->charts; c++)
        draw_chart(output.file, figure, lines, c);
    svg_end(output.file);
    return !output_close(&output, true);
}

int gemm_show(const struct gemm_figure *figure, const struct gemm_request *request,
              const struct gemm_lines *lines, const char *path, bool json)
{
    if (json)
        return write_figure(figure, request, lines);
    if (!path || strcmp(path, "-"))
        print_figure(figure, lines);
    return path ? draw(figure, lines, path) : 0;
}

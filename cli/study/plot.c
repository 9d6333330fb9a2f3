/* SPDX-License-Identifier: BSD-3-Clause */
/* summand-study plot: a table of numbers as a chart, in the style of the command's own. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/common/lines.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/plot/svg.h"

extern const struct command study_plot;

enum { SERIES = 100, POINTS = 256 };
enum { WIDTH = 780, HEIGHT = 460, LEFT = 80 };

struct plot {
    int series, rows;
    char *name[SERIES];
    double x[POINTS], value[SERIES][POINTS]; /* NAN: none */
    struct svg_point point[SERIES][POINTS];
    struct svg_series line[SERIES];
};

/* The next field of a CSV line; quoted fields may contain doubled quotes (RFC 4180). NULL at the
 * end. Text behind a closing quote counts as another field. */
static char *next_field(char **at)
{
    char *field = *at, *to = field, *from = field;
    if (!field)
        return NULL;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || *++from == '"'); from++)
            *to++ = *from;
    } else {
        for (; *from && *from != ','; from++)
            *to++ = *from;
    }
    *at = *from == ',' ? from + 1 : *from ? from : NULL;
    *to = 0;
    return field;
}

/* A number, or NAN for an empty field. */
static bool read_number(const char *field, double *value)
{
    char *end;
    *value = NAN;
    if (!field[strspn(field, " \t")])
        return true;
    *value = strtod(field, &end);
    return end != field && !end[strspn(end, " \t")] && isfinite(*value);
}

/* Reads the heading; a line that begins with a number is a row instead. */
static bool read_head(struct plot *plot, char *line)
{
    double x;
    const char *name = next_field(&line); /* of x, named by --x-label */
    if (read_number(name, &x) && !isnan(x))
        return false;
    for (char *field; (field = next_field(&line)); plot->series++) {
        if (plot->series == SERIES)
            return false;
        plot->name[plot->series] = need(strdup(field));
    }
    return plot->series > 0;
}

static bool read_row(struct plot *plot, char *line)
{
    char *field = next_field(&line);
    int at = plot->rows++;
    if (!read_number(field, &plot->x[at]) || isnan(plot->x[at]))
        return false;
    for (int s = 0; s < plot->series; s++) {
        field = next_field(&line);
        if (!field || !read_number(field, &plot->value[s][at]))
            return false;
    }
    return !line;
}

static bool is_blank(const char *line)
{
    return !line[strspn(line, " \t")];
}

static bool read_table(struct plot *plot, const char *path)
{
    struct lines lines;
    if (!lines_open(&lines, path))
        return !complain(study_plot.name, "%s: %s", path, strerror(errno));
    bool good = true;
    for (char *line; good && (line = lines_next(&lines));)
        if (!is_blank(line))
            good = !plot->series          ? read_head(plot, line)
                   : plot->rows == POINTS ? false
                                          : read_row(plot, line);
    if (lines.wrong)
        complain(study_plot.name, "%s: line %d: %s", path, lines.number, lines.wrong);
    else if (!good || !plot->rows)
        complain(study_plot.name,
                 "%s: line %d: a heading, then rows with a finite number for each of its columns "
                 "(or nothing for one that is not x) are expected, with at most %d columns and %d "
                 "rows",
                 path, lines.number, SERIES, POINTS);
    good = good && !lines.wrong && plot->rows;
    lines_close(&lines);
    return good;
}

/* Makes lines, those named in `keep` first, in that order: they stay coloured. Returns their
 * number. */
static int make_lines(struct plot *plot, const char *keep, bool log_x, bool log_y)
{
    bool taken[SERIES] = {false};
    int lines = 0, kept = 0;
    for (int pass = 0; pass < 2; pass++) {
        const char *word = keep;
        do {
            size_t length = strcspn(word, ",");
            for (int s = 0; s < plot->series; s++) {
                bool wanted = pass || (strlen(plot->name[s]) == length &&
                                       !strncmp(plot->name[s], word, length));
                if (taken[s] || !wanted)
                    continue;
                taken[s] = true;
                struct svg_series *line = &plot->line[lines];
                *line = (struct svg_series){plot->name[s], lines, 0, plot->point[s]};
                for (int i = 0; i < plot->rows; i++) {
                    double x = plot->x[i], y = plot->value[s][i];
                    if (!isnan(y) && (x > 0 || !log_x) && (y > 0 || !log_y))
                        plot->point[s][line->points++] = (struct svg_point){x, y, y, y};
                }
                lines++;
                kept += !pass;
            }
            word += length + (word[length] == ',');
        } while (!pass && *word);
    }
    return kept;
}

static void draw(FILE *out, const struct plot *plot, const struct svg_chart *chart)
{
    double grey = svg_grey_names(NULL, plot->line, plot->series, LEFT, HEIGHT, WIDTH - 2 * LEFT);
    svg_begin(out, WIDTH, HEIGHT + grey, chart->title);
    svg_chart(out, chart);
    svg_grey_names(out, plot->line, plot->series, LEFT, HEIGHT, WIDTH - 2 * LEFT);
    svg_end(out);
}

static int print_json(const struct plot *plot)
{
    json_t *object = json_head(study_plot.name), *x = json_array(), *series = json_array();
    for (int i = 0; i < plot->rows; i++)
        json_array_append_new(x, json_finite(plot->x[i]));
    for (int s = 0; s < plot->series; s++) {
        json_t *values = json_array();
        for (int i = 0; i < plot->rows; i++)
            json_array_append_new(values, json_finite(plot->value[s][i]));
        json_array_append_new(series, json_make("so", "name", plot->name[s], "values", values));
    }
    json_object_update_new(object, json_make("oo", "x", x, "series", series));
    return write_json(study_plot.name, object, NULL);
}

static int write_picture(const struct plot *plot, const struct svg_chart *chart, const char *path)
{
    struct output output;
    if (!output_open(&output, study_plot.name, path))
        return 1;
    draw(output.file, plot, chart);
    return !output_close(&output, true);
}

static int draw_table(struct plot *plot, const char *table, const char *keep, const char *path,
                      bool json, bool linear, struct svg_chart *chart)
{
    if (!read_table(plot, table))
        return 1;
    if (json)
        return print_json(plot);
    chart->log_x = chart->log_y = !linear;
    svg_choose(plot->line, plot->series, make_lines(plot, keep, chart->log_x, chart->log_y), false);
    chart->count = plot->series;
    chart->series = plot->line;
    return write_picture(plot, chart, path);
}

static int run(struct parsing *parsing, int argc, char **argv)
{
    const char *keep = "", *path = NULL;
    struct svg_chart chart = {.title = "",
                              .x_label = "",
                              .y_label = "",
                              .log_x = true,
                              .log_y = true,
                              .width = WIDTH,
                              .height = HEIGHT,
                              .labels = true};
    bool help, json = false, linear = false;
    const struct option_row rows[] = {
        {"title", 0, OPTION_TEXT, &chart.title, "TEXT", "title above the chart", NULL},
        {"x-label", 'x', OPTION_TEXT, &chart.x_label, "TEXT", "label of the first column", NULL},
        {"y-label", 'y', OPTION_TEXT, &chart.y_label, "TEXT", "label of all other columns", NULL},
        {"keep", 0, OPTION_TEXT, &keep, "NAME,...",
         "columns in colour, beside those that come nearest to the least somewhere: 8 in all",
         NULL},
        {"linear", 0, OPTION_FLAG, &linear, NULL, "linear axes; else logarithmic ones", NULL},
        {"output", 'o', OPTION_OUTPUT, &path, "FILE", "SVG file instead of stdout", NULL},
        {"json", 'j', OPTION_FLAG, &json, NULL, "print what would be drawn, as JSON", NULL},
        {0}};
    int first = parse_options(parsing, &study_plot, rows, argc, argv, &help);
    if (help || first < 0)
        return help ? 0 : 2;
    if (first + 1 != argc)
        return misuse(study_plot.name, "one table is drawn at a time; 'summand-study help plot'");
    struct plot *plot = need(calloc(1, sizeof *plot));
    int status = draw_table(plot, argv[first], keep, path, json, linear, &chart);
    for (int i = 0; i < plot->series; i++)
        free(plot->name[i]);
    free(plot);
    return status;
}

const struct command study_plot = {
    .name = "plot",
    .summary = "a table of numbers (CSV: x, then a column per line) as a chart (SVG)",
    .synopsis = "plot [options] TABLE.csv",
    .examples = "  summand-study plot --x-label ranks --y-label us times.csv -o times.svg\n",
    .run = run,
};

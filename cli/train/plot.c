/* SPDX-License-Identifier: BSD-3-Clause */
/* The curves of a training: loss and accuracy, over epochs and over seconds. */
#include <math.h>
#include <stdlib.h>

#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"
#include "cli/plot/svg.h"
#include "cli/train/train.h"

enum { WIDTH = 780, HALF = WIDTH / 2, HEIGHT = 270, TOP = 76, INDENT = 20, PARTS = 3 };

/* To three digits, because ticks are at the points. */
static double rounded(double x)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", x);
    return strtod(text, NULL);
}

/* One line: a part's loss or accuracy over epochs or seconds. */
struct curve {
    struct svg_point *point;
    int points;
};

static const char *const names[PARTS] = {"trained with", "validation", "test"};

static const struct train_score *score_of(const struct train_epoch *epoch, int part)
{
    const struct train_score *scores[PARTS] = {&epoch->train, &epoch->validation, &epoch->test};
    return scores[part];
}

static bool take_curve(struct curve *curve, const struct train_run *run, int part, bool accuracy,
                       bool by_time)
{
    double seconds = 0;
    *curve = (struct curve){calloc(run->epoch + 1, sizeof *curve->point), 0};
    for (size_t e = 0; e < run->epoch && curve->point; e++) {
        const struct train_score *score = score_of(&run->history[e], part);
        double x, y = accuracy ? 100 * score->accuracy : score->loss;
        seconds += run->history[e].seconds;
        x = by_time ? rounded(seconds) : (double)e + 1;
        if (!isnan(y))
            curve->point[curve->points++] = (struct svg_point){x, y, y, y};
    }
    return curve->point;
}

static bool draw_chart(FILE *out, const struct train_run *run, bool accuracy, bool by_time)
{
    struct curve curves[PARTS];
    struct svg_series series[PARTS];
    int count = 0;
    bool good = true;
    for (int part = 0; part < PARTS; part++) {
        good = take_curve(&curves[part], run, part, accuracy, by_time) && good;
        if (good && curves[part].points)
            series[count++] =
                (struct svg_series){names[part], part, curves[part].points, curves[part].point};
    }
    struct svg_chart chart = {.title = "",
                              .x_label = by_time ? "seconds of training" : "epochs",
                              .y_label = accuracy ? "right, %" : "loss",
                              .count = count,
                              .series = series,
                              .left = by_time ? HALF : 0,
                              .top = accuracy ? TOP + HEIGHT : TOP,
                              .width = HALF,
                              .height = HEIGHT};
    if (good)
        svg_chart(out, &chart);
    if (good && !accuracy && !by_time)
        svg_legend(out, series, count, INDENT, TOP - 18);
    for (int part = 0; part < PARTS; part++)
        free(curves[part].point);
    return good;
}

int train_write_plot(const struct train_run *run, const char *path)
{
    struct output output;
    char title[1200], layers[1024], setting[SETTING_ROOM];
    if (!output_open(&output, command_train.name, path))
        return 1;
    train_report_layers(run->shape, layers, sizeof layers);
    snprintf(title, sizeof title, "Training of %s, batches of %zu, mode %s on %d rank%s", layers,
             run->options.batch, run->mode->name, run->ranks, text_plural(run->ranks));
    svg_begin(output.file, WIDTH, TOP + 2 * HEIGHT, title);
    svg_heading(output.file, INDENT, 22, WIDTH - 2 * INDENT, title);
    setting_line(NULL, setting, sizeof setting);
    svg_note(output.file, INDENT, 40, WIDTH - 2 * INDENT, setting);
    bool good = true;
    for (int c = 0; c < 4 && good; c++)
        good = draw_chart(output.file, run, c & 2, c & 1);
    svg_end(output.file);
    if (!good)
        complain(command_train.name, "out of memory");
    return !output_close(&output, good);
}

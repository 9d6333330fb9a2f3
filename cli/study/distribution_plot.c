/* SPDX-License-Identifier: BSD-3-Clause */
/* Message counts over N, and the elements of the ranks: Figures 2.3 and 3.5 of Stelz (2022) with
 * the other distributions. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/output.h"
#include "cli/plot/svg.h"
#include "cli/plot/svg_violin.h"
#include "cli/ranks/interrupt.h"
#include "cli/study/distribution.h"
#include "lab/index_tree/messages.h"

enum { WIDTH = 780, HEIGHT = 300, HEAD = 64, BINS = 350, LINES = SUMMAND__DISTRIBUTIONS + 1 };

/* Styles of the lines: the distributions', then the bound's. */
static const int looks[LINES] = {0, 4, 2, 5, 1, 3};

static const char bound_name[] = "bound of even-lower";

/* The N = 2^i p + 1 in [from, to), where even-lower attains its bound, else `from`. */
static uint64_t spike(uint64_t from, uint64_t to, uint64_t ranks)
{
    for (uint64_t n = ranks + 1; n < to; n = 2 * n - 1)
        if (n >= from)
            return n;
    return from;
}

int distribution_sweep(const struct distribution_request *r, struct distribution_sample **list)
{
    /* An odd step visits all residues of powers of two, where the counts have their structure. */
    uint64_t step = (r->max_n - 1) / r->samples + 1;
    step += step > 1 && step % 2 == 0;
    size_t count = (size_t)((r->max_n - 1) / step + 1), made = 0;
    uint64_t *starts = malloc(((size_t)r->ranks + 1) * sizeof *starts);
    *list = malloc(count * sizeof **list);
    if (!starts || !*list) {
        free(starts);
        free(*list);
        return 0;
    }
    for (; made < count && !interrupted(); made++) {
        size_t i = made;
        struct distribution_sample *sample = &(*list)[i];
        uint64_t last = i + 1 < count ? 1 + (i + 1) * step : r->max_n + 1;
        sample->n = spike(1 + i * step, last, (uint64_t)r->ranks);
        sample->bound = summand__messages_bound(sample->n, r->ranks);
        for (int kind = 0; kind < SUMMAND__DISTRIBUTIONS; kind++) {
            summand__distribution((enum summand__distribution_kind)kind, r->alpha, sample->n,
                                  r->ranks, starts);
            sample->messages[kind] = summand__messages(starts, r->ranks);
        }
    }
    free(starts);
    return (int)made;
}

bool distribution_csv(const char *path, const struct distribution_sample *list, int count)
{
    struct output output;
    if (!output_open(&output, "distribution", path))
        return false;
    FILE *out = output.file;
    fputs("n", out);
    for (int kind = 0; kind < SUMMAND__DISTRIBUTIONS; kind++)
        fprintf(out, ",%s", summand__distributions[kind].name);
    fputs(",even_lower_bound\n", out);
    for (int i = 0; i < count; i++) {
        fprintf(out, "%llu", (unsigned long long)list[i].n);
        for (int kind = 0; kind < SUMMAND__DISTRIBUTIONS; kind++)
            fprintf(out, ",%llu", (unsigned long long)list[i].messages[kind]);
        fprintf(out, ",%.3f\n", list[i].bound);
    }
    return output_close(&output, true);
}

static double value_of(const struct distribution_sample *sample, int line)
{
    return line < SUMMAND__DISTRIBUTIONS ? (double)sample->messages[line] : sample->bound;
}

/* Keeps the extremes of each bin, in their order: the outline of a line through all samples. */
static int thin(const struct distribution_sample *list, int count, int line,
                struct svg_point *points)
{
    int n = 0, bins = count < BINS ? count : BINS;
    for (int bin = 0; bin < bins; bin++) {
        int from = (int)((long long)count * bin / bins);
        int to = (int)((long long)count * (bin + 1) / bins), low = from, high = from;
        for (int i = from; i < to; i++) {
            if (value_of(&list[i], line) < value_of(&list[low], line))
                low = i;
            if (value_of(&list[i], line) > value_of(&list[high], line))
                high = i;
        }
        int ends[2] = {low < high ? low : high, low < high ? high : low};
        for (int i = 0; i < 1 + (low != high); i++) {
            double y = value_of(&list[ends[i]], line);
            points[n++] = (struct svg_point){(double)list[ends[i]].n, y, y, y};
        }
    }
    return n;
}

static void draw_panel(FILE *out, const char *title, const int *lines, int count, int place,
                       const struct svg_series *all)
{
    struct svg_series series[LINES];
    for (int i = 0; i < count; i++)
        series[i] = all[lines[i]];
    svg_chart(out, &(struct svg_chart){.title = title,
                                       .x_label = "elements N",
                                       .y_label = "messages",
                                       .count = count,
                                       .series = series,
                                       .top = HEAD + place * HEIGHT,
                                       .width = WIDTH,
                                       .height = HEIGHT});
}

static void draw(FILE *out, const struct distribution_request *r, const struct svg_series *series)
{
    static const int lower[] = {SUMMAND__EVEN_LOWER, SUMMAND__DISTRIBUTIONS};
    static const int upper[] = {SUMMAND__EVEN_UPPER, SUMMAND__DISTRIBUTIONS};
    static const int all[] = {SUMMAND__EVEN_LOWER, SUMMAND__EVEN_UPPER, SUMMAND__OPTIMIZED,
                              SUMMAND__BALANCED, SUMMAND__POWER2};
    char title[160];
    snprintf(title, sizeof title, "Messages of the index tree on %d ranks, one per subtree",
             r->ranks);
    svg_begin(out, WIDTH, HEAD + 3 * HEIGHT, title);
    svg_heading(out, 20, 26, WIDTH - 40, title);
    svg_legend_rows(out, series, LINES, 24, 48, WIDTH - 48);
    draw_panel(out, "even-lower and its bound", lower, 2, 0, series);
    draw_panel(out, "even-upper and the same bound", upper, 2, 1, series);
    snprintf(title, sizeof title, "all distributions, alpha = %g", r->alpha);
    draw_panel(out, title, all, 5, 2, series);
    svg_end(out);
}

bool distribution_svg(const char *path, const struct distribution_request *request,
                      const struct distribution_sample *list, int count)
{
    struct svg_point(*points)[2 * BINS] = malloc(LINES * sizeof *points);
    if (!points)
        return !complain("distribution", "out of memory for the picture");
    struct svg_series series[LINES];
    for (int i = 0; i < LINES; i++)
        series[i] = (struct svg_series){i < SUMMAND__DISTRIBUTIONS ? summand__distributions[i].name
                                                                   : bound_name,
                                        looks[i], thin(list, count, i, points[i]), points[i]};
    struct output output;
    bool good = output_open(&output, "distribution", path);
    if (good)
        draw(output.file, request, series);
    free(points);
    return good && output_close(&output, true);
}

/* The ranks that have elements. The caller frees the values. */
static struct svg_violin shares_of(const struct distribution_request *r, int kind, uint64_t *starts)
{
    double *value = need(malloc((size_t)r->ranks * sizeof *value));
    int count = 0;
    summand__distribution((enum summand__distribution_kind)kind, r->alpha, r->n, r->ranks, starts);
    for (int i = 0; i < r->ranks; i++)
        if (starts[i] < starts[i + 1])
            value[count++] = (double)(starts[i + 1] - starts[i]);
    measure_sort(value, count);
    return (struct svg_violin){
        .look = {summand__distributions[kind].name, looks[kind]}, .count = count, .value = value};
}

bool distribution_shares(const char *path, const struct distribution_request *request)
{
    struct svg_violin violins[SUMMAND__DISTRIBUTIONS];
    struct svg_series names[SUMMAND__DISTRIBUTIONS];
    uint64_t *starts = need(malloc(((size_t)request->ranks + 1) * sizeof *starts));
    struct output output;
    char title[160];
    for (int kind = 0; kind < SUMMAND__DISTRIBUTIONS; kind++) {
        violins[kind] = shares_of(request, kind, starts);
        names[kind] = violins[kind].look;
    }
    snprintf(title, sizeof title, "Elements of a rank: %llu on %d ranks, alpha = %g",
             (unsigned long long)request->n, request->ranks, request->alpha);
    const bool good = output_open(&output, "distribution", path);
    if (good) {
        svg_begin(output.file, WIDTH, HEAD + HEIGHT, title);
        svg_legend_rows(output.file, names, SUMMAND__DISTRIBUTIONS, 24, 24, WIDTH - 48);
        svg_violins(output.file, &(struct svg_violins){.title = title,
                                                       .y_label = "elements",
                                                       .count = SUMMAND__DISTRIBUTIONS,
                                                       .violin = violins,
                                                       .top = HEAD,
                                                       .width = WIDTH,
                                                       .height = HEIGHT});
        svg_end(output.file);
    }
    for (int kind = 0; kind < SUMMAND__DISTRIBUTIONS; kind++)
        free((void *)violins[kind].value);
    free(starts);
    return good && output_close(&output, true);
}

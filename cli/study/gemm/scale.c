/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures 5.7 to 5.10: time, speed-up, strong and weak efficiency, each algorithm with its fastest
 * block. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/cli.h"
#include "cli/common/lines.h"
#include "cli/output/progress.h"
#include "cli/study/gemm/gemm.h"

static const char *const algorithms[GEMM_CHARTS] = {"gemm-panels", "gemm-pairs", "gemm-pairs-rows",
                                                    "gemm-barriers"};

/* Of each algorithm, grid and size; NAN: unknown. */
struct times {
    double seconds[GEMM_CHARTS][GEMM_AXIS][GEMM_AXIS];
    long long block[GEMM_CHARTS][GEMM_AXIS][GEMM_AXIS];
};

static bool wanted(const struct gemm_request *request, int algorithm)
{
    const bool in_library =
        !summand__algorithm_named(algorithms[algorithm])->limits[SUMMAND__SEGMENT].most;
    return request->only ? !strcmp(request->only->name, algorithms[algorithm]) : in_library;
}

static int ranks_of(const struct gemm_request *request, int g)
{
    return (int)(2 * request->grids.value[g] * request->grids.value[g]);
}

static int at(const struct numbers *axis, long long value)
{
    for (int i = 0; i < axis->count; i++)
        if (axis->value[i] == value)
            return i;
    return -1;
}

/* Times of files: of several blocks the fastest counts. */
struct both {
    struct times predicted, simulated;
};

/* A row "algorithm,ranks,n,block,seconds,...,result"; the result of a prediction is `predicted`.
 * Returns NULL, or what is wrong. */
static const char *take_row(const struct gemm_request *request, const char *line, struct both *both)
{
    char name[32];
    long long ranks, n, block;
    double seconds;
    if (sscanf(line, "%31[^,],%lld,%lld,%lld,%lf", name, &ranks, &n, &block, &seconds) != 5)
        return "not a row of algorithm,ranks,n,block,seconds";
    if (!(seconds > 0) || !isfinite(seconds))
        return "its seconds are not above 0";
    const char *result = strrchr(line, ',');
    if (!strcmp(result, ",wrong"))
        return "the result of this product was wrong";
    struct times *times = strcmp(result, ",predicted") ? &both->simulated : &both->predicted;
    const int g = at(&request->grids, llround(sqrt((double)ranks / 2)));
    const int s = at(&request->sizes, n);
    for (int a = 0; a < GEMM_CHARTS && g >= 0 && s >= 0; a++)
        if (wanted(request, a) && !strcmp(name, algorithms[a]) && ranks == ranks_of(request, g) &&
            !(seconds >= times->seconds[a][g][s])) {
            times->seconds[a][g][s] = seconds;
            times->block[a][g][s] = block;
        }
    return NULL;
}

static const char head[] = "algorithm,ranks,n,block,seconds,";

static bool read_file(const struct gemm_request *request, const char *path, struct both *both)
{
    struct lines lines;
    if (!lines_open(&lines, path))
        return !complain(study_gemm.name, "%s: %s", path, strerror(errno));
    char *line = lines_next(&lines);
    const bool known = line && !strncmp(line, head, strlen(head));
    const char *wrong = NULL;
    while (known && !wrong && (line = lines_next(&lines)))
        wrong = *line ? take_row(request, line, both) : NULL;
    wrong = wrong ? wrong : lines.wrong;
    lines_close(&lines);
    if (!known)
        return !complain(study_gemm.name, "%s: not a file of bench/scale_gemm.sh", path);
    return !wrong || !complain(study_gemm.name, "%s: line %d: %s", path, lines.number, wrong);
}

/* What no file tells. */
static void predict_all(const struct gemm_request *request, struct times *times)
{
    const int grids = request->grids.count, sizes = request->sizes.count;
    for (int a = 0; a < GEMM_CHARTS; a++)
        for (int g = 0; g < grids; g++)
            for (int s = 0; s < sizes; s++) {
                progress_show("gemm", (a * grids + g) * sizes + s, GEMM_CHARTS * grids * sizes);
                if (!wanted(request, a) || !isnan(times->seconds[a][g][s]))
                    continue;
                const struct gemm_best best =
                    gemm_best(request, summand__algorithm_named(algorithms[a]),
                              (int)request->grids.value[g], request->sizes.value[s]);
                times->seconds[a][g][s] = best.seconds;
                times->block[a][g][s] = best.block;
            }
    progress_show("gemm", 1, 1);
}

/* All times. False after a complaint. */
static bool make(const struct gemm_request *request, struct both *both)
{
    bool good = true;
    for (int a = 0; a < GEMM_CHARTS; a++)
        for (int g = 0; g < GEMM_AXIS; g++)
            for (int s = 0; s < GEMM_AXIS; s++)
                both->predicted.seconds[a][g][s] = both->simulated.seconds[a][g][s] = (double)NAN;
    for (int f = 0; f < request->files && good; f++)
        good = read_file(request, request->file[f], both);
    if (good)
        predict_all(request, &both->predicted);
    return good;
}

int gemm_print_times(const struct gemm_request *request)
{
    struct both both;
    if (!make(request, &both))
        return 1;
    printf("%sefficiency,elements_put,between_nodes,result\n", head);
    for (int a = 0; a < GEMM_CHARTS; a++)
        for (int g = 0; g < request->grids.count; g++)
            for (int s = 0; s < request->sizes.count; s++) {
                const double n = (double)request->sizes.value[s];
                const double seconds = both.predicted.seconds[a][g][s];
                if (!isnan(seconds))
                    printf("%s,%d,%.0f,%lld,%.9g,%.4f,,,predicted\n", algorithms[a],
                           ranks_of(request, g), n, both.predicted.block[a][g][s], seconds,
                           2 * n * n * n * request->model.flop / ranks_of(request, g) / seconds);
            }
    return 0;
}

/* The grid with which others are compared: 2 x 2, as in the dissertation, or else the first one. */
static int base_of(const struct gemm_request *request)
{
    const int base = at(&request->grids, 2);
    return base < 0 ? 0 : base;
}

/* One line of each kind of times in each chart. */
typedef void line_maker(const struct gemm_request *request, struct gemm_lines *lines, int chart,
                        enum gemm_kind kind, const struct times *times, int algorithm);

static void fill(const struct gemm_request *request, struct gemm_lines *lines, const char *figure,
                 const char *x_label, line_maker *add)
{
    struct both both;
    bool rings = false;
    lines->failed = !make(request, &both);
    if (lines->failed)
        return;
    for (int a = 0; a < GEMM_CHARTS; a++)
        for (int g = 0; g < GEMM_AXIS * GEMM_AXIS; g++)
            rings = rings || !isnan(both.simulated.seconds[a][g / GEMM_AXIS][g % GEMM_AXIS]);
    for (int a = 0; a < GEMM_CHARTS; a++) {
        if (!wanted(request, a))
            continue;
        const int chart = lines->charts++;
        lines->x_label[chart] = x_label;
        snprintf(lines->chart[chart], sizeof lines->chart[chart], "%s: %s, predicted%s", figure,
                 algorithms[a], rings ? "; rings: simulated (SMPI)" : "");
        add(request, lines, chart, GEMM_PREDICTED, &both.predicted, a);
        add(request, lines, chart, GEMM_SIMULATED, &both.simulated, a);
    }
}

static void time_lines(const struct gemm_request *request, struct gemm_lines *lines, int chart,
                       enum gemm_kind kind, const struct times *times, int a)
{
    for (int g = 0; g < request->grids.count; g++) {
        const long long p = request->grids.value[g];
        struct gemm_line *line = gemm_line(lines, chart, kind, "2 x %lld x %lld ranks", p, p);
        for (int s = 0; s < request->sizes.count; s++)
            gemm_point(line, (double)request->sizes.value[s], times->seconds[a][g][s],
                       times->block[a][g][s]);
    }
}

/* (5.22) or (5.24): over the ranks, of each size. */
static void add_ratios(const struct gemm_request *request, struct gemm_lines *lines, int chart,
                       enum gemm_kind kind, const struct times *times, int a, bool efficiency)
{
    const int base = base_of(request);
    for (int s = 0; s < request->sizes.count; s++) {
        struct gemm_line *line = gemm_line(lines, chart, kind, "n = %lld", request->sizes.value[s]);
        for (int g = 0; g < request->grids.count; g++) {
            const double speedup = times->seconds[a][base][s] / times->seconds[a][g][s];
            const double more = (double)ranks_of(request, g) / ranks_of(request, base);
            gemm_point(line, ranks_of(request, g), efficiency ? speedup / more : speedup,
                       times->block[a][g][s]);
        }
    }
}

static void speedup_lines(const struct gemm_request *request, struct gemm_lines *lines, int chart,
                          enum gemm_kind kind, const struct times *times, int a)
{
    add_ratios(request, lines, chart, kind, times, a, false);
    if (kind != GEMM_PREDICTED)
        return;
    struct gemm_line *ideal = gemm_line(lines, chart, GEMM_FORMULA, "ideal");
    for (int g = 0; g < request->grids.count; g++)
        gemm_point(ideal, ranks_of(request, g),
                   (double)ranks_of(request, g) / ranks_of(request, base_of(request)), 0);
}

static void efficiency_lines(const struct gemm_request *request, struct gemm_lines *lines,
                             int chart, enum gemm_kind kind, const struct times *times, int a)
{
    add_ratios(request, lines, chart, kind, times, a, true);
}

/* (5.25): n / P, so the elements of a rank, stay the same. Its operations grow with n. */
static void weak_lines(const struct gemm_request *request, struct gemm_lines *lines, int chart,
                       enum gemm_kind kind, const struct times *times, int a)
{
    const int base = base_of(request);
    const long long p = request->grids.value[base];
    for (int s = 0; s < request->sizes.count; s++) {
        const long long n = request->sizes.value[s];
        struct gemm_line *line = gemm_line(lines, chart, kind, "n / P = %lld", n / p);
        for (int g = 0; g < request->grids.count; g++) {
            const long long larger = n / p * request->grids.value[g];
            const int same = at(&request->sizes, larger);
            if (same >= 0)
                gemm_point(line, ranks_of(request, g),
                           times->seconds[a][base][s] * (double)larger / (double)n /
                               times->seconds[a][g][same],
                           times->block[a][g][same]);
        }
    }
}

void gemm_figure_time(const struct gemm_request *request, struct gemm_lines *lines)
{
    fill(request, lines, "Figure 5.7", "n", time_lines);
}

void gemm_figure_speedup(const struct gemm_request *request, struct gemm_lines *lines)
{
    fill(request, lines, "Figure 5.8", "ranks", speedup_lines);
}

void gemm_figure_efficiency(const struct gemm_request *request, struct gemm_lines *lines)
{
    fill(request, lines, "Figure 5.9", "ranks", efficiency_lines);
}

void gemm_figure_weak(const struct gemm_request *request, struct gemm_lines *lines)
{
    fill(request, lines, "Figure 5.10", "ranks", weak_lines);
}

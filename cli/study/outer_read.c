/* SPDX-License-Identifier: BSD-3-Clause */
/* An observation is the median of the repetitions of a launch; a speed-up is that of the all-reduce
 * of the same launch over it. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input.h"
#include "bench/measure.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/study/outer.h"

void outer_free(struct outer_measured *measured)
{
    for (int i = 0; i < measured->count; i++)
        free(measured->observed[i].median);
    free(measured->observed);
    json_decref(measured->reports);
}

static double median_of(const json_t *launch)
{
    const size_t count = json_array_size(launch);
    double *seconds = need(malloc((count + 1) * sizeof *seconds));
    for (size_t i = 0; i < count; i++) {
        const json_t *value = json_array_get(launch, i);
        seconds[i] = json_is_number(value) ? 1e-9 * json_number_value(value) : (double)NAN;
    }
    const double median = measure_median(seconds, (int)count).median;
    free(seconds);
    return median > 0 ? median : (double)NAN;
}

/* The method and case of a result; a new one if no report before had it. NULL: not a result. */
static struct outer_observed *place_of(struct outer_measured *measured, const json_t *result)
{
    double rows = 0, columns = 0;
    const struct outer_observed like = {
        .method = json_string_value(json_object_get(result, "algorithm")),
        .shape = json_string_value(json_object_get(result, "shape")),
        .pairs = json_integer_value(json_object_get(result, "pairs"))};
    if (!like.method || !like.shape || sscanf(like.shape, "%lfx%lf", &rows, &columns) != 2)
        return NULL;
    for (int i = 0; i < measured->count; i++) {
        struct outer_observed *known = &measured->observed[i];
        if (!strcmp(known->method, like.method) && !strcmp(known->shape, like.shape) &&
            known->pairs == like.pairs)
            return known;
    }
    measured->observed = need(
        realloc(measured->observed, ((size_t)measured->count + 1) * sizeof *measured->observed));
    struct outer_observed *added = &measured->observed[measured->count++];
    *added = like;
    added->side = sqrt(rows * columns);
    return added;
}

static bool add_result(struct outer_measured *measured, const json_t *result)
{
    const json_t *launches = json_object_get(result, "samples_ns");
    const size_t count = json_array_size(launches);
    struct outer_observed *observed = count ? place_of(measured, result) : NULL;
    if (!observed)
        return false;
    observed->median = need(
        realloc(observed->median, ((size_t)observed->count + count) * sizeof *observed->median));
    for (size_t l = 0; l < count; l++)
        observed->median[observed->count++] = median_of(json_array_get(launches, l));
    if (observed->count > measured->launches)
        measured->launches = observed->count;
    return true;
}

/* Takes the report over. All methods need the same launches: speed-ups are ratios within one. */
static bool add_report(struct outer_measured *measured, json_t *report)
{
    const json_t *results = json_object_get(report, "results");
    const char *command = json_string_value(json_object_get(report, "command"));
    const int ranks = (int)json_integer_value(json_object_get(report, "ranks"));
    bool good = command && !strcmp(command, "bench outer") && json_array_size(results) > 0;
    json_array_append_new(measured->reports, report);
    for (size_t i = 0; good && i < json_array_size(results); i++)
        good = add_result(measured, json_array_get(results, i));
    if (!good)
        return !complain("outer", "%s: not a file of 'summand bench outer --json'", measured->path);
    if (json_array_size(measured->reports) > 1 && ranks != measured->ranks)
        return !complain("outer", "%s: a report of %d ranks after one of %d", measured->path, ranks,
                         measured->ranks);
    for (int i = 1; i < measured->count; i++)
        if (measured->observed[i].pairs != measured->observed[0].pairs)
            return !complain("outer", "%s: results of %lld and of %lld pairs; a figure has one",
                             measured->path, measured->observed[0].pairs,
                             measured->observed[i].pairs);
    if (measured->launches > SUMMAND__INTERVAL_MOST)
        return !complain("outer", "%s: %d launches; at most %d have an interval", measured->path,
                         measured->launches, SUMMAND__INTERVAL_MOST);
    for (int i = 0; i < measured->count; i++)
        if (measured->observed[i].count != measured->launches)
            return !complain("outer", "%s: %s of %s has %d launches, others have %d",
                             measured->path, measured->observed[i].method,
                             measured->observed[i].shape, measured->observed[i].count,
                             measured->launches);
    measured->ranks = ranks;
    measured->simulated = json_string_value(json_object_get(report, "simulated"));
    return true;
}

static bool at_end(FILE *file)
{
    int c = getc(file);
    while (c != EOF && isspace(c))
        c = getc(file);
    return c == EOF || ungetc(c, file) == EOF;
}

bool outer_read(const char *path, struct outer_measured *measured)
{
    json_error_t error;
    uint64_t bytes;
    const char *why;
    FILE *file = summand__input_file(path, &bytes, &why);
    bool good = true;
    *measured = (struct outer_measured){.path = path};
    if (!file)
        return !complain("outer", "%s: %s", path, why);
    measured->reports = json_array();
    while (good && (!at_end(file) || !measured->count)) {
        json_t *report = json_loadf(file, JSON_DISABLE_EOF_CHECK, &error);
        good = report && add_report(measured, report);
        if (!report)
            complain_json("outer", path, &error, "'summand bench outer --json'");
    }
    fclose(file);
    if (!good)
        outer_free(measured);
    return good;
}

static const struct outer_observed *base_of(const struct outer_measured *measured,
                                            const struct outer_observed *of)
{
    for (int i = 0; i < measured->count; i++) {
        const struct outer_observed *other = &measured->observed[i];
        if (!strcmp(other->method, "mpi-allreduce") && !strcmp(other->shape, of->shape) &&
            other->pairs == of->pairs)
            return other;
    }
    return NULL;
}

struct summand__interval outer_value(const struct outer_measured *measured,
                                     const struct outer_observed *of,
                                     const struct outer_figure *figure)
{
    const bool speedup = figure->kind == OUTER_SPEEDUP;
    const struct outer_observed *base = speedup ? base_of(measured, of) : NULL;
    double *value = need(malloc((size_t)of->count * sizeof *value));
    int count = 0;
    for (int l = 0; l < of->count && (base || !speedup); l++) {
        const double observation = speedup ? base->median[l] / of->median[l] : of->median[l];
        if (isfinite(observation))
            value[count++] = observation;
    }
    struct summand__interval interval =
        summand__interval_of_quantile(value, count, figure->quantile, 1);
    free(value);
    return interval;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a benchmark's report as JSON, with all repetitions, and reads it back. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/bench/bench.h"
#include "cli/common/cli.h"
#include "cli/output/setting.h"

static json_t *launch_json(const struct bench_launch *launch)
{
    json_t *samples = json_array();
    for (int r = 0; r < launch->rounds; r++)
        json_array_append_new(samples, isnan(launch->seconds[r])
                                           ? json_null()
                                           : json_integer(llround(1e9 * launch->seconds[r])));
    return samples;
}

static void keys_json(const struct bench_row *row, const struct bench_key *key, json_t *object)
{
    for (; key->name; key++) {
        const char *field = (const char *)row + key->offset;
        json_object_set_new(object, key->name,
                            key->kind == BENCH_TEXT ? json_text(field)
                            : key->kind == BENCH_WHOLE
                                ? json_integer((json_int_t) * (const uint64_t *)field)
                                : json_integer(*(const int *)field));
    }
}

static void ratio_json(const char *name, struct measure_interval ratio, json_t *object)
{
    char end[64];
    json_object_set_new(object, name, json_finite(ratio.median));
    snprintf(end, sizeof end, "%s_low", name);
    json_object_set_new(object, end, json_finite(ratio.low));
    snprintf(end, sizeof end, "%s_high", name);
    json_object_set_new(object, end, json_finite(ratio.high));
}

static json_t *row_json(const struct bench_report *report, const struct bench_row *row)
{
    char name[64];
    uint64_t bits;
    json_t *object = json_object(), *launches = json_array();
    keys_json(row, report->form->keys, object);
    if (row->chosen[0])
        json_object_set_new(object, "chosen", json_text(row->chosen));
    json_t *times = json_make("iffffffibii", "ranks", report->ranks, "median", row->time.median,
                              "low", row->time.low, "high", row->time.high, "p1", row->p1, "p99",
                              row->p99, "least", row->least, "rounds", row->rounds, "settled",
                              row->settled, "warm_up", row->warm, "late", row->late);
    json_object_update(object, times);
    json_decref(times);
    for (int r = 0; r < 2; r++)
        if (report->form->ratios[r])
            ratio_json(report->form->ratios[r], row->ratio[r], object);
    if (report->form->values) {
        memcpy(&bits, &row->value, sizeof bits);
        snprintf(name, sizeof name, "0x%016" PRIx64, bits);
        json_object_set_new(object, "value", json_finite(row->value));
        json_object_set_new(object, "bits", json_text(name));
    }
    for (int l = 0; l < row->launches; l++)
        json_array_append_new(launches, launch_json(&row->launch[l]));
    json_object_set_new(object, "samples_ns", launches);
    return object;
}

int bench_write_json(const struct bench_report *report, const char *path)
{
    json_t *results = json_array(), *keys = json_array();
    for (const struct bench_key *key = report->form->keys; key->name; key++)
        json_array_append_new(keys, json_text(key->name));
    for (int i = 0; i < report->rows; i++)
        json_array_append_new(results, row_json(report, &report->row[i]));
    json_t *json =
        json_make("sOOiiiibfsoo", "command", report->command, "setting", report->setting, "options",
                  report->options, "ranks", report->ranks, "ranks_per_node", report->per_node,
                  "processors", report->processors, "launches", report->launches, "oversubscribed",
                  report->per_node > report->processors, "budget", report->budget, "unit",
                  "seconds", "keys", keys, "results", results);
    return write_json_as(report->command, json, path, JSON_COMPACT);
}

static bool read_samples(const json_t *samples, struct bench_launch *launch)
{
    size_t count = json_array_size(samples);
    *launch =
        (struct bench_launch){(int)count, need(malloc((count + 1) * sizeof *launch->seconds))};
    for (size_t i = 0; i < count; i++)
        launch->seconds[i] = json_is_null(json_array_get(samples, i))
                                 ? NAN
                                 : 1e-9 * json_number_value(json_array_get(samples, i));
    return count > 0;
}

static void read_keys(const json_t *json, const struct bench_key *key, struct bench_row *row)
{
    for (; key->name; key++) {
        char *field = (char *)row + key->offset;
        const json_t *value = json_object_get(json, key->name);
        const char *text = json_string_value(value);
        if (key->kind == BENCH_TEXT) /* the shorter of the two text fields */
            snprintf(field, sizeof row->method, "%s", text ? text : "");
        else if (key->kind == BENCH_WHOLE)
            *(uint64_t *)field = (uint64_t)json_integer_value(value);
        else
            *(int *)field = (int)json_integer_value(value);
    }
}

static bool same_row(const struct bench_report *report, const struct bench_row *a,
                     const struct bench_row *b)
{
    char one[256], other[256];
    bool same = true;
    for (const struct bench_key *key = report->form->keys; key->name; key++) {
        bench_key_text(a, key, one, sizeof one);
        bench_key_text(b, key, other, sizeof other);
        same = same && !strcmp(one, other);
    }
    return same;
}

/* The report's row for the case; a new one in the first launch; NULL if there is none. */
static struct bench_row *row_for(struct bench_report *report, const struct bench_row *like)
{
    for (int i = 0; i < report->rows; i++)
        if (same_row(report, &report->row[i], like))
            return &report->row[i];
    if (report->launches > 1)
        return NULL;
    struct bench_row *rows =
        need(realloc(report->row, (size_t)(report->rows + 1) * sizeof *report->row));
    report->row = rows;
    rows[report->rows] = *like;
    rows[report->rows].settled = true;
    return &rows[report->rows++];
}

static bool merge_row(struct bench_report *report, const json_t *json)
{
    struct bench_row like = {.value = NAN};
    json_t *value = json_object_get(json, "value");
    read_keys(json, report->form->keys, &like);
    if (json_is_string(json_object_get(json, "chosen")))
        snprintf(like.chosen, sizeof like.chosen, "%s",
                 json_string_value(json_object_get(json, "chosen")));
    if (json_is_number(value))
        like.value = json_number_value(value);
    struct bench_row *row = row_for(report, &like);
    if (!row)
        return false;
    row->launch = need(realloc(row->launch, (size_t)(row->launches + 1) * sizeof *row->launch));
    row->settled = row->settled && json_is_true(json_object_get(json, "settled"));
    row->warm += (int)json_integer_value(json_object_get(json, "warm_up"));
    row->late += (int)json_integer_value(json_object_get(json, "late"));
    return read_samples(json_array_get(json_object_get(json, "samples_ns"), 0),
                        &row->launch[row->launches++]);
}

bool bench_merge_json(struct bench_report *report, const char *path)
{
    json_t *json = json_load_file(path, 0, NULL), *result;
    size_t i;
    bool fine = json != NULL;
    report->launches++;
    if (report->launches == 1 && json) {
        report->setting = json_incref(json_object_get(json, "setting"));
        report->options = json_incref(json_object_get(json, "options"));
        report->ranks = (int)json_integer_value(json_object_get(json, "ranks"));
        report->per_node = (int)json_integer_value(json_object_get(json, "ranks_per_node"));
        report->processors = (int)json_integer_value(json_object_get(json, "processors"));
    }
    json_array_foreach(json_object_get(json, "results"), i, result)
    {
        fine = fine && merge_row(report, result);
    }
    json_decref(json);
    return fine;
}

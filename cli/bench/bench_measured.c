/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/bench/bench_measured.h"

#include "cli/common/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "bench/need.h"
#include "cli/common/cli.h"

static void append(char *text, size_t room, const char *name, const json_t *value)
{
    size_t used = strlen(text);
    char *number = json_is_string(value) ? NULL : json_dumps(value, JSON_ENCODE_ANY);
    snprintf(text + used, room - used, "%s%s=%s", used ? " " : "", name,
             number                  ? number
             : json_is_string(value) ? json_string_value(value)
                                     : "");
    free(number);
}

static bool is_number_list(const json_t *list)
{
    size_t i;
    json_t *value;
    if (!json_array_size(list))
        return false;
    json_array_foreach(list, i, value)
    {
        if (!json_is_null(value) && !(json_is_number(value) && json_number_value(value) >= 0))
            return false;
    }
    return true;
}

static bool read_launches(const json_t *launches, struct measured_case *c)
{
    size_t l, i, total = 0;
    json_t *launch, *value;
    json_array_foreach(launches, l, launch)
    {
        if (!is_number_list(launch))
            return false;
        total += json_array_size(launch);
    }
    double *medians = need(malloc((json_array_size(launches) + 1) * sizeof *medians));
    c->sample = need(malloc((total + 1) * sizeof *c->sample));
    c->least = INFINITY;
    json_array_foreach(launches, l, launch)
    {
        int first = c->samples;
        json_array_foreach(launch, i, value)
        {
            if (json_is_number(value)) /* null: dropped */
                c->sample[c->samples++] = 1e-9 * json_number_value(value);
        }
        double median = measure_median(c->sample + first, c->samples - first).median;
        medians[c->launches++] = median;
        c->least = fmin(c->least, median);
        c->greatest = fmax(c->greatest, median);
    }
    if (c->launches)
        c->median = measure_median(medians, c->launches).median;
    free(medians);
    return c->launches > 0 && c->median >= 0;
}

static bool read_case(const json_t *json, const json_t *keys, struct measured_case *c)
{
    size_t i;
    json_t *key;
    *c = (struct measured_case){.launches = 0};
    json_array_foreach(keys, i, key)
    {
        const char *name = json_string_value(key);
        if (!name || !json_object_get(json, name))
            return false;
        append(c->name, sizeof c->name, name, json_object_get(json, name));
    }
    return c->name[0] && read_launches(json_object_get(json, "samples_ns"), c);
}

static const char *fact(const json_t *json, const char *name)
{
    const char *text = json_string_value(json_object_get(json_object_get(json, "setting"), name));
    return text ? text : "unknown";
}

static void describe(const json_t *json, const char *path, struct measured *measured)
{
    const char *name, *command = json_string_value(json_object_get(json, "command"));
    json_t *value;
    snprintf(measured->title, sizeof measured->title, "%.70s: build %.20s, %.50s, %.60s, %.24s",
             path, fact(json, "build"), fact(json, "mpi"), fact(json, "machine"),
             fact(json, "date"));
    snprintf(measured->what, sizeof measured->what, "%s", command ? command : "unknown");
    append(measured->what, sizeof measured->what, "ranks", json_object_get(json, "ranks"));
    json_object_foreach(json_object_get(json, "options"), name, value)
    {
        if (strcmp(name, "seed"))
            append(measured->what, sizeof measured->what, name, value);
    }
}

bool measured_read(const char *command, const char *path, struct measured *measured)
{
    json_error_t error;
    json_t *json = json_load_file(path, 0, &error), *result;
    const json_t *results = json_object_get(json, "results");
    size_t i;
    *measured = (struct measured){.launches = 0};
    if (!json)
        return !complain(command, "%s: %s", path, error.text);
    bool fine = json_array_size(results) > 0;
    measured->cases = need(calloc(json_array_size(results) + 1, sizeof *measured->cases));
    json_array_foreach(results, i, result)
    {
        fine = fine && read_case(result, json_object_get(json, "keys"), &measured->cases[i]);
        measured->count++;
    }
    describe(json, path, measured);
    measured->launches = (int)json_integer_value(json_object_get(json, "launches"));
    json_decref(json);
    if (!fine) {
        measured_free(measured);
        return !complain(command, "%s: not a report of 'summand bench' with its repetitions", path);
    }
    return true;
}

void measured_free(struct measured *measured)
{
    for (int i = 0; i < measured->count; i++)
        free(measured->cases[i].sample);
    free(measured->cases);
}

const struct measured_case *measured_named(const struct measured *measured, const char *name)
{
    for (int i = 0; i < measured->count; i++)
        if (!strcmp(measured->cases[i].name, name))
            return &measured->cases[i];
    return NULL;
}

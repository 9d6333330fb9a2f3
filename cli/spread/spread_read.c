/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/output/json.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/setting.h"
#include "cli/spread/spread.h"

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int method_index(const char *name)
{
    for (int m = 0; m < METHODS; m++)
        if (!strcmp(methods[m].name, name))
            return m;
    return strcmp(name, "fast") ? -1 : SPREAD_FAST;
}

static struct spread_file *find_file(struct spread *spread, const char *path, const char *op,
                                     uint64_t n)
{
    for (int i = 0; i < spread->files; i++)
        if (!strcmp(spread->file[i].path, path) && !strcmp(spread->file[i].op, op) &&
            spread->file[i].n == n)
            return &spread->file[i];
    struct spread_file *files =
        need(realloc(spread->file, ((size_t)spread->files + 1) * sizeof *files));
    spread->file = files;
    struct spread_file *file = &files[spread->files++];
    *file = (struct spread_file){.path = need(strdup(path)), .op = need(strdup(op)), .n = n};
    for (int m = 0; m < SPREAD_METHODS; m++)
        file->method[m].seconds = NAN;
    return file;
}

enum added { ADDED, ADDED_NOT, NO_RESULT };

/* Reads the bits rather than the number: JSON has no NaN, and text might round. */
static enum added add_result(struct spread *spread, json_t *result)
{
    const char *path, *op, *name, *bits;
    json_int_t n;
    int ranks;
    if (json_unpack(result, "{s:s, s:s, s:s, s:I, s:i, s:s}", "file", &path, "op", &op, "method",
                    &name, "n", &n, "ranks", &ranks, "bits", &bits))
        return NO_RESULT;
    int m = method_index(name);
    if (m < 0)
        return ADDED;
    struct spread_file *file = find_file(spread, path, op, (uint64_t)n);
    struct spread_method *method = &file->method[m];
    if (method->runs == SPREAD_RUNS)
        return ADDED_NOT;
    uint64_t number = strtoull(bits, NULL, 16);
    method->ranks[method->runs] = ranks;
    memcpy(&method->value[method->runs++], &number, sizeof number);
    return ADDED;
}

bool spread_add(struct spread *spread, const char *command, const char *path)
{
    json_t *json = read_json(command, path, "'summand sum --json'");
    size_t i;
    if (!json)
        return false;
    json_t *results = json_object_get(json, "results");
    const json_t *setting = json_object_get(json, "setting");
    const char *mpi = json_string_value(json_object_get(setting, "mpi"));
    enum added added = json_array_size(results) > 0 ? ADDED : NO_RESULT;
    for (i = 0; i < json_array_size(results) && added == ADDED; i++)
        added = add_result(spread, json_array_get(results, i));
    snprintf(spread->mpi, sizeof spread->mpi, "%s", mpi ? mpi : "unknown MPI");
    if (mpi)
        setting_line(setting, spread->setting, sizeof spread->setting);
    else
        snprintf(spread->setting, sizeof spread->setting, "%s", spread->mpi);
    if (added == NO_RESULT)
        complain(command, "%s: not the JSON of 'summand sum --json'", path);
    if (added == ADDED_NOT)
        complain(command, "%s: more than %d results of one method for one file", path, SPREAD_RUNS);
    json_decref(json);
    return added == ADDED;
}

static void add_bench_row(struct spread *spread, json_t *row)
{
    const char *data, *name;
    json_int_t n;
    double median;
    int settled = 0;
    if (json_unpack(row, "{s:s, s:I, s:s, s:F, s:b}", "data", &data, "n", &n, "method", &name,
                    "median", &median, "settled", &settled))
        return;
    int m = method_index(name);
    for (int i = 0; m >= 0 && i < spread->files; i++)
        if (!strcmp(base_name(spread->file[i].path), data) && spread->file[i].n == (uint64_t)n) {
            spread->file[i].method[m].seconds = median;
            spread->file[i].method[m].settled = settled;
        }
}

bool spread_add_bench(struct spread *spread, const char *command, const char *path)
{
    json_t *json = read_json(command, path, "'summand bench sum --json'"), *row;
    size_t i;
    if (!json)
        return false;
    json_t *results = json_object_get(json, "results");
    spread->bench_ranks = (int)json_integer_value(json_object_get(json, "ranks"));
    json_array_foreach(results, i, row) add_bench_row(spread, row);
    bool fine = results && spread->bench_ranks > 0;
    if (!fine)
        complain(command, "%s: not the JSON of 'summand bench sum --json'", path);
    json_decref(json);
    return fine;
}

void spread_free(struct spread *spread)
{
    for (int i = 0; i < spread->files; i++) {
        free(spread->file[i].path);
        free(spread->file[i].op);
    }
    free(spread->file);
}

double spread_of(const struct spread_method *method)
{
    double low = method->value[0], high = low;
    bool same = true;
    for (int i = 1; i < method->runs; i++) {
        same = same && !memcmp(&method->value[0], &method->value[i], sizeof(double));
        if (isnan(method->value[i]))
            low = high = NAN;
        if (method->value[i] < low)
            low = method->value[i];
        if (method->value[i] > high)
            high = method->value[i];
    }
    /* Zeros of different sign differ in bits but not in value. */
    double spread = high - low;
    return same ? 0 : spread == 0 ? 0x1p-1074 : spread;
}

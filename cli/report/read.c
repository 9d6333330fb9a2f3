/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/report/report.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/json.h"

/* A file that is read: the first error in words. */
struct reading {
    const char *wrong;
};

static void text_of(struct reading *r, const json_t *object, const char *name, char *to,
                    size_t room)
{
    const char *text = json_string_value(json_object_get(object, name));
    if (!text) {
        r->wrong = name;
        return;
    }
    size_t length = strlen(text);
    if (length >= room)
        length = room - 1;
    memcpy(to, text, length);
    to[length] = 0;
}

static double number_of(struct reading *r, const json_t *object, const char *name, double most)
{
    const json_t *value = json_object_get(object, name);
    double number = json_number_value(value);
    if (!json_is_number(value) || !(number >= 0 && number <= most))
        r->wrong = name;
    return number;
}

static long long integer_of(struct reading *r, const json_t *object, const char *name,
                            long long most)
{
    const json_t *value = json_object_get(object, name);
    long long number = json_integer_value(value);
    if (!json_is_integer(value) || number < 0 || number > most)
        r->wrong = name;
    return number;
}

enum { CENTURY = 2147483647 }; /* seconds */

static void read_row(struct reading *r, const json_t *object, struct report_row *row)
{
    text_of(r, object, "call", row->call, sizeof row->call);
    text_of(r, object, "algorithm", row->algorithm, sizeof row->algorithm);
    text_of(r, object, "transport", row->transport, sizeof row->transport);
    text_of(r, object, "reason", row->reason, sizeof row->reason);
    row->least = integer_of(r, object, "least", LLONG_MAX);
    row->most = integer_of(r, object, "most", LLONG_MAX - 1);
    row->calls = integer_of(r, object, "calls", LLONG_MAX);
    row->bytes = integer_of(r, object, "bytes", LLONG_MAX);
    row->waits = integer_of(r, object, "waits", LLONG_MAX);
    row->samples = integer_of(r, object, "samples", LLONG_MAX);
    row->mpi_samples = integer_of(r, object, "mpi_samples", LLONG_MAX);
    row->seconds = number_of(r, object, "seconds", CENTURY);
    row->most_seconds = number_of(r, object, "most_seconds", CENTURY);
    row->waiting = number_of(r, object, "waiting", CENTURY);
    row->moving = number_of(r, object, "moving", CENTURY);
    row->mpi = number_of(r, object, "mpi", CENTURY);
    if (json_object_get(object, "kept")) { /* older reports lack them */
        row->kept = integer_of(r, object, "kept", 1ll << 40);
        row->lost = integer_of(r, object, "lost", 1ll << 40);
        text_of(r, object, "site", row->site, sizeof row->site);
    }
    if (strncmp(row->call, "MPI_", 4) != 0)
        r->wrong = "call";
}

static void read_rows(struct reading *r, const json_t *object, struct report *report)
{
    const json_t *list = json_object_get(object, "calls");
    size_t count = json_array_size(list);
    if (!json_is_array(list))
        r->wrong = "calls";
    report->row = need(calloc(count + 1, sizeof *report->row));
    for (size_t i = 0; i < count && !r->wrong; i++)
        read_row(r, json_array_get(list, i), &report->row[report->rows++]);
}

static void read_checks(struct reading *r, const json_t *object, struct report_rank *rank)
{
    rank->checked = integer_of(r, object, "checked", 1ll << 40);
    rank->damaged = integer_of(r, object, "damaged", 1ll << 40);
    rank->repaired = integer_of(r, object, "repaired", 1ll << 40);
    text_of(r, object, "damage", rank->damage, sizeof rank->damage);
}

static void read_ranks(struct reading *r, const json_t *object, struct report *report)
{
    const json_t *list = json_object_get(object, "by_rank");
    size_t count = json_array_size(list);
    if (!count || count != (size_t)report->ranks) {
        r->wrong = "by_rank";
        return;
    }
    report->rank = need(calloc(count, sizeof *report->rank));
    for (size_t i = 0; i < count && !r->wrong; i++) {
        const json_t *rank = json_array_get(list, i);
        report->rank[i].inside = number_of(r, rank, "inside", CENTURY);
        report->rank[i].calls = integer_of(r, rank, "calls", LLONG_MAX);
        if (json_object_get(rank, "checked")) /* older reports lack them */
            read_checks(r, rank, &report->rank[i]);
    }
}

static void read_bins(struct reading *r, const json_t *object, const char *name, double *bins,
                      int *count)
{
    const json_t *list = json_object_get(object, name);
    size_t size = json_array_size(list);
    if (!size || size > REPORT_BINS || (*count && size != (size_t)*count)) {
        r->wrong = name;
        return;
    }
    *count = (int)size;
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(list, i);
        bins[i] = json_number_value(value);
        if (!json_is_number(value) || !(bins[i] >= 0 && bins[i] < 1e9))
            r->wrong = name;
    }
}

static void read_all(struct reading *r, const json_t *object, struct report *report)
{
    if (json_integer_value(json_object_get(object, "report")) != 1) {
        r->wrong = "report";
        return;
    }
    text_of(r, object, "program", report->program, sizeof report->program);
    text_of(r, object, "mpi_library", report->mpi, sizeof report->mpi);
    text_of(r, object, "mode", report->mode, sizeof report->mode);
    if (json_object_get(object, "machine"))
        text_of(r, object, "machine", report->machine, sizeof report->machine);
    if (json_object_get(object, "date"))
        text_of(r, object, "date", report->date, sizeof report->date);
    report->ranks = (int)integer_of(r, object, "ranks", 1 << 24);
    report->seconds = number_of(r, object, "seconds", CENTURY);
    report->period = integer_of(r, object, "period", LLONG_MAX);
    report->width = number_of(r, object, "width", CENTURY);
    if (!r->wrong)
        read_rows(r, object, report);
    if (!r->wrong)
        read_ranks(r, object, report);
    if (!r->wrong)
        read_bins(r, object, "mean", report->mean, &report->bins);
    if (!r->wrong)
        read_bins(r, object, "most_of_ranks", report->most, &report->bins);
}

bool report_read(const char *path, struct report *report)
{
    struct reading reading = {NULL};
    json_t *object = read_json(REPORT, path, "SUMMAND_REPORT=FILE.json");
    *report = (struct report){0};
    if (!object)
        return false;
    read_all(&reading, object, report);
    json_decref(object);
    if (reading.wrong) {
        complain(REPORT, "%s: no report: its field '%s' is missing or has no valid value", path,
                 reading.wrong);
        report_free(report);
        return false;
    }
    report_sort(report);
    return true;
}

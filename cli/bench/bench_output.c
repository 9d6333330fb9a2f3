/* SPDX-License-Identifier: BSD-3-Clause */
/* A benchmark's report on the screen and as CSV: the parts common to all benchmarks. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/bench/bench.h"
#include "cli/common/cli.h"
#include "cli/output/output.h"
#include "cli/output/setting.h"
#include "cli/output/text.h"

enum { LAUNCHES_OF_INTERVAL = 6 }; /* from this number on, medians have an interval of 95 % */

void bench_key_text(const struct bench_row *row, const struct bench_key *key, char *text,
                    size_t room)
{
    const char *field = (const char *)row + key->offset;
    if (key->kind == BENCH_TEXT)
        snprintf(text, room, "%s", field);
    else if (key->kind == BENCH_WHOLE)
        snprintf(text, room, "%" PRIu64, *(const uint64_t *)field);
    else
        snprintf(text, room, "%d", *(const int *)field);
}

static const char *of_setting(const struct bench_report *report, const char *name)
{
    const char *text = json_string_value(json_object_get(report->setting, name));
    return text ? text : "unknown";
}

static void print_options(const struct bench_report *report)
{
    const char *name;
    json_t *value;
    char text[1024] = "";
    size_t used = 0;
    json_object_foreach(report->options, name, value)
    {
        if (json_is_null(value) || (json_is_real(value) && !(json_real_value(value) > 0)) ||
            used >= sizeof text)
            continue;
        char one[200];
        if (json_is_string(value))
            snprintf(one, sizeof one, "%s", json_string_value(value));
        else if (json_is_boolean(value))
            snprintf(one, sizeof one, "%s", json_is_true(value) ? "yes" : "no");
        else
            snprintf(one, sizeof one, "%g", json_number_value(value));
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "", name,
                                 one);
    }
    print_remark("%s", text);
}

static void print_start(const struct bench_report *report)
{
    const char *start = json_string_value(json_object_get(report->options, "start"));
    double imbalance = json_number_value(json_object_get(report->options, "imbalance_us"));
    bool clock = start && !strcmp(start, "clock");
    char begin[256], end[256];
    if (clock)
        snprintf(begin, sizeof begin,
                 "all ranks start at a time that rank 0 broadcasts (one clock per node; offsets "
                 "between nodes by the shortest of 20 round trips, anew for each batch)");
    else
        snprintf(begin, sizeof begin, "a barrier%s, then one call",
                 start && !strcmp(start, "counter") ? " (a counter in memory)" : "");
    if (imbalance > 0)
        snprintf(end, sizeof end,
                 "each rank begins late by 0 to %g us, at random; the time from the last begin to "
                 "the last end counts",
                 imbalance);
    else
        snprintf(end, sizeof end, "%s",
                 clock ? "the time from there to the last rank's end counts"
                       : "the slowest rank's time counts");
    print_remark("A repetition: %s; %s.", begin, end);
}

void bench_print_head(const struct bench_report *report)
{
    if (!HAS_JSON) { /* the setting is kept as JSON */
        print_remark("summand %s on %d rank%s. Machine, options and start are not shown: %s.",
                     report->command, report->ranks, text_plural(report->ranks), NO_JSON);
        return;
    }
    print_remark("summand %s on %d rank%s, %s, %s (%s), %d processor%s, build %s", report->command,
                 report->ranks, text_plural(report->ranks), of_setting(report, "mpi"),
                 of_setting(report, "machine"), of_setting(report, "arch"), report->processors,
                 text_plural(report->processors), of_setting(report, "build"));
    print_options(report);
    print_start(report);
    if (report->launches > 1)
        print_remark("%d launches: medians of the launches' medians%s.", report->launches,
                     report->launches < LAUNCHES_OF_INTERVAL
                         ? "; their least and greatest (an interval of 95 % takes 6)"
                         : " and their 95 % intervals");
    if (report->per_node > report->processors)
        print_remark(
            "Warning: %d ranks share %d processor%s, so these times show the scheduler and "
            "how each waits; an MPI that spins while it waits is distorted most.",
            report->per_node, report->processors, text_plural(report->processors));
}

/* Digits behind the point: fewer for long times, so a table keeps the screen's width; one more for
 * short times in milliseconds. */
static int digits_of(double unit, double seconds)
{
    double number = seconds / unit;
    if (unit < 1e-8 || number >= 1e4)
        return 0;
    return number >= 1e3 ? 1 : number < 1e2 && unit > 1e-4 && unit < 1e-2 ? 3 : 2;
}

void bench_number_cell(struct table *table, double unit, double seconds)
{
    table_cell(table, "%.*f", digits_of(unit, seconds), seconds / unit);
}

void bench_time_cell(struct table *table, const struct bench_row *row, double unit, double seconds)
{
    if (row->rounds < 2)
        table_cell(table, "-");
    else
        bench_number_cell(table, unit, seconds);
}

void bench_table_begin(struct table *table, const struct bench_report *report, const char *heads)
{
    static const char interval[] = "CI95", range[] = "Range";
    const char *at = NULL;
    char text[200] = "";
    size_t length = 0;
    bool few = report->launches > 1 && report->launches < LAUNCHES_OF_INTERVAL;
    for (; few && (at = strstr(heads, interval)); heads = at + strlen(interval))
        length += (size_t)snprintf(text + length, sizeof text - length, "%.*s%s", (int)(at - heads),
                                   heads, range);
    snprintf(text + length, sizeof text - length, "%s", heads);
    table_begin(table, text);
}

void bench_interval_cell(struct table *table, const struct bench_row *row, double unit,
                         struct measure_interval time)
{
    if (row->rounds < 2)
        table_cell(table, "-");
    else
        table_cell(table, "%.*f..%.*f", digits_of(unit, time.low), time.low / unit,
                   digits_of(unit, time.high), time.high / unit);
}

void bench_ratio_cell(struct table *table, double ratio)
{
    if (isnan(ratio))
        table_cell(table, "-");
    else
        table_cell(table, "%.2f", ratio);
}

void bench_print_foot(const struct bench_report *report)
{
    int late = 0, rounds = 0;
    bool settled = true, single = false;
    for (int i = 0; i < report->rows; i++) {
        settled = settled && report->row[i].settled;
        single = single || report->row[i].rounds < 2;
        late += report->row[i].late;
        rounds += report->row[i].rounds + report->row[i].late;
    }
    if (!settled)
        print_remark("*: the 95 %% interval was not within 2 %% of the median when %g s were over; "
                     "--budget gives more.",
                     report->budget);
    if (single)
        print_remark("-: one repetition has no interval.");
    if (late)
        print_remark("%s%.2g %% of the repetitions were dropped: a rank was late at the start.%s",
                     2 * late > rounds ? "Warning: " : "", 100.0 * late / rounds,
                     2 * late > rounds ? " This machine is too busy for these times." : "");
}

static void ratio_csv(FILE *out, struct measure_interval ratio)
{
    if (isfinite(ratio.median))
        fprintf(out, ",%.6g,%.6g,%.6g", ratio.median, ratio.low, ratio.high);
    else
        fputs(",,,", out);
}

static void heads_csv(const struct bench_report *report, FILE *out)
{
    setting_csv_heads(out);
    fputs("options,launches,benchmark,ranks", out);
    for (const struct bench_key *key = report->form->keys; key->name; key++)
        fprintf(out, ",%s", key->name);
    fputs(",median_s,low_s,high_s,p1_s,p99_s,least_s,rounds,settled,warm_up,late", out);
    for (int r = 0; r < 2; r++)
        if (report->form->ratios[r])
            fprintf(out, ",%s,%s_low,%s_high", report->form->ratios[r], report->form->ratios[r],
                    report->form->ratios[r]);
    fputc('\n', out);
}

static void row_csv(const struct bench_report *report, const struct bench_row *row, FILE *out)
{
    char text[SETTING_ROOM];
    for (const struct bench_key *key = report->form->keys; key->name; key++) {
        bench_key_text(row, key, text, sizeof text);
        fputc(',', out);
        csv_text(out, text);
    }
    fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%d,%d,%d", row->time.median, row->time.low,
            row->time.high, row->p1, row->p99, row->least, row->rounds, row->settled, row->warm,
            row->late);
    for (int r = 0; r < 2; r++)
        if (report->form->ratios[r])
            ratio_csv(out, row->ratio[r]);
    fputc('\n', out);
}

static void rows_csv(const struct bench_report *report, FILE *out)
{
    char *options = json_dumps(report->options, JSON_COMPACT | JSON_REAL_PRECISION(6));
    heads_csv(report, out);
    for (int i = 0; i < report->rows; i++) {
        setting_csv_values(out, report->setting);
        csv_text(out, options ? options : "");
        fprintf(out, ",%d,%s,%d", report->launches, report->command, report->ranks);
        row_csv(report, &report->row[i], out);
    }
    free(options);
}

int bench_write_csv(const struct bench_report *report, const char *path)
{
    struct output output;
    if (!output_open(&output, report->command, path))
        return 1;
    rows_csv(report, output.file);
    return !output_close(&output, true);
}

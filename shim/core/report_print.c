/* SPDX-License-Identifier: BSD-3-Clause */
/* A report as a table and as JSON. Needs no MPI, and no library: it runs within any program. */
#include "shim/core/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/quiet.h"
#include "shim/core/rules.h"

void report_free(struct report *report)
{
    free(report->row);
    free(report->rank);
    *report = (struct report){0};
}

static int by_time(const void *a, const void *b)
{
    const struct report_row *p = a, *q = b;
    return (p->seconds < q->seconds) - (p->seconds > q->seconds);
}

void report_sort(struct report *report)
{
    if (report->rows)
        qsort(report->row, (size_t)report->rows, sizeof *report->row, by_time);
}

void report_class(long long least, long long most, char *text, size_t room)
{
    char first[24], last[24];
    if (least == most) {
        snprintf(text, room, "%lld", least);
        return;
    }
    summand__print_integer(least, first, sizeof first);
    summand__print_integer(most + 1, last, sizeof last);
    snprintf(text, room, "%s-%s", first, last);
}

void report_way(const struct report_row *row, char *text, size_t room)
{
    if (*row->reason)
        snprintf(text, room, "MPI: %s", row->reason);
    else
        snprintf(text, room, "%s%s%s", *row->algorithm ? row->algorithm : "Summand",
                 *row->transport ? ", " : "", row->transport);
}

bool report_promise(const struct report *report, char *text, size_t room)
{
    struct shim_rules rules;
    char unread[320];
    long long kept = 0, lost = 0;
    if (!shim_rules_read(report->mode, &rules, unread, sizeof unread) ||
        !shim_rules_promise(&rules))
        return false;
    for (int i = 0; i < report->rows; i++) {
        kept += report->row[i].kept;
        lost += report->row[i].lost;
    }
    if (lost)
        snprintf(text, room,
                 "%lld of %lld reductions that may round were NOT done as the mode promises", lost,
                 kept + lost);
    else
        snprintf(text, room,
                 kept == 1 ? "the one reduction that may round was done as the mode promises"
                           : "all %lld reductions that may round were done as the mode promises",
                 kept);
    return kept + lost;
}

bool report_checks(const struct report *report, char *text, size_t room)
{
    long long checked = 0, damaged = 0, repaired = 0;
    for (int i = 0; i < report->ranks; i++) {
        checked += report->rank[i].checked;
        damaged += report->rank[i].damaged;
        repaired += report->rank[i].repaired;
    }
    if (damaged)
        snprintf(text, room, "%lld of %lld check words of data showed DAMAGE, %lld repaired",
                 damaged, checked, repaired);
    else
        snprintf(text, room, "%lld check words of data, no damage", checked);
    return checked || damaged;
}

double report_waiting(const struct report_row *row)
{
    if (!row->waits || !row->samples || !(row->waiting + row->moving > 0))
        return -1;
    return row->seconds * row->waiting / (row->waiting + row->moving);
}

/* Seconds in the unit that needs no zeros: "1.25 s", "310 ms", "4.2 us". */
static void print_seconds(double seconds, char *text, size_t room)
{
    if (seconds >= 1)
        snprintf(text, room, "%.2f s", seconds);
    else if (seconds >= 1e-3)
        snprintf(text, room, "%.*f ms", seconds < 1e-2 ? 2 : seconds < 0.1 ? 1 : 0, 1e3 * seconds);
    else
        snprintf(text, room, "%.*f us", seconds < 1e-5 ? 2 : seconds < 1e-4 ? 1 : 0, 1e6 * seconds);
}

static void print_head(const struct report *report, FILE *out)
{
    double inside = 0, most = 0;
    for (int i = 0; i < report->ranks; i++) {
        inside += report->rank[i].inside / report->ranks;
        most = report->rank[i].inside > most ? report->rank[i].inside : most;
    }
    const char *name = strrchr(report->program, '/');
    fprintf(out, "Summand: %.40s, %d rank%s, mode %.30s, %.20s\n",
            name ? name + 1 : report->program, report->ranks, report->ranks == 1 ? "" : "s",
            report->mode, report->mpi);
    fprintf(out,
            "%.3f s from MPI_Init to MPI_Finalize; %.3f s (%.1f %%) of it in these calls, at "
            "most %.3f s\n\n",
            report->seconds, inside, report->seconds > 0 ? 100 * inside / report->seconds : 0,
            most);
}

/* What the mode did not cover, and where it begins. */
static void print_promise(const struct report *report, FILE *out)
{
    char text[160];
    if (!report_promise(report, text, sizeof text))
        return;
    fprintf(out, "Promise: %s\n", text);
    for (int i = 0; i < report->rows; i++) {
        const struct report_row *row = &report->row[i];
        if (row->lost)
            fprintf(out, "  %s, %lld call%s%s%s: %s\n", row->call, row->lost,
                    row->lost == 1 ? "" : "s", *row->site ? ", first at " : "", row->site,
                    *row->reason      ? row->reason
                    : *row->algorithm ? "the rule says fast"
                                      : "several reasons");
    }
    fputc('\n', out);
}

/* What the check words showed, and what it was on each rank. */
static void print_checks(const struct report *report, FILE *out)
{
    char text[160];
    if (!report_checks(report, text, sizeof text))
        return;
    fprintf(out, "Checked: %s\n", text);
    for (int i = 0; i < report->ranks; i++)
        if (report->rank[i].damaged)
            fprintf(out, "  %lld on rank %d of the run; the first: %s\n", report->rank[i].damaged,
                    i, report->rank[i].damage);
    fputc('\n', out);
}

/* One cell, or "-" where there are no samples. */
static void print_mean(double seconds, long long samples, char *text, size_t room)
{
    if (samples)
        print_seconds(seconds, text, room);
    else
        snprintf(text, room, "-");
}

static void print_row(const struct report_row *row, FILE *out)
{
    char class[56], inside[16], waiting[16] = "-", moving[16], mpi[16], way[100];
    const double waited = report_waiting(row);
    report_class(row->least, row->most, class, sizeof class);
    print_seconds(row->seconds, inside, sizeof inside);
    if (waited >= 0)
        snprintf(waiting, sizeof waiting, "%.0f %%",
                 row->seconds > 0 ? 100 * waited / row->seconds : 0);
    print_mean(row->moving, row->samples, moving, sizeof moving);
    print_mean(row->mpi, row->mpi_samples, mpi, sizeof mpi);
    report_way(row, way, sizeof way);
    fprintf(out, "%-20.20s %8s %8lld %8s %5s %8s %8s  %.27s\n", row->call + 4, class, row->calls,
            inside, waiting, moving, mpi, way);
}

/* What mode `exact` cannot do; users take it for more. */
static void print_limit_of_exact(const struct report *report, FILE *out)
{
    for (int i = 0; i < report->rows; i++)
        if (*report->row[i].algorithm && strstr(report->row[i].call, "educe") &&
            strstr(report->mode, "exact")) {
            fputs("exact: of what the ranks pass in. A loop before the call still rounds, and its "
                  "sum depends on the\nnumber of ranks: summand_sum and summand_dot replace both\n",
                  out);
            return;
        }
}

static void print(const struct report *report, FILE *out)
{
    print_head(report, out);
    if (!report->rows) {
        fputs("no calls\n", out);
        return;
    }
    print_promise(report, out);
    print_checks(report, out);
    fprintf(out, "%-20s %8s %8s %8s %5s %8s %8s  %s\n", "MPI_", "bytes", "calls", "inside", "waits",
            "a call", "MPI's", "done by");
    for (int i = 0; i < report->rows; i++)
        print_row(&report->row[i], out);
    fputs("\ninside: time in the calls, the mean of the ranks; ", out);
    if (report->period)
        fprintf(out,
                "waits: the part of it until the last\nrank is there; a call: the rest, and MPI's: "
                "that of the MPI's own function; from one in %lld calls\n",
                report->period);
    else
        fputs("no call was sampled\n", out);
    print_limit_of_exact(report, out);
}

static void write_text(const char *text, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c >= 127) /* bytes that may be no UTF-8 */
            fprintf(out, "\\u%04x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

static void write_number(double number, FILE *out)
{
    if (isfinite(number))
        fprintf(out, "%.9g", number);
    else
        fputs("null", out);
}

/* Fields of an object, each after a comma but the first. */
static void text_field(const char *name, const char *text, bool first, FILE *out)
{
    fprintf(out, "%s\"%s\": ", first ? "" : ", ", name);
    write_text(text, out);
}

static void number_field(const char *name, double number, FILE *out)
{
    fprintf(out, ", \"%s\": ", name);
    write_number(number, out);
}

static void integer_field(const char *name, long long number, FILE *out)
{
    fprintf(out, ", \"%s\": %lld", name, number);
}

static void write_row(const struct report_row *row, FILE *out)
{
    fputs("\n  {", out);
    text_field("call", row->call, true, out);
    integer_field("least", row->least, out);
    integer_field("most", row->most, out);
    text_field("algorithm", row->algorithm, false, out);
    text_field("transport", row->transport, false, out);
    text_field("reason", row->reason, false, out);
    integer_field("calls", row->calls, out);
    integer_field("bytes", row->bytes, out);
    number_field("seconds", row->seconds, out);
    number_field("most_seconds", row->most_seconds, out);
    integer_field("waits", row->waits, out);
    integer_field("samples", row->samples, out);
    integer_field("mpi_samples", row->mpi_samples, out);
    number_field("waiting", row->waiting, out);
    number_field("moving", row->moving, out);
    number_field("mpi", row->mpi, out);
    integer_field("kept", row->kept, out);
    integer_field("lost", row->lost, out);
    text_field("site", row->site, false, out);
    fputs("}", out);
}

static void write_bins(const char *name, const double *bins, int count, FILE *out)
{
    fprintf(out, ",\n\"%s\": [", name);
    for (int i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        write_number(bins[i], out);
    }
    fputs("]", out);
}

static void write_all(const struct report *report, FILE *out)
{
    fputs("{\"report\": 1", out);
    text_field("program", report->program, false, out);
    text_field("mpi_library", report->mpi, false, out);
    text_field("mode", report->mode, false, out);
    text_field("machine", report->machine, false, out);
    text_field("date", report->date, false, out);
    integer_field("ranks", report->ranks, out);
    number_field("seconds", report->seconds, out);
    integer_field("period", report->period, out);
    fputs(",\n\"calls\": [", out);
    for (int i = 0; i < report->rows; i++) {
        fputs(i ? "," : "", out);
        write_row(&report->row[i], out);
    }
    fputs("],\n\"by_rank\": [", out);
    for (int i = 0; i < report->ranks; i++) {
        fprintf(out, "%s\n  {\"rank\": %d", i ? "," : "", i);
        number_field("inside", report->rank[i].inside, out);
        integer_field("calls", report->rank[i].calls, out);
        integer_field("checked", report->rank[i].checked, out);
        integer_field("damaged", report->rank[i].damaged, out);
        integer_field("repaired", report->rank[i].repaired, out);
        text_field("damage", report->rank[i].damage, false, out);
        fputs("}", out);
    }
    fputs("],\n\"width\": ", out);
    write_number(report->width, out);
    write_bins("mean", report->mean, report->bins, out);
    write_bins("most_of_ranks", report->most, report->bins, out);
    fputs("}\n", out);
}

/* Points in numbers, whatever the program's locale is. */
static void in_plain_locale(void (*write)(const struct report *report, FILE *out),
                            const struct report *report, FILE *out)
{
    const locale_t before = uselocale(summand__plain_locale());
    write(report, out);
    uselocale(before);
}

void report_print(const struct report *report, FILE *out)
{
    in_plain_locale(print, report, out);
}

void report_write(const struct report *report, FILE *out)
{
    in_plain_locale(write_all, report, out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* One report of all ranks, on rank 0. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/machine.h"
#include "base/output.h"
#include "base/quiet.h"
#include "core/held.h"
#include "shim/core/record_type.h"
#include "shim/core/report.h"
#include "shim/core/report_run.h"

_Static_assert(sizeof((struct report_own *)0)->bin == sizeof((struct report *)0)->mean,
               "bins are as many");
_Static_assert(sizeof((struct report_own *)0)->damage == sizeof((struct report_rank *)0)->damage,
               "words are as long");

/* The row that a rank's part belongs to; NULL: no memory. */
static struct report_row *row_of(struct report *report, const struct report_part *part)
{
    const long long least = part->class ? 1ll << 2 * (part->class - 1) : 0;
    for (int i = 0; i < report->rows; i++) {
        struct report_row *row = &report->row[i];
        if (row->least == least && !strcmp(row->call, part->call) &&
            !strcmp(row->algorithm, part->algorithm) && !strcmp(row->transport, part->transport) &&
            !strcmp(row->reason, part->reason))
            return row;
    }
    struct report_row *rows =
        realloc(report->row, ((size_t)report->rows + 1) * sizeof *report->row);
    if (!rows)
        return NULL;
    report->row = rows;
    struct report_row *row = &rows[report->rows++];
    *row = (struct report_row){.least = least, .most = part->class ? 4 * least - 1 : 0};
    strcpy(row->call, part->call);
    strcpy(row->algorithm, part->algorithm);
    strcpy(row->transport, part->transport);
    strcpy(row->reason, part->reason);
    return row;
}

/* Sums become means in `end_rows`. */
static void add_part(struct report *report, const struct report_part *part)
{
    struct report_row *row = row_of(report, part);
    if (!row)
        return;
    if (part->calls > row->calls) {
        row->calls = part->calls;
        row->bytes = part->bytes;
    }
    row->kept = part->kept > row->kept ? part->kept : row->kept;
    row->lost = part->lost > row->lost ? part->lost : row->lost;
    if (!*row->site)
        strcpy(row->site, part->site);
    row->seconds += part->seconds;
    row->most_seconds = part->seconds > row->most_seconds ? part->seconds : row->most_seconds;
    row->waits += part->waits;
    row->samples += part->samples;
    row->mpi_samples += part->mpi_samples;
    row->waiting += part->waiting;
    row->moving += part->moving;
    row->mpi += part->mpi;
}

static void end_rows(struct report *report)
{
    for (int i = 0; i < report->rows; i++) {
        struct report_row *row = &report->row[i];
        row->seconds /= report->ranks;
        row->waiting /= (double)(row->waits ? row->waits : 1);
        row->moving /= (double)(row->samples ? row->samples : 1);
        row->mpi /= (double)(row->mpi_samples ? row->mpi_samples : 1);
    }
    report_sort(report);
}

static void add_rank(struct report *report, int rank, const struct report_own *own)
{
    struct report_rank *of = &report->rank[rank];
    *of = (struct report_rank){own->inside,  own->calls,    own->checked,
                               own->damaged, own->repaired, ""};
    memcpy(of->damage, own->damage, sizeof of->damage);
    report->seconds = own->seconds > report->seconds ? own->seconds : report->seconds;
    report->width = own->width > report->width ? own->width : report->width;
}

/* Bins of a rank, whose width may be less by a power of 2. */
static void add_bins(struct report *report, const struct report_own *own)
{
    double bins[REPORT_BINS] = {0};
    const int factor = (int)(report->width / own->width + 0.5);
    for (int i = 0; i < REPORT_BINS; i++)
        bins[i / factor] += own->bin[i] / report->width;
    for (int i = 0; i < REPORT_BINS; i++) {
        report->mean[i] += bins[i] / report->ranks;
        report->most[i] = bins[i] > report->most[i] ? bins[i] : report->most[i];
    }
}

static void name_run(struct report *report, const char *mode)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    size_t used = 0;
    ssize_t got = readlink("/proc/self/exe", report->program, sizeof report->program - 1);
    report->program[got > 0 ? got : 0] = 0;
    PMPI_Get_library_version(version, &length);
    version[strcspn(version, ",\n")] = 0;
    for (const char *at = version; *at && used + 1 < sizeof report->mpi; at++)
        if ((unsigned char)*at > ' ')
            report->mpi[used++] = *at;
        else if (used && report->mpi[used - 1] != ' ')
            report->mpi[used++] = ' ';
    snprintf(report->mode, sizeof report->mode, "%s", mode);
    snprintf(report->machine, sizeof report->machine, "%s", summand__processor().name);
    time_t now = time(NULL);
    struct tm parts;
    strftime(report->date, sizeof report->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &parts));
}

/* In one piece, so that lines of other ranks do not come between. */
static void print_on_stderr(const struct report *report)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    if (out)
        report_print(report, out);
    if (out && !fclose(out))
        shim_say_text(text, length);
    else
        shim_say("no report: no memory");
    free(text);
}

static void print(const struct report *report, const char *file)
{
    struct summand__output output;
    struct summand__quiet quiet;
    size_t length = strlen(file);
    if (!strcmp(file, "1")) {
        print_on_stderr(report);
        return;
    }
    summand__quiet_begin(&quiet);
    bool good = summand__output_open(&output, file);
    if (good) {
        if (length > 5 && !strcmp(file + length - 5, ".json"))
            report_write(report, output.file);
        else
            report_print(report, output.file);
        good = summand__output_close(&output, true);
    }
    summand__quiet_end(&quiet);
    if (!good)
        shim_say("no report: %s: %s", file, summand__reason(errno));
}

struct gathered {
    int *sizes, *places;
    struct report_own *owns;
    struct report_part *parts;
};

/* Returns the number of all parts; -1: no memory. */
static int take_sizes(struct gathered *g, int ranks)
{
    long long total = 0;
    for (int i = 0; i < ranks; i++) {
        g->sizes[i] = g->owns[i].parts * (int)sizeof *g->parts;
        g->places[i] = (int)(total * (long long)sizeof *g->parts);
        total += g->owns[i].parts;
    }
    if (total * (long long)sizeof *g->parts > INT_MAX)
        return -1;
    g->parts = malloc(((size_t)total + 1) * sizeof *g->parts);
    return g->parts ? (int)total : -1;
}

static void make(const struct gathered *g, int total, struct report *report)
{
    report->bins = REPORT_BINS;
    for (int i = 0; i < report->ranks; i++)
        add_rank(report, i, &g->owns[i]);
    for (int i = 0; i < report->ranks; i++)
        add_bins(report, &g->owns[i]);
    for (int i = 0; i < total; i++)
        add_part(report, &g->parts[i]);
    end_rows(report);
    while (report->bins > 1 && (report->bins - 1) * report->width >= report->seconds)
        report->bins--;
}

void report_gather(const struct report_own *own, const char *file, const char *mode)
{
    struct report report = {.period = own->period};
    struct gathered g = {0};
    int rank = 0, good = 1, total = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &report.ranks);
    const size_t ranks = (size_t)report.ranks;
    if (rank == 0) {
        g.sizes = malloc(ranks * sizeof *g.sizes);
        g.places = malloc(ranks * sizeof *g.places);
        g.owns = malloc(ranks * sizeof *g.owns);
        report.rank = calloc(ranks, sizeof *report.rank);
        good = g.sizes && g.places && g.owns && report.rank;
    }
    PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (good)
        PMPI_Gather(own, (int)sizeof *own, MPI_BYTE, g.owns, (int)sizeof *own, MPI_BYTE, 0,
                    MPI_COMM_WORLD);
    if (good && rank == 0)
        good = (total = take_sizes(&g, report.ranks)) >= 0;
    PMPI_Bcast(&good, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (good)
        PMPI_Gatherv(own->part, own->parts * (int)sizeof *own->part, MPI_BYTE, g.parts, g.sizes,
                     g.places, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (good && rank == 0) {
        name_run(&report, mode);
        make(&g, total, &report);
        print(&report, file);
    } else if (rank == 0) {
        shim_say("no report: no memory");
    }
    report_free(&report);
    free(g.sizes);
    free(g.places);
    free(g.owns);
    free(g.parts);
}

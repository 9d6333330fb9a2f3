/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/study/experiment.h"
#include "cli/output/text.h"

#include "cli/gossip/gossip.h"
#include "cli/ranks/interrupt.h"

#include "lab/gossip/data.h"
#include "lab/gossip/interval.h"
#include "lab/gossip/parallel.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct study_part part;
    int next;
    pthread_mutex_t lock;
};

static void work(void *context, int t, int threads)
{
    (void)t, (void)threads;
    struct job *job = context;
    const struct study_grid *grid = job->part.grid;
    while (!interrupted()) {
        pthread_mutex_lock(&job->lock);
        while (job->next < grid->cells && job->part.known[job->next])
            job->next++;
        int cell = job->next++;
        pthread_mutex_unlock(&job->lock);
        if (cell >= grid->cells)
            return;
        grid->compute(job->part.study, grid->context, cell, study_part_cell(&job->part, cell));
        pthread_mutex_lock(&job->lock);
        study_part_keep(&job->part, cell);
        /* With the lock held: what a slower thread shows after the last cell would stay. */
        gossip_progress(job->part.study->name, job->part.done, grid->cells);
        pthread_mutex_unlock(&job->lock);
    }
}

/* Reports the cells that Ctrl-C left. */
static double *leave(struct study_part *part)
{
    const struct study *study = part->study;
    int done = part->done, cells = part->grid->cells;
    if (study->directory)
        complain("study",
                 "interrupted: %d of %d parts are done, in %s/%s.part; the same command goes on",
                 done, cells, study->directory, study->name);
    free(study_part_close(part));
    return NULL;
}

double *study_compute(const struct study *study, const struct study_grid *grid)
{
    struct job job = {.next = 0};
    if (!study_part_open(&job.part, study, grid))
        return NULL;
    pthread_mutex_init(&job.lock, NULL);
    summand__parallel(summand__threads(study->threads), work, &job);
    pthread_mutex_destroy(&job.lock);
    if (grid->finished)
        memcpy(grid->finished, job.part.known, (size_t)grid->cells * sizeof *grid->finished);
    else if (job.part.done < grid->cells)
        return leave(&job.part);
    return study_part_close(&job.part);
}

void study_claim(struct study *study, bool holds, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    study->claims++;
    study->held += holds;
    if (study->json)
        json_array_append_new(json_object_get(study->json, "claims"),
                              json_make("bs", "holds", holds, "claim", text));
    else {
        printf("  %s ", holds ? "holds         " : "DOES NOT HOLD ");
        print_wrapped(text, 17, stdout);
    }
}

void study_say(const struct study *study, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (study->json)
        json_array_append_new(json_object_get(study->json, "remarks"),
                              json_text(text + strspn(text, " ")));
    else if (text_columns(text) <= screen_columns(stdout))
        printf("%s\n", text);
    else { /* wraps below its third column, as claims do, or below the word that stands across it */
        int at = 17;
        while (at > 2 && text[at - 1] != ' ')
            at--;
        printf("%.*s", at, text);
        print_wrapped(text + at, at, stdout);
    }
}

json_t *study_json(const char *name)
{
    return json_make("s[[[", "name", name, "claims", "remarks", "files");
}

FILE *study_csv(struct study *study, const char *head)
{
    char path[4096];
    study_path(study, ".csv", path, sizeof path);
    study->no_csv = !output_open(&study->csv, study->name, path);
    if (study->no_csv)
        return NULL;
    fprintf(study->csv.file, "%s\n", head);
    return study->csv.file;
}

bool study_csv_close(struct study *study)
{
    study->no_csv = !output_close(&study->csv, true);
    if (!study->no_csv)
        study_part_remove(study);
    return !study->no_csv;
}

/* At most 800 pixels wide: readable on a page without scaling. */
int study_draw(const struct study *study, const char *title, struct svg_chart *charts, int count)
{
    enum { PAGE = 780, ALONE = 440, HEIGHT = 320, LEGEND = 48, INDENT = 20 };
    char path[4096];
    int columns = count > 1 ? 2 : 1, rows = (count + columns - 1) / columns;
    double height = count > 1 ? HEIGHT : ALONE, top;
    top = LEGEND + svg_legend_rows(NULL, charts[0].series, charts[0].count, INDENT, LEGEND,
                                   PAGE - 2 * INDENT);
    study_path(study, ".svg", path, sizeof path);
    for (int c = 0; c < count; c++)
        svg_look(charts[c].series, charts[c].count);
    struct output output;
    if (study->no_csv || !output_open(&output, study->name, path))
        return 1;
    FILE *out = output.file;
    svg_begin(out, PAGE, top + rows * height, title);
    svg_text(out, 20, 22, "font-size=\"15\"", title);
    svg_legend_rows(out, charts[0].series, charts[0].count, INDENT, LEGEND, PAGE - 2 * INDENT);
    for (int c = 0; c < count; c++) {
        charts[c].width = (double)PAGE / columns;
        charts[c].left = charts[c].width * (c % columns);
        charts[c].top = top + height * (c / columns);
        charts[c].height = height;
        svg_chart(out, &charts[c]);
    }
    svg_end(out);
    if (!output_close(&output, true))
        return 1;
    if (study->json) {
        json_array_append_new(json_object_get(study->json, "files"), json_text(path));
        study_path(study, ".csv", path, sizeof path);
        json_array_append_new(json_object_get(study->json, "files"), json_text(path));
    } else
        print_line("wrote %s and %s/%s.csv", path, study->directory, study->name);
    return 0;
}

int study_runs(const struct study *study, int quick, int full)
{
    return study->runs ? study->runs : study->quick ? quick : full;
}

int study_log(const struct study *study, int own)
{
    return study->sizes ? study->logs[0] : own;
}

int study_logs(const struct study *study, const int *own, int count, int *logs)
{
    memcpy(logs, study->sizes ? study->logs : own,
           (size_t)(study->sizes ? study->sizes : count) * sizeof *logs);
    return study->sizes ? study->sizes : count;
}

void study_note(struct study *study, const char *format, ...)
{
    size_t length = strlen(study->note);
    va_list list;
    va_start(list, format);
    vsnprintf(study->note + length, sizeof study->note - length, format, list);
    va_end(list);
}

double study_clip(double value)
{
    return value > 1e-17 ? fmin(value, 1e3) : value <= 1e-17 ? 1e-17 : 1e3;
}

static struct summand__events_outcome events(const struct study *study, const struct study_run *run,
                                             int number, bool stay)
{
    enum { MOST = 4096 };
    double values[MOST];
    struct summand__events_outcome outcome = {0};
    int n = (int)run->topology->n;
    uint64_t seed = summand__stream(study->seed, (uint64_t)number);
    for (int i = 0; i < n && i < MOST; i++)
        values[i] = summand__datum(SUMMAND__DATA_UNIFORM, seed, n, i);
    struct summand__events_setup setup = {
        .algorithm = summand__gossip_named(run->algorithm),
        .arith = &summand__arith_double,
        .topology = run->topology,
        .values = values,
        .seed = seed,
        .tau = run->tau,
        .eps = 1e-14,
        .stay = stay,
        .crossing = true, /* as in the paper */
        .most_messages = run->most,
        .period = {1, 0.2, false},
        .latency = {0.75, 2.0 / 3, false},
        .fault = {SUMMAND__FAULT_FLOW, SUMMAND__FAULT_VALUE, run->bit},
        .fault_after = run->after,
        .fault_rate = run->rate,
        .stop_rank = -1,
        .watch = run->watch,
        .context = run->context};
    if (!summand__events_run(&setup, &outcome)) {
        outcome.error = INFINITY;
        outcome.from = -1;
    }
    return outcome;
}

struct summand__events_outcome study_events(const struct study *study, const struct study_run *run,
                                            int number)
{
    return events(study, run, number, false);
}

bool study_stays(const struct study *study, const struct study_run *run, int number)
{
    struct study_run quiet = *run;
    quiet.watch = NULL;
    return events(study, &quiet, number, true).from >= 0;
}

void study_say_passage(const struct study *study, const char *name, int reached, int runs,
                       int stayed, int tried, int most)
{
    struct summand__interval first = summand__interval_of_share(reached, runs),
                             end = summand__interval_of_share(stayed, tried);
    study_say(study, "  %-7s reaches 1e-14 in %d of %d runs (%.1f..%.1f %%)", name, reached, runs,
              100 * first.low, 100 * first.high);
    study_say(study, "  %-7s is within it after %d messages in %d of %d runs (%.1f..%.1f %%)", name,
              most, stayed, tried, 100 * end.low, 100 * end.high);
}

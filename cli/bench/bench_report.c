/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench/need.h"
#include "cli/bench/bench.h"
#include "cli/output/setting.h"
#include "cli/ranks/interrupt.h"

const char *const bench_starts[] = {"auto", "barrier", "clock", "counter", NULL};

void bench_numbers(const char *option, const char *list, long long least, long long most,
                   struct numbers *numbers, struct trouble *trouble)
{
    if (!read_numbers(list, least, most, numbers))
        trouble_note(trouble, "--%s: '%s' is not a list of at most %d numbers from %lld to %lld",
                     option, list, NUMBERS_MOST, least, most);
}

struct timing_options bench_timing(const struct bench_common *common)
{
    int start = common->start;
    if (start == BENCH_START_AUTO)
        start = timing_crowded() ? BENCH_START_BARRIER : BENCH_START_CLOCK;
    return (struct timing_options){.budget = common->budget,
                                   .start = (enum timing_start)(start - BENCH_START_BARRIER),
                                   .seed = (uint64_t)common->seed};
}

static bool any_so_far(const void *context);
static void print_so_far(void *context);

void bench_report_begin(struct bench_report *report, const char *command,
                        const struct bench_form *form, const struct bench_common *common,
                        json_t *options)
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    *report = (struct bench_report){.command = command,
                                    .form = form,
                                    .budget = common->budget,
                                    .processors = processors(),
                                    .launches = 1,
                                    .setting = setting_json(),
                                    .options = options,
                                    .common = common};
    MPI_Comm_size(MPI_COMM_WORLD, &report->ranks);
    report->per_node = timing_ranks_per_node();
    struct timing_options how = bench_timing(common);
    json_object_set_new(options, "start", json_text(bench_starts[how.start + BENCH_START_BARRIER]));
    json_object_set_new(options, "seed", json_integer(common->seed));
    interrupt_answer(command, (struct interrupt_answer){any_so_far, print_so_far, report});
}

static bool same_case(const struct bench_row *a, const struct bench_row *b)
{
    return !strcmp(a->data, b->data) && a->n == b->n && a->bytes == b->bytes &&
           a->terms == b->terms;
}

const struct bench_row *bench_reference(const struct bench_report *report,
                                        const struct bench_row *row, int reference)
{
    const char *name = report->form->references[reference];
    for (int i = 0; name && i < report->rows; i++)
        if (!strcmp(report->row[i].method, name) && same_case(&report->row[i], row))
            return &report->row[i];
    return NULL;
}

/* room: one per launch */
static struct measure_interval ratio_to(const struct bench_report *report,
                                        const struct bench_row *row, int reference, double *room)
{
    const struct measure_interval none = {NAN, NAN, NAN};
    const struct bench_row *other = bench_reference(report, row, reference);
    struct measure_interval ratio = none;
    if (!other || other->launches != row->launches)
        return none;
    for (int l = 0; l < row->launches; l++) {
        const struct bench_launch *theirs = &other->launch[l], *ours = &row->launch[l];
        if (theirs->rounds != ours->rounds)
            return none;
        ratio = measure_ratio(theirs->seconds, ours->seconds, ours->rounds);
        room[l] = ratio.median;
    }
    return row->launches > 1 ? measure_median(room, row->launches) : ratio;
}

static void derive(const struct bench_report *report, struct bench_row *row, double *room)
{
    double *medians = room, *p99 = room + row->launches, *p1 = p99 + row->launches;
    row->rounds = -row->late;
    row->least = INFINITY;
    for (int l = 0; l < row->launches; l++) {
        const struct bench_launch *launch = &row->launch[l];
        row->time = measure_median(launch->seconds, launch->rounds);
        medians[l] = row->time.median;
        p99[l] = measure_quantile(launch->seconds, launch->rounds, 0.99);
        p1[l] = measure_quantile(launch->seconds, launch->rounds, 0.01);
        row->least = fmin(row->least, measure_quantile(launch->seconds, launch->rounds, 0));
        row->rounds += launch->rounds;
    }
    if (row->launches > 1)
        row->time = measure_median(medians, row->launches);
    row->p1 = measure_median(p1, row->launches).median;
    row->p99 = measure_median(p99, row->launches).median;
    for (int r = 0; r < 2; r++)
        row->ratio[r] = ratio_to(report, row, r, room);
}

void bench_report_derive(struct bench_report *report)
{
    double *room = need(malloc(3 * (size_t)report->launches * sizeof *room));
    for (int i = 0; i < report->rows; i++)
        derive(report, &report->row[i], room);
    free(room);
}

static bool add_rows(struct bench_report *report, const struct bench_row *common, int count,
                     const struct timing_subject *subjects, struct timing *timings,
                     const double *values)
{
    if (report->rows + count > report->room) {
        int room = 2 * report->room + count;
        struct bench_row *rows = realloc(report->row, (size_t)room * sizeof *rows);
        if (!rows)
            return false;
        report->row = rows;
        report->room = room;
    }
    for (int s = 0; s < count; s++) {
        struct bench_row *row = &report->row[report->rows];
        *row = *common;
        row->launch = malloc(sizeof *row->launch);
        if (!row->launch)
            return false;
        report->rows++;
        snprintf(row->method, sizeof row->method, "%s", subjects[s].name);
        row->launches = 1;
        row->launch[0] = (struct bench_launch){timings[s].rounds, timings[s].seconds};
        timings[s].seconds = NULL;
        row->settled = timings[s].settled;
        row->warm = timings[s].warm;
        row->late = timings[s].late;
        row->value = values ? values[s] : NAN;
        if (row->launch[0].rounds) { /* reserved but not needed */
            double *less = realloc(row->launch[0].seconds,
                                   (size_t)row->launch[0].rounds * sizeof *row->launch[0].seconds);
            row->launch[0].seconds = less ? less : row->launch[0].seconds;
        }
    }
    return true;
}

bool bench_report_add(struct bench_report *report, const struct bench_row *common, int count,
                      const struct timing_subject *subjects, struct timing *timings,
                      const double *values)
{
    interrupt_hold();
    report->running.timings = NULL;
    bool added = add_rows(report, common, count, subjects, timings, values);
    interrupt_release();
    return added;
}

/* Copies the times so far of the running case to rows of `report`. */
static void add_running(struct bench_report *report)
{
    const struct bench_running *running = &report->running;
    struct timing copy[TIMING_SUBJECTS];
    for (int s = 0; s < running->count; s++) {
        copy[s] = running->timings[s];
        copy[s].seconds = need(malloc((size_t)copy[s].rounds * sizeof(double)));
        for (int r = 0; r < copy[s].rounds; r++)
            copy[s].seconds[r] = running->timings[s].seconds[r] / running->calls;
    }
    need(add_rows(report, running->common, running->count, running->subjects, copy, NULL)
             ? report->row
             : NULL);
}

static bool is_running(const struct bench_report *report)
{
    const struct bench_running *running = &report->running;
    return running->timings && !timing_has_gap(running->timings, running->count);
}

static bool any_so_far(const void *context)
{
    const struct bench_report *report = context;
    return report->rows || is_running(report);
}

/* Reports instead of bench_report_end. The rows are a copy, because the report belongs to the main
 * thread. The process ends soon, so the copy is not freed. */
static void print_so_far(void *context)
{
    struct bench_report report = *(const struct bench_report *)context;
    const struct bench_row *rows = report.row;
    report.room = report.rows;
    report.row = need(malloc((size_t)(report.rows + 1) * sizeof *rows));
    for (int i = 0; i < report.rows; i++)
        report.row[i] = rows[i];
    if (is_running(&report))
        add_running(&report);
    bench_report_derive(&report);
    bench_report_write(&report, report.common);
}

int bench_report_write(const struct bench_report *report, const struct bench_common *common)
{
    int status = 0;
    bool screen =
        (common->json && !strcmp(common->json, "-")) || (common->csv && !strcmp(common->csv, "-"));
    if (!screen)
        report->form->print(report);
    if (common->json)
        status |= bench_write_json(report, common->json);
    if (common->csv)
        status |= bench_write_csv(report, common->csv);
    if (common->plot)
        status |= bench_write_plot(report, common->plot);
    return status;
}

void bench_report_free(struct bench_report *report)
{
    for (int i = 0; i < report->rows; i++) {
        for (int l = 0; l < report->row[i].launches; l++)
            free(report->row[i].launch[l].seconds);
        free(report->row[i].launch);
    }
    free(report->row);
    json_decref(report->setting);
    json_decref(report->options);
}

int bench_report_end(struct bench_report *report, bool fine)
{
    int status = 0;
    if (!interrupt_answered() && cli_rank() == 0 && report->rows) {
        bench_report_derive(report);
        status = bench_report_write(report, report->common);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    bench_report_free(report);
    status = interrupt_agreed() ? interrupt_say(report->command) : status;
    return fine ? status : 1;
}

#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "cli.h"

void bench_report_begin(struct bench_report *report, const char *command, const char *reference,
                        const char *other_reference, double budget)
{
    *report = (struct bench_report){
        .command = command, .references = {reference, other_reference}, .budget = budget};
    MPI_Comm_size(MPI_COMM_WORLD, &report->ranks);
    report->per_node = timing_ranks_per_node();
}

static double ratio_to(const char *reference, int count, const struct timing_subject *subjects,
                       const struct timing *timings, const struct timing *timing)
{
    for (int s = 0; s < count; s++)
        if (!strcmp(subjects[s].name, reference))
            return measure_ratio(timing->seconds, timings[s].seconds, timing->rounds).median;
    return NAN;
}

bool bench_report_add(struct bench_report *report, const struct bench_row *common, int count,
                      const struct timing_subject *subjects, const struct timing *timings,
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
        struct bench_row *row = &report->row[report->rows++];
        *row = *common;
        row->method = subjects[s].name;
        row->time = timings[s].time;
        row->p99 = timings[s].p99;
        row->least = timings[s].least;
        row->rounds = timings[s].rounds;
        row->settled = timings[s].settled;
        row->value = values[s];
        for (int r = 0; r < 2; r++)
            row->ratio[r] = ratio_to(report->references[r], count, subjects, timings, &timings[s]);
    }
    return true;
}

int bench_report_end(struct bench_report *report, const struct bench_outputs *outputs)
{
    int status = 0;
    if (cli_rank() == 0 && report->rows) {
        bool screen = (outputs->json && !strcmp(outputs->json, "-")) ||
                      (outputs->csv && !strcmp(outputs->csv, "-"));
        if (!screen)
            bench_print(report);
        if (outputs->json)
            status |= bench_write_json(report, outputs->json);
        if (outputs->csv)
            status |= bench_write_csv(report, outputs->csv);
        if (outputs->plot)
            status |= bench_write_plot(report, outputs->plot);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    free(report->row);
    return status;
}

/* What the benchmarks share: their table, and the report of what they measured. */
#ifndef SUMMAND_CLI_BENCH_H
#define SUMMAND_CLI_BENCH_H

#include <stdint.h>

#include "timing.h"

/* One method's times in one case. */
struct bench_row {
    char data[128]; /* file, or what the numbers are */
    uint64_t n;     /* elements on all ranks */
    int terms;      /* results per call */
    const char *method;
    struct measure_interval time; /* seconds */
    double p99, least;            /* seconds */
    double ratio[2];              /* median ratio to each reference; NaN: not measured */
    int rounds;
    bool settled;
    double value; /* first result */
};

struct bench_report {
    const char *command;       /* "bench sum" */
    const char *references[2]; /* methods that ratios are taken to */
    double budget;
    int ranks, per_node;
    int rows, room;
    struct bench_row *row;
};

/* Where to report to; NULL: not asked for. */
struct bench_outputs {
    const char *json, *csv, *plot;
};

/* Rows of the options that every benchmark has. */
#define BENCH_OPTIONS(budget, outputs)                                                             \
    {"budget", 'b', OPTION_REAL, &(budget), "S", "seconds for each case, at most about", NULL},    \
        {"json", 'j', OPTION_TEXT, &(outputs).json, "FILE", "write JSON too (-: screen)", NULL},   \
        {"csv", 'c', OPTION_TEXT, &(outputs).csv, "FILE", "write CSV too (-: screen)", NULL},      \
    {                                                                                              \
        "plot", 'p', OPTION_TEXT, &(outputs).plot, "FILE", "draw time against N as SVG", NULL      \
    }

/* Collective. */
void bench_report_begin(struct bench_report *report, const char *command, const char *reference,
                        const char *other_reference, double budget);
/* Adds a row per subject; false if memory ran out. Local. */
bool bench_report_add(struct bench_report *report, const struct bench_row *common, int count,
                      const struct timing_subject *subjects, const struct timing *timings,
                      const double *values);
/* Rank 0 prints and writes; frees on every rank. Returns the exit status. Collective. */
int bench_report_end(struct bench_report *report, const struct bench_outputs *outputs);

/* The parts of bench_report_end; 0, or 1 after a complaint. */
void bench_print(const struct bench_report *report);
int bench_write_json(const struct bench_report *report, const char *path);
int bench_write_csv(const struct bench_report *report, const char *path);
int bench_write_plot(const struct bench_report *report, const char *path);

#endif

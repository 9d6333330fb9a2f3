/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the benchmarks: options, and the report of the measurements. */
#pragma once

#include "cli/output/json.h"
#include <stddef.h>
#include <stdint.h>

#include "cli/common/cli.h"
#include "cli/options/numbers.h"
#include "cli/output/table.h"
#include "cli/timing/timing.h"

/* Repetitions of one launch of all processes, in the order in which they were made. */
struct bench_launch {
    int rounds;
    double *seconds; /* NaN: dropped, a rank began late */
};

/* One method's times in one case. */
struct bench_row {
    char data[128];    /* a file's name, or a description of the numbers */
    uint64_t n, bytes; /* elements; of the message */
    uint64_t inner;    /* for a product: the inner dimension */
    int terms;         /* results per call */
    char method[96];
    char chosen[96]; /* the library's choice for `auto`, or empty */
    double value;    /* first result, or NaN */
    bool settled;    /* in every launch: the 95 % interval within 2 % of the median */
    int warm, late;  /* over all launches: warm-up rounds; dropped repetitions */
    int launches;
    struct bench_launch *launch;
    /* Derived from the launches by bench_report_derive, in seconds. */
    struct measure_interval time;
    double p1, p99, least;
    struct measure_interval ratio[2]; /* speed-up over each reference; NaN: not measured */
    int rounds;
};

/* A column that names the case. */
struct bench_key {
    const char *name;
    enum { BENCH_TEXT, BENCH_WHOLE, BENCH_INT } kind;
    size_t offset; /* in struct bench_row */
};

struct bench_report;

/* The specifics of one benchmark's report. */
struct bench_form {
    const char *references[2]; /* methods that ratios refer to; NULL: none */
    const char *ratios[2];     /* names of these ratios in files */
    bool values;               /* files contain the results' values */
    bool violins;              /* pictures show all repetitions */
    size_t x;                  /* offset of the value on the x axis: n or bytes */
    const char *x_label;
    const char *terms; /* the unit of `terms`; NULL: results per call */
    const char *type;  /* the datatype, unless an option tells it; or NULL */
    /* True if the method is measured by starts of a plan; NULL: all are calls. */
    bool (*plan)(const struct bench_report *report, const char *method);
    const struct bench_key *keys; /* the last one has no name */
    void (*print)(const struct bench_report *report);
};

/* The case under measurement. */
struct bench_running {
    const struct bench_row *common;
    int count, calls;
    const struct timing_subject *subjects;
    struct timing *timings; /* NULL: no case */
};

struct bench_report {
    const char *command; /* "bench sum" */
    const struct bench_form *form;
    double budget;
    int ranks, per_node, processors;
    int launches;
    json_t *setting, *options;
    const struct bench_common *common;
    struct bench_running running;
    int rows, room;
    struct bench_row *row;
};

/* AUTO first; the others are those of enum timing_start, in its order. */
enum bench_start { BENCH_START_AUTO, BENCH_START_BARRIER, BENCH_START_CLOCK, BENCH_START_COUNTER };
extern const char *const bench_starts[];

/* The options that every benchmark has. */
struct bench_common {
    double budget;
    const char *json, *csv, *plot; /* output files; NULL: not asked for */
    long long launches, seed;
    const char *launcher;
    int start; /* enum bench_start */
};

/* The launcher of the MPI that the command was built with. */
#define BENCH_LAUNCHER SUMMAND_LAUNCHER " -n 2"

#define BENCH_OPTIONS(o)                                                                           \
    {"budget", 'b',        OPTION_REAL, &(o).budget, "S", "most seconds for each case, about",     \
     NULL,     ABOVE_ZERO, 1e9},                                                                   \
        {"start",     0,     OPTION_CHOICE,                                                        \
         &(o).start,  "HOW", "auto: by clock, but by barrier with more ranks than processors",     \
         bench_starts},                                                                            \
        {"seed", 's',     OPTION_INT, &(o).seed, "N", "seed of shuffled orders and delays",        \
         NULL,   ANY_SEED},                                                                        \
        {"launches", 'L',                                                                          \
         OPTION_INT, &(o).launches,                                                                \
         "N",        "run the launcher N times and merge; give no mpirun before the command",      \
         NULL,       0,                                                                            \
         1000},                                                                                    \
        {"launcher", 0, OPTION_TEXT, &(o).launcher, "WORDS", "launcher of --launches", NULL},      \
        {"json",    0,      OPTION_OUTPUT,                                                         \
         &(o).json, "FILE", "write JSON with all repetitions too (-: screen)",                     \
         NULL},                                                                                    \
        {"csv", 0, OPTION_OUTPUT, &(o).csv, "FILE", "write CSV too (-: screen)", NULL},            \
    {                                                                                              \
        "plot", 0, OPTION_OUTPUT, &(o).plot, "FILE", "draw time against size as SVG", NULL         \
    }

/* Parses a benchmark's words. operands [out]: index of the first operand; NULL: none is expected.
 * Returns false if there is nothing to measure here (help, misuse, --launches); then *status is the
 * exit status. */
bool bench_parse(struct parsing *parsing, const struct command *command,
                 const struct bench_form *form, const struct bench_common *common,
                 const struct option_row *rows, int argc, char **argv, int *operands, int *status);
/* Reads a list of numbers from `least` to `most`, or notes that the option's text is none. */
void bench_numbers(const char *option, const char *list, long long least, long long most,
                   struct numbers *numbers, struct trouble *trouble);
/* The timing for the options. Collective. */
struct timing_options bench_timing(const struct bench_common *common);

/* The parts of a case, the same for all cases of a benchmark. Functions get the case; they are
 * collective, and a trouble that one notes ends the measurement. */
struct bench_kind {
    void (*make)(void *c, struct trouble *trouble); /* NULL: it is made */
    /* Returns the number of subjects. A subject's context is its own, or the case. */
    int (*subjects)(void *c, struct timing_subject *subjects, struct trouble *trouble);
    /* Runs a subject once on fresh data and notes a wrong result; NULL: none is looked at. */
    void (*check)(void *c, const struct timing_subject *subject, struct trouble *trouble);
    /* The results of the last repetition; NULL: none are kept. */
    void (*values)(void *c, const struct timing_subject *subjects, int count, double *values,
                   struct trouble *trouble);
    /* The library's choice for a subject, once it is timed; NULL: none. Local. */
    const char *(*chosen)(const struct timing_subject *subject);
    void (*drop)(void *c); /* after trouble too; NULL: nothing is to be freed */
};

/* options: an object with the benchmark's own options, taken over. `common` and the report must not
 * move until bench_report_end: after Ctrl-C rank 0 may report without the other ranks
 * (interrupt_answer). Errors of the MPI are returned from now on. Collective. */
void bench_report_begin(struct bench_report *report, const char *command,
                        const struct bench_form *form, const struct bench_common *common,
                        json_t *options);
/* Adds a row per subject and takes over the times; false if out of memory. Local. */
bool bench_report_add(struct bench_report *report, const struct bench_row *common, int count,
                      const struct timing_subject *subjects, struct timing *timings,
                      const double *values);
/* Makes the case, lists its subjects and checks each. Returns their number, or 0, on all ranks,
 * after a complaint. The caller drops the case. Collective. */
int bench_open(const char *command, const struct bench_kind *kind, void *c,
               struct timing_subject *subjects, struct trouble *trouble);
/* Opens the case, times its subjects, with `calls` calls in a repetition, adds a row for
 * each, and drops the case; after Ctrl-C adds none without a repetition. Rank 0 can report partial
 * results before the end. The label is the row's, by the form's keys. Returns false, on all ranks,
 * after a complaint. Collective. */
bool bench_measure(struct bench_report *report, const struct bench_kind *kind, void *c,
                   const struct bench_row *common, const struct timing_options *how, int calls);
/* A subject's `run` whose context is a plan. */
int bench_plan_run(void *plan);
/* Rank 0 prints and writes; frees on every rank. Returns the exit status, which is 1 if a
 * measurement was not fine. Collective. */
int bench_report_end(struct bench_report *report, bool fine);

/* The parts of the report's end. Computes medians, intervals and ratios of every row from its
 * launches: with several, a median is the median of the launches' medians, and the interval is
 * theirs. */
void bench_report_derive(struct bench_report *report);
/* The reference's row of the same case, or NULL. */
const struct bench_row *bench_reference(const struct bench_report *report,
                                        const struct bench_row *row, int reference);
int bench_report_write(const struct bench_report *report, const struct bench_common *common);
void bench_report_free(struct bench_report *report);

/* Return 0, or 1 after a complaint. */
int bench_write_json(const struct bench_report *report, const char *path);
int bench_write_csv(const struct bench_report *report, const char *path);
int bench_write_plot(const struct bench_report *report, const char *path);

/* Adds the rows of a file of bench_write_json as another launch. */
bool bench_merge_json(struct bench_report *report, const char *path);

/* A key of a row as text. */
void bench_key_text(const struct bench_row *row, const struct bench_key *key, char *text,
                    size_t room);

/* As table_begin, but heads "CI95" become "Range" if intervals are those of a few launches. */
void bench_table_begin(struct table *table, const struct bench_report *report, const char *heads);

/* Cells of the tables; `unit`: seconds of the column's unit. A single repetition has no quantile
 * and no interval: "-". Ratios are speed-ups: above 1 is better. */
void bench_number_cell(struct table *table, double unit, double seconds);
void bench_time_cell(struct table *table, const struct bench_row *row, double unit, double seconds);
void bench_interval_cell(struct table *table, const struct bench_row *row, double unit,
                         struct measure_interval time);
void bench_ratio_cell(struct table *table, double ratio);

/* Lines before and after the table: the setting and the method, and the unsettled cases. */
void bench_print_head(const struct bench_report *report);
void bench_print_foot(const struct bench_report *report);

/* Runs `launcher` words, this command and argv (without the options of launching and output)
 * `launches` times, merges and reports. Returns the exit status. */
int bench_launches(const struct command *command, const struct bench_form *form,
                   const struct bench_common *common, int argc, char **argv);

/* With --plan, all but the MPI's own function: as bench_form.plan. */
bool bench_by_plan(const struct bench_report *report, const char *method);

/* The report of the benchmarks of collectives. */
extern const struct bench_form bench_collective_form;

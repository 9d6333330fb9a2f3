/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments of many cells: computed by all processors, kept on a file as they come so that an
 * interrupted experiment goes on where it was, written as CSV and SVG, and judged claim by claim.
 */
#ifndef SUMMAND_CLI_STUDY_EXPERIMENT_H
#define SUMMAND_CLI_STUDY_EXPERIMENT_H

#include "cli/common/cli.h"
#include "cli/common/json.h"
#include "cli/common/output.h"
#include "cli/plot/svg.h"
#include "lab/gossip/events.h"
#include "lab/gossip/parallel.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

extern const struct command study_figure, study_table, study_root, study_rounds;

enum { STUDY_RUNS_MOST = 1000, STUDY_SIZES = 32 };
/* The range of an option: threads. */
#define THREADS 1, SUMMAND__THREADS_MOST

struct study {
    char name[64];         /* of the files: "figure2" */
    char note[256];        /* what else its cells depend on */
    const char *directory; /* NULL: finished cells are not kept */
    bool quick;
    uint64_t seed;
    int threads;
    int runs;              /* at most STUDY_RUNS_MOST; 0: as quick or full says */
    int sizes;             /* how many node counts are asked for; 0: the figure's own */
    int logs[STUDY_SIZES]; /* log2 of them, ascending */
    int least, factor;     /* figures 8, 11: rank counts least, least x factor, ... */
    int claims, held;
    struct output csv;
    bool no_csv;  /* it could not be written */
    json_t *json; /* what is said goes there: lists "claims", "remarks" and "files"; NULL: print */
};

/* How many runs: those that are asked for, else the number of quick or full. */
int study_runs(const struct study *study, int quick, int full);
/* log2 of the one node count: that which is asked for, else `own`. */
int study_log(const struct study *study, int own);
/* The same of several, into logs; returns how many. */
int study_logs(const struct study *study, const int *own, int count, int *logs);
/* Adds to what the kept cells depend on. */
void study_note(struct study *study, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct study_grid {
    int cells, width; /* values per cell */
    const void *context;
    /* Depends on its arguments alone; called by several threads. */
    void (*compute)(const struct study *study, const void *context, int cell, double *values);
    /* Where Ctrl-C is no failure: [out] which cells there are, one flag each. Else NULL. */
    bool *finished;
};

/* cells x width values, to be freed; NULL after saying why. Ctrl-C (interrupt.h) ends it early: the
 * finished cells stay on the file, and the same command goes on from there. */
double *study_compute(const struct study *study, const struct study_grid *grid);

/* The same for cells that the caller computes, one after the other. */
struct study_part {
    const struct study *study;
    const struct study_grid *grid;
    double *values;
    bool *known; /* cells that are there */
    int done;    /* how many */
    bool kept;   /* on the file */
    struct output file;
};
/* With the cells of an interrupted run; false after saying why. */
bool study_part_open(struct study_part *part, const struct study *study,
                     const struct study_grid *grid);
double *study_part_cell(const struct study_part *part, int cell);
/* The cell has been computed. */
void study_part_keep(struct study_part *part, int cell);
/* All have been. The file stays until the results are written. Returns the values, to be freed. */
double *study_part_close(struct study_part *part);
void study_part_remove(const struct study *study);

/* DIRECTORY/NAME and an ending. */
void study_path(const struct study *study, const char *ending, char *path, size_t room);

/* Prints whether a claim holds. */
void study_claim(struct study *study, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Says what is no claim: a line. */
void study_say(const struct study *study, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The object that `json` begins as. */
json_t *study_json(const char *name);
/* NAME.csv with its head line; NULL after saying why. */
FILE *study_csv(struct study *study, const char *head);
/* It is written: NAME.part goes. False after saying why it is not. */
bool study_csv_close(struct study *study);
/* NAME.svg with charts side by side; returns the exit status, of the CSV file too. */
int study_draw(const struct study *study, const char *title, struct svg_chart *charts, int count);

/* A value for a logarithmic axis: kept within 1e-17 .. 1e3. */
double study_clip(double value);

/* The asynchronous experiments of the paper: run number `run` of algorithm `name` in double
 * precision. Periods 0.9..1.1, latencies 0.5..1 (so that crossing messages cost what the paper
 * reports); uniform data that depend on the run. */
struct study_run {
    const char *algorithm;
    const struct summand__topology *topology;
    double tau;
    int bit, after; /* one flip in a flow's value; after below 0: none */
    double rate;
    int most;
    void (*watch)(void *context, double time, double messages_per_process, double error);
    void *context;
};
struct summand__events_outcome study_events(const struct study *study, const struct study_run *run,
                                            int number);
/* Whether the same run, gone on with to its most messages, stays within 1e-14 from some message on:
 * what "reaches" does not say. */
bool study_stays(const struct study *study, const struct study_run *run, int number);
/* Says both of the runs of one name, side by side: of `runs` so many reached 1e-14, and of `tried`
 * so many were within it to the end. */
void study_say_passage(const struct study *study, const char *name, int reached, int runs,
                       int stayed, int tried, int most);

/* One row per figure: figures[] in figure.c. */
struct figure {
    int number;
    const char *caption;
    bool parallel; /* wants MPI */
    int least,
        most;     /* log2 of the node counts that can be asked for; 0: none, as ranks are given */
    bool several; /* more than one at a time */
    int (*run)(struct study *study);
};
int figure_1(struct study *study);
int figure_2(struct study *study);
int figure_3(struct study *study);
int figure_4(struct study *study);
int figure_5(struct study *study);
int figure_6(struct study *study);
int figure_7(struct study *study);
int figure_8(struct study *study);
int figure_9(struct study *study);
int figure_10(struct study *study);
int figure_11(struct study *study);
int figure_12(struct study *study);
int figure_13(struct study *study);

#endif

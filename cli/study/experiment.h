/* SPDX-License-Identifier: BSD-3-Clause */
/* Experiments of many cells: computed by all processors, kept in a file so that an interrupted
 * experiment can continue, written as CSV and SVG, and judged claim by claim. */
#pragma once

#include "cli/common/cli.h"
#include "cli/output/json.h"
#include "cli/output/output.h"
#include "cli/plot/svg.h"
#include "lab/gossip/events.h"
#include "lab/gossip/parallel.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

extern const struct command study_figure, study_table, study_root, study_rounds, study_one_sided;

enum { STUDY_RUNS_MOST = 1000, STUDY_SIZES = 32 };
/* The range of an option: threads. */
#define THREADS 1, SUMMAND__THREADS_MOST

struct study {
    char name[64];         /* of the files: "figure2" */
    char note[256];        /* other parameters of its cells */
    const char *directory; /* NULL: finished cells are not kept */
    bool quick;
    uint64_t seed;
    int threads;
    int runs;              /* at most STUDY_RUNS_MOST; 0: the number of quick or full */
    int sizes;             /* how many node counts are requested; 0: the figure's own */
    int logs[STUDY_SIZES]; /* log2 of them, ascending */
    int least, factor;     /* figures 8, 11: rank counts least, least x factor, ... */
    int claims, held;
    struct output csv;
    bool no_csv;  /* it could not be written */
    json_t *json; /* receives the output in lists "claims", "remarks" and "files"; NULL: print */
};

/* The number of runs: the requested one, else that of quick or full. */
int study_runs(const struct study *study, int quick, int full);
/* log2 of the single node count: the requested one, else `own`. */
int study_log(const struct study *study, int own);
/* The same for several, into logs; returns their number. */
int study_logs(const struct study *study, const int *own, int count, int *logs);
/* Adds parameters of the kept cells. */
void study_note(struct study *study, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct study_grid {
    int cells, width; /* values per cell */
    const void *context;
    /* A function of its arguments only; several threads call it. */
    void (*compute)(const struct study *study, const void *context, int cell, double *values);
    /* If Ctrl-C is no failure: [out] flags of the finished cells. Else NULL. */
    bool *finished;
};

/* Returns cells x width values, which the caller frees; NULL after a complaint. Ctrl-C
 * (interrupt.h) ends it early: finished cells stay in the file, and the same command continues from
 * there. */
double *study_compute(const struct study *study, const struct study_grid *grid);

/* The same for cells that the caller computes one after the other. */
struct study_part {
    const struct study *study;
    const struct study_grid *grid;
    double *values;
    bool *known; /* finished cells */
    int done;    /* their number */
    bool kept;   /* in the file */
    struct output file;
};
/* Loads the cells of an interrupted run; returns false after a complaint. */
bool study_part_open(struct study_part *part, const struct study *study,
                     const struct study_grid *grid);
double *study_part_cell(const struct study_part *part, int cell);
/* Keeps a computed cell. */
void study_part_keep(struct study_part *part, int cell);
/* Call after all cells. The file stays until the results are written. Returns the values, which the
 * caller frees. */
double *study_part_close(struct study_part *part);
void study_part_remove(const struct study *study);

/* DIRECTORY/NAME with an ending. */
void study_path(const struct study *study, const char *ending, char *path, size_t room);

/* Prints a claim and whether it holds. */
void study_claim(struct study *study, bool holds, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Prints a line that is no claim. */
void study_say(const struct study *study, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The initial object for `json`. */
json_t *study_json(const char *name);
/* Opens NAME.csv and writes its head line; NULL after a complaint. */
FILE *study_csv(struct study *study, const char *head);
/* Closes it and removes NAME.part. Returns false after a complaint. */
bool study_csv_close(struct study *study);
/* Writes NAME.svg with charts side by side; returns the exit status, which includes the CSV
 * file's. */
int study_draw(const struct study *study, const char *title, struct svg_chart *charts, int count);

/* A value for a logarithmic axis: kept within 1e-17 .. 1e3. */
double study_clip(double value);

/* The asynchronous experiments of the paper: run number `run` of algorithm `name` in double
 * precision. Periods 0.9..1.1, latencies 0.5..1 (so that crossing messages cost as much as the
 * paper reports); uniform data that depend on the run. */
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
/* True if the same run, continued to its most messages, stays within 1e-14 from some message on:
 * "reaches" does not imply this. */
bool study_stays(const struct study *study, const struct study_run *run, int number);
/* Reports both for the runs of one name: how many of `runs` reached 1e-14, and how many of `tried`
 * were within it to the end. */
void study_say_passage(const struct study *study, const char *name, int reached, int runs,
                       int stayed, int tried, int most);

/* One row per figure: figures[] in figure.c. */
struct figure {
    int number;
    const char *caption;
    bool parallel;   /* needs MPI */
    int least, most; /* log2 of the least and most nodes to request; 0: none, as ranks are given */
    bool several;    /* accepts several node counts */
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

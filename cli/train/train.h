/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the parts of `summand train`. */
#pragma once

#include <mpi.h>

#include "cli/common/cli.h"
#include "cli/output/json.h"
#include "train/run.h"

extern const struct command command_train, command_predict_train;

/* The values of the options. */
struct train_words {
    const char *data, *layers, *groups;
    const char *model, *checkpoint, *evaluate, *predict, *predictions, *csv, *plot, *timeline;
    long long samples, batch, epochs, seed, patience, piece, staleness;
    double rate, momentum, decay, validation, stop_at;
    int hidden, last, loss, mode, arithmetic, schedule, twins, update;
    bool resume, rescale, json;
    bool stashed_twins; /* requested: stashed with twins apart */
};

/* Rows for parse_options, ended by an empty one; some choices are names of tables. */
enum { TRAIN_OPTIONS = 48 };
void train_option_rows(struct train_words *words, struct option_row rows[TRAIN_OPTIONS]);
extern const char *const train_activation_choices[],
    *const train_last_choices[], *const train_loss_choices[], *const train_mode_choices[];

/* The output during the run, and notes for its end. */
struct train_report {
    const struct train_words *words;
    bool quiet;          /* not rank 0, or JSON only */
    double start, shown; /* seconds, of a monotonic clock */
    double guess;        /* loss of guessing */
    bool lost;           /* the last epoch's loss was above it */
    size_t batches;      /* done before the start */
};

/* Hooks of a run; `context` is the report. */
void train_report_batch(void *context, const struct train_run *run);
void train_report_epoch(void *context, const struct train_run *run);

/* Prints the network, the mode and the data, in remarks. */
void train_report_begin(struct train_report *report, const struct train_run *run);
/* The heads of the lines of epochs. */
void train_report_heads(const struct train_report *report);

/* Warns if the training has ended with a loss above that of guessing. */
void train_report_end(const struct train_report *report, const struct train_run *run);

/* "test: loss 0.1, 97.00 % of 100 samples right" */
void train_report_score(const char *of, const struct train_score *score, size_t samples);

/* Prints each rank's additional memory: a stage's versions and slots. Collective. */
void train_report_memory(const struct train_run *run, MPI_Comm comm, bool quiet);

/* "784-128-10" */
void train_report_layers(const struct summand__net_shape *shape, char *text, size_t room);

/* Prints how far weights were behind, if that depends on times. */
void train_report_lag(const struct train_run *run);

json_t *train_report_json(const struct train_run *run, const struct train_words *words,
                          const char *end, const struct train_score *test);

/* Writes the classes and outputs of a model for samples without classes; returns the exit status.
 * Local. */
int train_write_outputs(const struct train_words *words);

/* Writes files of the curves; returns 0, or 1 after a complaint. */
int train_write_csv(const struct train_run *run, const char *path);
int train_write_plot(const struct train_run *run, const char *path);
/* Writes each stage's timeline of the recorded last epoch, and a summary. Collective. */
int train_write_timeline(const struct train_run *run, MPI_Comm comm, const char *path, bool quiet);

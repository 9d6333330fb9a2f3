/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `summand train` share. */
#ifndef SUMMAND_CLI_TRAIN_TRAIN_H
#define SUMMAND_CLI_TRAIN_TRAIN_H

#include <mpi.h>

#include "cli/common/cli.h"
#include "cli/common/json.h"
#include "train/run.h"

extern const struct command command_train, command_predict_train;

/* As the options say it. */
struct train_words {
    const char *data, *layers, *groups;
    const char *model, *checkpoint, *evaluate, *csv, *plot, *timeline;
    long long samples, batch, epochs, seed, patience, piece, staleness;
    double rate, momentum, decay, validation;
    int hidden, last, loss, mode, arithmetic, schedule, twins, update;
    bool resume, rescale, json;
    bool stashed_twins; /* asked for: stashed with twins apart */
};

/* Rows for parse_options, ended by an empty one; choices that are names of tables. */
enum { TRAIN_OPTIONS = 48 };
void train_option_rows(struct train_words *words, struct option_row rows[TRAIN_OPTIONS]);
extern const char *const train_activation_choices[],
    *const train_last_choices[], *const train_loss_choices[], *const train_mode_choices[];

/* What is printed while it runs, and noted for the end. */
struct train_report {
    const struct train_words *words;
    bool quiet;          /* not rank 0, or JSON alone */
    double start, shown; /* seconds, of a monotonic clock */
    size_t batches;      /* done before the start */
};

/* Hooks of a run; `context` is the report. */
void train_report_batch(void *context, const struct train_run *run);
void train_report_epoch(void *context, const struct train_run *run);

/* What is trained, by what and with what, in remarks. */
void train_report_begin(struct train_report *report, const struct train_run *run);
/* The heads of the lines of epochs. */
void train_report_heads(const struct train_report *report);

/* What each rank keeps beside that: a stage's versions and slots. Collective. */
void train_report_memory(const struct train_run *run, MPI_Comm comm, bool quiet);

/* "784-128-10" */
void train_report_layers(const struct train_shape *shape, char *text, size_t room);

/* How far weights were behind, where that depends on times. */
void train_report_lag(const struct train_run *run);

json_t *train_report_json(const struct train_run *run, const struct train_words *words,
                          const char *end, const struct train_score *test);

/* Files of the curves; 0, or 1 after a complaint. */
int train_write_csv(const struct train_run *run, const char *path);
int train_write_plot(const struct train_run *run, const char *path);
/* What each stage did in the last epoch, which was recorded; and says so. Collective. */
int train_write_timeline(const struct train_run *run, MPI_Comm comm, const char *path, bool quiet);

#endif

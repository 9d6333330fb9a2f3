/* SPDX-License-Identifier: BSD-3-Clause */
/* A training: plain stochastic gradient descent over epochs of shuffled batches. A mode is a row of
 * functions that process a batch. Epochs, shuffling, validation, early stopping and checkpoints are
 * the same for all modes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <summand/exact.h>

#include "base/permutation.h"
#include "train/data.h"
#include "train/network.h"

struct train_options {
    size_t batch, epochs;
    double rate, momentum, decay; /* decay of weights, not of biases */
    const struct train_rate *schedule;
    uint64_t seed;
    double validation;  /* share of the samples that is only for validation, 0 to 0.9 */
    size_t piece;       /* samples that pass through a pipeline together; 0: the mode's choice */
    long long behind;   /* poad: batches by which forward weights may be behind; < 0: its choice */
    size_t stretch;     /* batches of a stretch (docs/training.md); 0: the mode's choice */
    const char *groups; /* of ranks, one a stage (train/grids.h); NULL: a rank each */
    bool together;      /* poad: a stage and its twin on one rank */
    size_t patience; /* epochs without a smaller validation loss that end the training; 0: none */
    double enough;   /* share of right answers in validation that ends the training; 0: none */
};

/* Losses and right answers of samples. The sum of losses is exact, so no order matters. */
struct train_tally {
    summand_exact loss;
    uint64_t samples, right;
    uint64_t bad; /* number of the first batch with a loss that is not finite, from 1 on; 0: none */
};

struct train_score {
    double loss, accuracy; /* means; NaN where there are no samples; accuracy: NaN with targets */
};

/* The number of batches by which forward weights were behind, in a mode in which that depends on
 * times. */
struct train_lag {
    uint64_t batches, sum, most; /* one for each stage that a batch went through */
};

struct train_epoch {
    struct train_score train, validation, test;
    struct train_lag lag;
    double seconds; /* of training, without evaluation */
};

struct train_run {
    const struct summand__net_shape *shape;
    const struct summand__net_arithmetic *arithmetic;
    const struct train_data *data;
    struct train_options options;
    const struct train_mode *mode;
    void *context; /* an argument of the mode: of `data`, a communicator */
    void *kept;    /* the mode's own data */
    size_t bytes;  /* of the mode's arrays and windows on this rank, besides the weights and the
                      pass of the run; without windows of plans on groups */
    int rank, ranks;
    size_t delay;   /* differs between trainings with different delays; 0: no weights are behind */
    size_t behind;  /* batches by which weights are behind, at most */
    bool mixed;     /* a batch may go back with other weights than forward */
    size_t stretch; /* batches that the mode takes at once; the last stretch may have fewer */

    struct summand__net_weights weights, velocity,
        best; /* velocity: with momentum; best: with patience */
    struct summand__net_pass pass;
    float *targets; /* of a batch: a row of as many as outputs for each sample */
    float *loss;
    bool *right;

    size_t train, validation; /* samples of each */
    size_t epoch, batch;      /* done: epochs, and batches of the one after them */
    struct train_tally tally; /* of that one */
    double seconds;           /* of that one */
    struct train_lag lag;     /* of that one, over all ranks */
    struct train_epoch *history;
    size_t room;
    double least;      /* validation loss */
    size_t best_epoch; /* 0: none */
    struct summand__permutation parts, order;
};

struct summand__recorded;

struct train_mode {
    const char *name, *description;
    size_t interval; /* stretches from one `flags` to the next */
    /* Sets rank, ranks and stretch, and makes the mode's own data. `flags` works even if it returns
     * false. */
    bool (*open)(struct train_run *run, struct summand__net_fault *fault);
    void (*close)(struct train_run *run);
    /* Trains with the samples at positions [first, first + count) of the epoch's order: up to
     * `stretch` batches from run->batch on. Adds this rank's part to run->tally. After a stretch
     * the training can be stopped. */
    bool (*batch)(struct train_run *run, size_t first, size_t count, double rate,
                  struct summand__net_fault *fault);
    /* Of a mode that keeps weights by itself; else NULL. take: copies them from run->weights (and
     * velocity) before the first stretch of an epoch, or after a stop. give: copies them back, on
     * all ranks, after the last stretch. */
    bool (*take)(struct train_run *run, struct summand__net_fault *fault);
    bool (*give)(struct train_run *run, struct summand__net_fault *fault);
    /* Of a mode that can record its ranks' actions; else NULL. record: from now on the first
     * stretch of each epoch is recorded, and the record of the last epoch stays. recorded: the
     * number of records; if `to` is not NULL, also copies `count` records from number `first`
     * on. */
    void (*record)(struct train_run *run);
    size_t (*recorded)(const struct train_run *run, size_t first, size_t count,
                       struct summand__recorded *to);
    /* Sums over the ranks, for all of them. */
    bool (*combine)(struct train_run *run, struct train_tally *tally,
                    struct summand__net_fault *fault);
    /* The union of the ranks' flags, for all of them. */
    bool (*flags)(struct train_run *run, unsigned *flags, struct summand__net_fault *fault);
};

/* One process. */
extern const struct train_mode train_mode_single;

/* Functions of the caller; each may be NULL. */
struct train_hooks {
    void *context;
    bool (*stop)(void *context); /* this rank wants to end at the next boundary of batches */
    void (*batch)(void *context, const struct train_run *run);
    void (*epoch)(void *context, const struct train_run *run);
    /* File that rank 0 writes after each epoch, and at a stop, by `save` (checkpoint.h). */
    const char *checkpoint;
    bool (*save)(const char *path, const struct train_run *run, struct summand__net_fault *fault);
};

enum train_end { TRAIN_DONE, TRAIN_ENOUGH, TRAIN_EARLY, TRAIN_STOPPED, TRAIN_FAILED };

/* Makes a run with drawn weights, at epoch 0. `context`: an argument of the mode. Collective if the
 * mode is; a failure on one rank is a failure on all. */
bool train_run_open(struct train_run *run, const struct summand__net_shape *shape,
                    const struct summand__net_arithmetic *arithmetic, const struct train_data *data,
                    const struct train_options *options, const struct train_mode *mode,
                    void *context, struct summand__net_fault *fault);
void train_run_close(struct train_run *run);

/* Goes on until the last epoch, enough right answers, an early end (then the best weights are
 * restored) or a stop. */
enum train_end train_run_go(struct train_run *run, const struct train_hooks *hooks,
                            struct summand__net_fault *fault);

/* Mean loss and accuracy on the samples of a part. Collective if the mode is. */
enum train_part { TRAIN_PART_TRAIN, TRAIN_PART_VALIDATION, TRAIN_PART_TEST };
bool train_run_score(struct train_run *run, enum train_part part, struct train_score *score,
                     struct summand__net_fault *fault);

/* True if `good` holds on all ranks; else all fail. Collective if the mode is. */
bool train_run_agree(struct train_run *run, bool good, struct summand__net_fault *fault);

/* For modes: sets the stretch to `usual` batches, or as options say, or to an epoch. */
void train_run_stretch(struct train_run *run, size_t usual);

size_t train_run_batches(const struct train_run *run); /* of an epoch */

/* The mean loss of a network that gives the best outputs that are the same for all samples: with a
 * higher one a training has learnt nothing, or has lost it. NaN when out of memory. */
double train_run_guess(const struct train_run *run);

/* About the highest rate with which trainings were stable: (1 - momentum) / (1 + behind), or a
 * fifth of that if weights are mixed (`mixed`). */
double train_run_stable(const struct train_run *run);

/* For modes: the samples at positions [first, first + count) of the epoch's order, at most
 * TRAIN_AHEAD. They are scattered in memory, so this prefetches all of them. */
enum { TRAIN_AHEAD = 16 };
void train_run_samples(const struct train_run *run, size_t first, size_t count, size_t *samples);

/* For modes: reads the samples at positions [first, first + count) of the epoch's order into the
 * pass, and runs the pass forward and backward. Losses are added to the tally. Afterwards all
 * errors are computed, and no weight has changed. */
void train_run_batch(struct train_run *run, size_t first, size_t count);

/* The parts of train_run_batch, for modes that cut batches. read: samples at positions [first,
 * first
 * + count) of the epoch's order to the rows of x. targets: their targets to run->targets. count:
 * adds run->loss and run->right, which train_pass_loss has set, to a tally, for batch run->batch.
 */
void train_run_read(struct train_run *run, size_t first, size_t count,
                    const struct summand__net_matrix *x);
void train_run_targets(struct train_run *run, size_t first, size_t count);
void train_run_count(struct train_run *run, struct train_tally *tally, size_t count);

/* Updates the weights of layers first..last by a batch's gradients, summed over its samples: call
 * train_update_begin, then for each layer compute target = alpha * sum + beta * target, then call
 * train_update_end. */
struct train_update {
    float alpha, beta;
    struct summand__net_weights *target; /* the weights, or the velocity */
};
struct train_update train_update_begin(struct train_run *run, int first, int last, size_t samples,
                                       double rate);
void train_update_end(struct train_run *run, int first, int last, double rate);

/* Learning-rate schedules. */

struct train_rate {
    const char *name, *description;
    double (*factor)(size_t epoch, size_t epochs); /* epoch from 0 on */
    bool warm; /* the first epoch begins with a lower rate if weights are behind */
};

/* The factor of the rate when the part `done` of an epoch is over, from 0 to 1, in a training whose
 * weights are up to `behind` batches behind.
 *
 * Delays do most harm at first, when weights change fast. A warm schedule begins with the rate
 * divided by the root of 1 + behind, and rises to the usual rate during the first epoch. Without
 * delays warm makes no difference. Source: the rates of C. Yang et al., PipeMare (2021), who divide
 * by the whole delay, and for longer; measured in docs/training.md. */
double train_rate_factor(const struct train_rate *rate, size_t epoch, double done, size_t epochs,
                         size_t behind);

/* Ended by NULL. */
extern const struct train_rate *const train_rates[];

/* What may help a training whose loss grows: scaled features, or a smaller rate. */
const char *train_run_advice(const struct train_run *run);

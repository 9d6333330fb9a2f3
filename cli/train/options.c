/* SPDX-License-Identifier: BSD-3-Clause */
/* The options of `summand train`, in two tables: what is trained; how, and where results go. */
#include <string.h>

#include "cli/train/train.h"

const char *const train_activation_choices[] = {"sigmoid", "tanh", "relu", NULL};
const char *const train_last_choices[] = {"sigmoid", "tanh", "relu", "linear", NULL};
const char *const train_loss_choices[] = {"cross-entropy", "squared", NULL};
const char *const train_mode_choices[] = {"single", "data", "sync", "stashed", "2bw", "poad", NULL};
static const char *const update_choices[] = {"own", "last", NULL};
static const char *const twins_choices[] = {"apart", "together", NULL};
static const char *const schedule_choices[] = {"constant", "linear", "cosine",
                                               "step",     "warm",   NULL};

/* In the order of their tables, so that a choice is a row number. */
static const char *const arithmetic_choices[] = {"chain", "blas", NULL};

static size_t rows_of_training(struct train_words *w, struct option_row *to)
{
    const struct option_row rows[] = {
        {"data", 'd', OPTION_TEXT, &w->data, "DIR",
         "folder with samples, or synthetic: digits drawn from the seed. A folder has "
         "train-images-idx3-ubyte, train-labels-idx1-ubyte and the same of t10k (MNIST; also .gz); "
         "or train.csv and test.csv, lines of class,feature,...; or train-x.npy, train-y.npy, "
         "test-x.npy, test-y.npy",
         NULL},
        {"samples", 0, OPTION_INT, &w->samples, "N",
         "number of drawn digits for training; a fifth as many more for testing", NULL, 1, 1e7},
        {"layers", 'l', OPTION_TEXT, &w->layers, "N,...", "widths from the input to the output",
         NULL},
        {"activation", 0, OPTION_CHOICE, &w->hidden, "A", "activation of hidden layers",
         train_activation_choices},
        {"loss", 0, OPTION_CHOICE, &w->loss, "L",
         "cross-entropy of a softmax, or half the squared distance, also from targets (train-y.npy "
         "as a "
         "matrix of samples and outputs)",
         train_loss_choices},
        {"output", 0, OPTION_CHOICE, &w->last, "A", "activation of the last layer (--loss squared)",
         train_last_choices},
        {"batch", 0, OPTION_INT, &w->batch, "N",
         "samples per step; the last step of an epoch may have fewer", NULL, 1, 1e7},
        {"epochs", 0, OPTION_INT, &w->epochs, "N", "passes over the samples", NULL, 1, 1e6},
        {"rate", 0, OPTION_REAL, &w->rate, "R", "learning rate", NULL, 1e-12, 1e12},
        {"schedule", 0, OPTION_CHOICE, &w->schedule, "S",
         "how the rate changes over the epochs; warm: as linear, but the first epoch begins with a "
         "lower rate: the more batches weights are behind, the lower",
         schedule_choices},
        {"momentum", 0, OPTION_REAL, &w->momentum, "M",
         "share of the last step that is added to the next one", NULL, 0, 0.9999},
        {"decay", 0, OPTION_REAL, &w->decay, "D",
         "share of each weight that a step takes away, times the rate; not of biases", NULL, 0, 1},
        {"seed", 's', OPTION_INT, &w->seed, "S",
         "seed of the first weights, of the order of samples, and of drawn digits", NULL, ANY_SEED},
        {"validation", 'v', OPTION_REAL, &w->validation, "PART",
         "share of the samples that is used for validation only", NULL, 0, 0.9},
        {"patience", 0, OPTION_INT, &w->patience, "N",
         "end after so many epochs without a smaller validation loss, and keep the weights of the "
         "smallest loss; else never",
         NULL, 1, 1e6},
        {"stop-at", 0, OPTION_REAL, &w->stop_at, "PERCENT",
         "end after the first epoch in which at least so many percent of the validation samples "
         "are right, with its weights; else never",
         NULL, 1e-9, 100}};
    memcpy(to, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

static size_t rows_of_mode(struct train_words *w, struct option_row *to)
{
    const struct option_row rows[] = {
        {"mode", 'm', OPTION_CHOICE, &w->mode, "M",
         "single: one process; data: replicas on all ranks, the same bits on any number of ranks "
         "(the "
         "default on more than one). The others are pipelines: each rank is a stage of some "
         "layers, "
         "and batches pass through the stages. sync: the bits of one process; stashed: weights are "
         "behind by at most the number of stages less one, in batches; 2bw: behind by one batch; "
         "poad: behind by the updates that have not arrived, at most --staleness, with two ranks "
         "for "
         "each stage",
         train_mode_choices},
        {"groups", 'g', OPTION_TEXT, &w->groups, "GRIDS",
         "each stage is a group of ranks, given as a grid: 2x(1x2),2x2 is 1x2,1x2,2x2 (all "
         "pipelines; "
         "with twins apart twice as many ranks)",
         NULL},
        {"staleness", 0, OPTION_INT, &w->staleness, "N",
         "most batches by which forward weights may be behind (poad; default: ranks less one, or "
         "groups and twins less one)",
         NULL, 0, 1000},
        {"twins", 0, OPTION_CHOICE, &w->twins, "T",
         "ranks of a stage; apart: one rank works forward, another one, its twin, back; together: "
         "one "
         "rank does both (default: poad apart, stashed together)",
         twins_choices},
        {"update", 0, OPTION_CHOICE, &w->update, "U",
         "which stage updates weights; own: each stage its own; last: stage 0, where a batch ends: "
         "it computes all gradients and sends the other ranks their weights (stashed with twins "
         "together: weights are behind by the number of stages less one; poad with twins apart; no "
         "groups)",
         update_choices},
        {"rescale", 0, OPTION_FLAG, &w->rescale, NULL,
         "lower a rate that is above the stable one, instead of a warning", NULL},
        {"piece", 0, OPTION_INT, &w->piece, "N",
         "samples of a piece of a batch; pieces pass through the stages one after another (sync, "
         "2bw). "
         "Else: as many pieces as stages, at least 2; in sync up to four times as many, of at "
         "least "
         "32 samples",
         NULL, 1, 1e7},
        {"arithmetic", 0, OPTION_CHOICE, &w->arithmetic, "A",
         "arithmetic of products; chain: sums in one order; blas: the BLAS that 'summand info' "
         "names",
         arithmetic_choices},
        {"model", 0, OPTION_OUTPUT, &w->model, "FILE", "write the trained model to FILE", NULL},
        {"evaluate", 0, OPTION_TEXT, &w->evaluate, "FILE",
         "do not train: print the loss and accuracy of this model", NULL},
        {"predict", 0, OPTION_TEXT, &w->predict, "FILE",
         "do not train: write what this model says of the samples of --data, one file without "
         "classes (.npy, CSV, or images as idx; also .gz), to --predictions",
         NULL},
        {"predictions", 'o', OPTION_OUTPUT, &w->predictions, "FILE",
         "with --predict: a .npy file of a row for each sample: its class and the outputs, which "
         "are probabilities after cross-entropy",
         NULL},
        {"checkpoint", 0, OPTION_OUTPUT, &w->checkpoint, "FILE",
         "write a checkpoint after each epoch, and after SIGTERM or Ctrl-C between two batches",
         NULL},
        {"resume", 0, OPTION_FLAG, &w->resume, NULL,
         "continue from the checkpoint, if there is one, with the bits of a training that was not "
         "stopped (single, sync, data)",
         NULL},
        {"csv", 0, OPTION_OUTPUT, &w->csv, "FILE", "write loss and accuracy of each epoch as CSV",
         NULL},
        {"plot", 0, OPTION_OUTPUT, &w->plot, "FILE",
         "draw loss and accuracy against epochs and time (SVG)", NULL},
        {"timeline", 0, OPTION_OUTPUT, &w->timeline, "FILE",
         "draw what the ranks did at the beginning of the last epoch (SVG), and print how long "
         "they "
         "were idle (sync, stashed, 2bw, poad)",
         NULL},
        {"json", 'j', OPTION_FLAG, &w->json, NULL, "print JSON instead of lines", NULL}};
    memcpy(to, rows, sizeof rows);
    return sizeof rows / sizeof *rows;
}

void train_option_rows(struct train_words *w, struct option_row rows[TRAIN_OPTIONS])
{
    size_t count = rows_of_training(w, rows);
    count += rows_of_mode(w, rows + count);
    rows[count] = (struct option_row){0};
}

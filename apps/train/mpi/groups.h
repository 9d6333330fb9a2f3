/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages on groups of ranks (groups.c): the data of one rank. If twins are apart, the first half of
 * the ranks works forward, the second half back. */
#pragma once

#include <summand/gemm.h>

#include "train/grids.h"
#include "train/mpi/recorder.h"
#include "train/order.h"
#include "train/run.h"

/* Arrays by columns: a column is a sample, or of weights an input. Weights of layer l are widths[l]
 * x (widths[l - 1] + 1), outputs (widths[l] + 1) x samples, with ones in the last row. The last
 * layer's sums and errors lie on one row of processes, so that a rank has all outputs of a sample.
 */
struct groups_array {
    float *at;
    size_t lead, rows;      /* of this rank */
    size_t block, columns;  /* samples of a piece: of a block, and from one slot to the next */
    struct train_deal deal; /* of rows */
};

/* The finishing of computed elements: an activation, or the derivative by the layer's outputs.
 * Columns are samples. */
struct groups_finish {
    const struct summand__net_activation *activation;
    const float *x; /* derivative: outputs, with the layout of the elements; else NULL */
    size_t lead;    /* of x */
    size_t rows;    /* of this rank; rows after them belong to the ones */
};

/* A product or a copy, and whether this rank participates. */
struct groups_product {
    summand_plan *plan;
    struct groups_finish finish;
    bool started, mine;
    struct summand__recording recording; /* of a start */
    bool recorded;                       /* this start is recorded there */
    int told_as; /* of a copy: SUMMAND__PUT or, at its target, SUMMAND__WAIT_COUNTER */
};

/* Batches of one size: whole ones, and the last of an epoch. */
struct groups_size {
    size_t batch;
    struct groups_product *products; /* of products: by kind, layer, slot */
    summand_matrix **matrices;       /* of samples: by kind, layer, slot */
};

struct groups {
    struct train_grids grids;
    struct train_pipeline cut;
    struct train_order order;
    enum train_delay delay;
    bool twins, reverse;    /* apart; this rank works back */
    int place;              /* this rank's number in its half */
    int stage, first, last; /* of this rank */
    int each;               /* pieces of a batch */
    int rounds;             /* batches whose pieces are in flight: slots / each; stashed: slots */
    int slots;              /* of pieces that are in flight */
    int versions;           /* of weights, if gradients update them */
    size_t piece;
    size_t bytes; /* of arrays */
    double rate;  /* the rate in the gradients' plans */
    struct groups_size size[2];
    struct groups_array x[SUMMAND__NET_LAYERS_MOST + 1], z[SUMMAND__NET_LAYERS_MOST + 1],
        d[SUMMAND__NET_LAYERS_MOST + 1];
    struct groups_array w[SUMMAND__NET_LAYERS_MOST + 1], velocity[SUMMAND__NET_LAYERS_MOST + 1];
    summand_matrix **weights;      /* by layer: versions, velocity, and those that F(g) has taken */
    struct groups_product *copies; /* twins: by kind, layer, slot */
    MPI_Comm pair, group;          /* twins: a rank and its twin; F(g) */
    struct groups_product choice;  /* newest: the version that the group takes */
    uint64_t chosen;
    size_t taken;        /* version */
    int *ranks;          /* 0, 1, ... */
    float *sample;       /* one, whole */
    size_t begin, count; /* samples of the stretch: the first one in the epoch, and their number */
    size_t updates;      /* since the stretch began */
    struct train_recorder recorder;
};

/* groups_make.c: memory, matrices and plans. Collective; a failure on one rank is a failure on
 * all. */
bool groups_make(struct train_run *run, struct groups *own, struct summand__net_fault *fault);
/* Plans of gradients, whose factors follow from the rate. */
bool groups_make_gradients(struct train_run *run, struct groups *own, double rate,
                           struct summand__net_fault *fault);
void groups_free(struct train_run *run, struct groups *own);

/* groups_copies.c, twins: copies between a rank and its twin. Collective. */
int groups_make_copies(struct train_run *run, struct groups *own);
void groups_free_copies(const struct train_run *run, struct groups *own);

/* groups.c: functions of modes. */
bool groups_stretch(struct train_run *run, size_t first, size_t count, double rate,
                    struct summand__net_fault *fault);
bool groups_take(struct train_run *run, struct summand__net_fault *fault);
bool groups_give(struct train_run *run, struct summand__net_fault *fault);

/* `size` does not matter for copies. */
struct groups_product *groups_product(const struct groups *own, const struct groups_size *size,
                                      enum train_order_what what, int l, int slot);
/* Weights of a version; after the last one, the velocity. */
summand_matrix *groups_weights(const struct groups *own, int l, int version);
/* Weights of layer l in this rank's memory, by version. In a forward twin 0 is the version in use;
 * after it comes a ring of arriving versions. */
float *groups_weights_at(const struct groups_array *w, size_t version);
/* Samples of the piece in a slot. */
size_t groups_piece(const struct groups *own, const struct groups_size *size, int slot);

/* SPDX-License-Identifier: BSD-3-Clause */
/* The time of an epoch in stages on groups of ranks, in closed form. It follows from the operations
 * of the layers, and from the bytes that a product of block-cyclic matrices moves (docs/gemm.md).
 * Stages of one rank each move only outputs and errors. */
#pragma once

#include "train/grids.h"

struct train_machine {
    double flop;    /* s of an operation of a product on one rank */
    double latency; /* s of a put with its notification */
    double byte;    /* s per byte that is put */
};

/* Entries are of stages, then of their twins, which work back. */
struct train_estimate {
    double epoch;                        /* s */
    double busy[2 * TRAIN_STAGES_MOST];  /* s of a stage's work for a batch, forward and back */
    double moved[2 * TRAIN_STAGES_MOST]; /* the part of it that is not computation */
    int slowest;                         /* stage */
    double efficiency; /* time of computing over the time of all ranks, from 0 to 1 */
};

/* Estimates the stages of `pipeline` (shape, delay, twins, stages, cut, samples, batch; piece, 0:
 * the default of a training in so many stages) on the groups, twice as many with twins. Weights may
 * be as far behind as keeps all ranks busy.
 * - stashed: batches follow each other at the pace of the slowest stage
 * - 2bw: pieces do
 * - sync: the pieces of each batch do
 * - last: as stashed, but stage 0, or its twin, computes all gradients and puts versions of weights
 *   to all others; stages and twins have one rank each */
struct train_estimate train_estimate(const struct train_pipeline *pipeline,
                                     const struct train_grids *grids,
                                     const struct train_machine *machine);

/* Chooses the groups of so many ranks (with twins: of each half of them) and the cut with the least
 * estimated time; in `last` perhaps with fewer ranks. False: there are none (no ranks). */
bool train_suggest(struct train_pipeline *pipeline, int ranks, const struct train_machine *machine,
                   struct train_grids *grids, struct train_estimate *estimate);

/* The same for a given number of stages. */
bool train_suggest_stages(struct train_pipeline *pipeline, int ranks, int stages,
                          const struct train_machine *machine, struct train_grids *grids,
                          struct train_estimate *estimate);

/* Seconds of an epoch in replicas (mode data). Ranks share a batch's samples. Every rank computes a
 * part of a layer's gradient, which all get, or the whole gradient, whichever is faster. */
double train_estimate_replicas(const struct train_pipeline *pipeline, int ranks,
                               const struct train_machine *machine);

/* In the form that train_grids_read reads. */
void train_grids_write(const struct train_grids *grids, char *text, size_t room);

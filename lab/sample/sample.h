/* SPDX-License-Identifier: BSD-3-Clause */
/* Small schedules of computations, puts and counters. Tests prove them, run them over every window
 * and compare them with plain loops; the command predicts and draws them. They show how to write a
 * capability. */
#pragma once

#include "lab/verify/expression.h"
#include "schedule/compute.h"

struct summand__sample_size {
    int ranks;
    size_t blocks; /* ring: sent by each rank; product: pairs of each rank */
    size_t slots;  /* at least 1; ring: of each window; product: slices of a rank's pairs */
    size_t rows;   /* product: of the result; ring: 1 */
    size_t count;  /* elements of a block; product: columns of the result */
    size_t tile;   /* product: rows and columns of a tile */
};

struct summand__sample {
    const char *name, *description;
    struct summand__sample_size usual; /* for a picture */
    /* Appends one rank's steps; the schedule fails when out of memory. */
    void (*build)(const struct summand__sample_size *size, int rank,
                  struct summand__schedule *schedule);
    /* Element i of the rank's result, for the proof and for a test of the bits. in[rank]: the
     * ranks' inputs, one place after the other. */
    uint32_t (*expected)(const struct summand__sample_size *size, struct summand__expressions *pool,
                         int rank, size_t i);
    double (*plain)(const struct summand__sample_size *size, const double *const *in, int rank,
                    size_t i);
};

/* Ended by NULL. */
extern const struct summand__sample *const summand__samples[];
/* Samples of messages and computations only, without `expected` and `plain`: schedules of the
 * library (matrix/move.h), which test_move proves for all their sizes. */
extern const struct summand__sample *const summand__sample_moves[];
/* A sample of either list. */
const struct summand__sample *summand__sample_named(const char *name);

struct summand__predict;

/* Predicts it. The caller sets all fields of `predict` but ranks, element, build and context. */
bool summand__sample_predict(const struct summand__sample *sample,
                             const struct summand__sample_size *size,
                             struct summand__predict *predict);

/* Shared by the samples' files. */

extern const struct summand__sample summand__sample_ring, summand__sample_product;
extern const struct summand__sample summand__sample_redistribution, summand__sample_transpose;

/* A schedule of several parts, for tests of composition. */

/* The ring of that size, an all-reduce of `count` elements of the sendbuf, and the ring again. */
void summand__sample_mixed(const struct summand__sample_size *size, const char *algorithm, int rank,
                           size_t count, struct summand__schedule *whole);

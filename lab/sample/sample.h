/* SPDX-License-Identifier: BSD-3-Clause */
/* Small schedules of computations, puts and counters: what the tests prove, run over every window
 * and hold against plain loops, and what the command predicts and draws. They show how a capability
 * is written. */
#ifndef SUMMAND_LAB_SAMPLE_SAMPLE_H
#define SUMMAND_LAB_SAMPLE_SAMPLE_H

#include "lab/verify/expression.h"
#include "schedule/compute.h"

struct summand__sample_size {
    int ranks;
    size_t blocks; /* ring: that each rank sends; product: pairs of each rank */
    size_t slots;  /* at least 1; ring: of each window; product: pieces of a rank's pairs */
    size_t rows;   /* product: of the result; ring: 1 */
    size_t count;  /* elements of a block; product: columns of the result */
    size_t tile;   /* product: rows and columns of a tile */
};

struct summand__sample {
    const char *name, *description;
    struct summand__sample_size usual; /* of a picture */
    /* Appends one rank's steps; a failed schedule says that memory ran out. */
    void (*build)(const struct summand__sample_size *size, int rank,
                  struct summand__schedule *schedule);
    /* Element i of the rank's result, for the proof and for a test of the bits: in[rank] are the
     * ranks' inputs, one place behind the other. */
    uint32_t (*expected)(const struct summand__sample_size *size, struct summand__expressions *pool,
                         int rank, size_t i);
    double (*plain)(const struct summand__sample_size *size, const double *const *in, int rank,
                    size_t i);
};

/* Ended by NULL. */
extern const struct summand__sample *const summand__samples[];
/* Of messages and computations alone, without `expected` and `plain`: schedules of the library's
 * (matrix/move.h), which are proved where all their sizes are (test_move). */
extern const struct summand__sample *const summand__sample_moves[];
/* Of either. */
const struct summand__sample *summand__sample_named(const char *name);

struct summand__predict;

/* Predicts it: all fields of `predict` but ranks, element and how to build are the caller's. */
bool summand__sample_predict(const struct summand__sample *sample,
                             const struct summand__sample_size *size,
                             struct summand__predict *predict);

/* What the samples' files share. */

extern const struct summand__sample summand__sample_ring, summand__sample_product;
extern const struct summand__sample summand__sample_redistribution, summand__sample_transpose;

/* A schedule of several parts, for tests of composition. */

/* The ring of that size, an all-reduce of `count` elements of the sendbuf, the ring again. */
void summand__sample_mixed(const struct summand__sample_size *size, const char *algorithm, int rank,
                           size_t count, struct summand__schedule *whole);

#endif

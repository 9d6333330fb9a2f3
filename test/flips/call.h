/* SPDX-License-Identifier: BSD-3-Clause */
/* One gossip call of all ranks in one process (world.h), with chosen bit flips. */
#pragma once

#include "flips/world.h"

#include <mpi.h>
#include <stdint.h>
#include <summand/gossip.h>

enum { CALL_ELEMENTS = 3, CALL_WORDS = 32768 /* kept by a rank */ };

/* What is computed. */
struct call_case {
    const char *name, *algorithm, *topology; /* topology: for asynchronous algorithms, or NULL */
    enum summand_gossip_form form;
    int count;
    bool maximum, mean, disagree; /* disagree: each rank keeps its own estimate */
    double eps;
    /* Omitted fields are drawn, are rank + 1 for a mean, or have the default. */
    const double (*x)[CALL_ELEMENTS];
    const double *weight;
    bool minimum, floats;
    enum summand_gossip_norm norm;
    int max_rounds;
    double tau;
};

enum call_where { CALL_NOTHING, CALL_KEPT, CALL_RECEIVED };

/* Words of a rank at one time, and the bits to flip in them. */
struct call_flip {
    enum call_where where;
    int rank;
    int64_t when; /* kept: the step, from 1; received: the message, from 0 */
    const int *words;
    int count;
    uint64_t bits;
};

struct call_outcome {
    bool hangs;
    long turns;
    int code[WORLD_MOST];
    double y[WORLD_MOST][CALL_ELEMENTS];
    summand_gossip_report report[WORLD_MOST];
    /* For each rank: the numbers of steps and messages. For the message that `flip` names: its
     * number of words. */
    int64_t steps[WORLD_MOST], receipts[WORLD_MOST];
    int words;
};

/* Runs the call with bits flipped. */
void call_run(const struct call_case *how, int ranks, uint64_t seed, const struct call_flip *flip,
              struct call_outcome *outcome);

/* The effect of flips on the words that rank `flip->rank` keeps in step `flip->when`. Each bit is
 * flipped, and the guards are opened: `rest` are the words not restored at once. Takes one run. */
struct call_kept {
    int words;
    int rest_count, rest[CALL_WORDS];
};
void call_look(const struct call_case *how, int ranks, uint64_t seed, const struct call_flip *flip,
               struct call_kept *kept);

/* Whether two calls took the same course to the same end. */
bool call_alike(const struct call_outcome *a, const struct call_outcome *b, int ranks);

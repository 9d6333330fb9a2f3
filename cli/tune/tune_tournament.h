/* SPDX-License-Identifier: BSD-3-Clause */
/* The fastest algorithm at one size: candidates, and their tournament. */
#pragma once

#include "cli/bench/bench_case.h"
#include "cli/options/promises.h"
#include "cli/ranks/agree.h"
#include "plan/options.h"
#include "select/tuning.h"

/* The promises of a class of calls; `promise` is a number of cli/options/promises.h. */
static inline unsigned tune_promises(int promise)
{
    return summand__promises_for(promise_of_word[promise]);
}

struct tune_call {
    const struct bench_collective *collective;
    int ranks;
    size_t node_size;
    const struct summand__groupings *groupings; /* nodes not in runs of equal size; else NULL */
    int processors;
    const struct summand__model *model;
};

struct tune_winner {
    const struct summand__algorithm *algorithm; /* NULL: not compared */
    size_t parameter[SUMMAND__PARAMETERS];      /* as in a rule: the segment in bytes */
    bool runs;                                  /* as in a rule */
    double seconds, standard; /* medians: the winner's, and the library's choice's */
};

/* Elements are doubles. */
enum { TUNE_ELEMENT = 8 };

/* Candidates for a tournament, the library's choice first: algorithms that do the call and keep the
 * promises, each with its best parameters by estimate, and further sets that are not many times
 * slower than the fastest. Leaves out repeats with the same schedules on all ranks. Collective; the
 * same on all ranks. */
void tune_candidates(const struct tune_call *call, size_t bytes, int promise,
                     struct bench_choices *choices, struct trouble *trouble);

/* Runs all side by side, then the faster half, and so on. The library's choice stays to the end and
 * loses only to a significantly faster one. Collective; the same on all ranks. After a complaint
 * the result has no algorithm, on all of them. */
struct tune_winner tune_tournament(const struct tune_call *call, size_t bytes, int promise,
                                   const char *label, double budget, struct trouble *trouble);

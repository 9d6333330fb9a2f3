/* SPDX-License-Identifier: BSD-3-Clause */
/* Which of the algorithms is the fastest at one size: candidates, and their tournament. */
#ifndef SUMMAND_CLI_TUNE_TUNE_TOURNAMENT_H
#define SUMMAND_CLI_TUNE_TUNE_TOURNAMENT_H

#include "cli/bench/bench_case.h"
#include "cli/common/agree.h"
#include "cli/common/promises.h"
#include "plan/options.h"
#include "select/tuning.h"

/* What a class of calls asks of the bits; `promise` is a number of cli/common/promises.h. */
static inline unsigned tune_promises(int promise)
{
    return summand__promises_for(promise_of_word[promise]);
}

struct tune_call {
    const struct bench_collective *collective;
    int ranks;
    size_t node_size;
    const struct summand__groupings *groupings; /* nodes that are no runs of that; else NULL */
    int processors;
    const struct summand__model *model;
};

struct tune_winner {
    const struct summand__algorithm *algorithm; /* NULL: not compared */
    size_t parameter[SUMMAND__PARAMETERS];      /* as in a rule: the segment in bytes */
    double seconds, standard;                   /* medians: of it, and of the library's choice */
};

/* The elements are doubles. */
enum { TUNE_ELEMENT = 8 };

/* Algorithms with parameters that are worth a tournament, the library's own choice first: those
 * that do the call and keep the promises, the best few parameters of each by estimate, none that is
 * estimated at many times the fastest, and of those with the same schedules on all ranks one.
 * Collective; the same on all ranks. */
void tune_candidates(const struct tune_call *call, size_t bytes, int promise,
                     struct bench_choices *choices, struct trouble *trouble);

/* Runs all side by side, then the faster half, and so on. The library's own choice stays to the end
 * and is beaten only by what is faster beyond doubt. Collective; the same on all ranks. Without an
 * algorithm, on all of them, after a complaint. */
struct tune_winner tune_tournament(const struct tune_call *call, size_t bytes, int promise,
                                   const char *label, double budget, struct trouble *trouble);

#endif

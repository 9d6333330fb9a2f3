/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/tune/tune_tournament.h"

#include <stdlib.h>
#include <string.h>

#include "bench/measure.h"
#include "plan/plan.h"

enum { LAST_LAP = 3, LAPS_MOST = 6, ROUNDS = 300, LAST_ROUNDS = 1500 };
static const double better =
    0.98; /* a rival must take less than this part of the time of the library's choice */

struct entrant {
    int subject; /* 0: the library's own choice */
    struct measure_interval time;
};

/* A round: the remaining entrants, side by side. */
static void play_round(const struct timing_subject *all, struct entrant *entrants, int count,
                       const struct timing_options *options, struct trouble *trouble)
{
    struct timing_subject subjects[TIMING_SUBJECTS] = {{NULL}};
    struct timing timings[TIMING_SUBJECTS];
    for (int i = 0; i < count; i++)
        subjects[i] = all[entrants[i].subject];
    timing_run(subjects, count, options, timings, trouble);
    for (int i = 0; i < count; i++)
        if (timings[i].rounds)
            entrants[i].time = measure_median(timings[i].seconds, timings[i].rounds);
    timing_free(timings, count);
}

/* The library's choice first, the others by time. */
static int by_time(const void *a, const void *b)
{
    const struct entrant *x = a, *y = b;
    if (!x->subject || !y->subject)
        return (x->subject > 0) - (y->subject > 0);
    return (x->time.median > y->time.median) - (x->time.median < y->time.median);
}

/* Ranks that wait in the MPI's barrier may keep processors from ranks that have not arrived. */
static enum timing_start start_of(const struct tune_call *call)
{
    bool crowded = call->processors && call->ranks > call->processors;
    return crowded && call->node_size >= (size_t)call->ranks ? TIMING_COUNTER : TIMING_BARRIER;
}

static struct entrant run_rounds(const struct timing_subject *subjects, int count,
                                 struct timing_options options, double *standard,
                                 struct trouble *trouble)
{
    struct entrant entrants[TIMING_SUBJECTS];
    int laps = 1, left = count;
    bool failed = false;
    for (int i = 0; i < count; i++)
        entrants[i] = (struct entrant){.subject = i, .time = {0, 0, 0}};
    for (int n = count; n > LAST_LAP; n = (n + 1) / 2)
        laps++;
    options.seed = 1;
    options.most = ROUNDS;
    options.budget /= laps;
    while (left > LAST_LAP && !failed) {
        play_round(subjects, entrants, left, &options, trouble);
        failed = !agree_fine(!trouble->text[0]);
        qsort(entrants, (size_t)left, sizeof *entrants, by_time);
        left = (left + 1) / 2;
        options.seed++;
    }
    options.most = LAST_ROUNDS;
    if (!failed)
        play_round(subjects, entrants, left, &options, trouble);
    qsort(entrants, (size_t)left, sizeof *entrants, by_time);
    *standard = entrants[0].time.median;
    bool beaten = left > 1 && entrants[1].time.median < better * entrants[0].time.median &&
                  entrants[1].time.high < entrants[0].time.low;
    return entrants[beaten];
}

/* A choice as a rule states it; for the library's own, its plan tells. */
static void describe(const summand_plan *plan, bool reduces, struct tune_winner *winner)
{
    summand_options options;
    if (summand_plan_describe(plan, &options, NULL) != MPI_SUCCESS)
        return;
    winner->algorithm = summand__algorithm_named(options.algorithm);
    winner->runs = plan->choice.runs;
    const struct summand__limits *limits = winner->algorithm->limits;
    winner->parameter[SUMMAND__SEGMENT] = (size_t)options.segment * (reduces ? TUNE_ELEMENT : 1);
    if (options.radix > 0 && (size_t)options.radix != limits[SUMMAND__RADIX].standard)
        winner->parameter[SUMMAND__RADIX] = (size_t)options.radix;
    if (options.leaders > 0 && (size_t)options.leaders != limits[SUMMAND__LEADERS].standard)
        winner->parameter[SUMMAND__LEADERS] = (size_t)options.leaders;
}

static void run_case(struct bench_case *c, struct timing_options options,
                     struct tune_winner *winner, struct trouble *trouble)
{
    struct timing_subject subjects[TIMING_SUBJECTS];
    int count = bench_open("tune", &bench_case_kind, c, subjects, trouble);
    if (!count)
        return;
    struct entrant first = run_rounds(subjects, count, options, &winner->standard, trouble);
    winner->seconds = first.time.median;
    if (agree("tune", trouble))
        describe(c->subjects.subject[first.subject].plan, c->call->op, winner);
}

struct tune_winner tune_tournament(const struct tune_call *call, size_t bytes, int promise,
                                   const char *label, double budget, struct trouble *trouble)
{
    struct bench_choices choices;
    struct tune_winner winner = {.algorithm = NULL};
    const struct element_type *type = element_type_named("double");
    const struct element_op *op = element_op_named("sum");
    struct bench_call one = {.collective = call->collective,
                             .type = type,
                             .op = summand__has_operator(call->collective->collective) ? op : NULL,
                             .handle = MPI_SUM,
                             .of_mpi = MPI_SUM,
                             .plan = true,
                             .promise = promise_of_word[promise]};
    size_t count = bytes / TUNE_ELEMENT, ranks = (size_t)call->ranks;
    if (call->collective->collective == SUMMAND__COLL_ALLGATHER)
        count = (count + ranks - 1) / ranks;
    tune_candidates(call, bytes, promise, &choices, trouble);
    struct bench_case c = {.call = &one, .choices = &choices, .count = (int)count};
    run_case(&c, (struct timing_options){.budget = budget, .label = label, .start = start_of(call)},
             &winner, trouble);
    bench_case_kind.drop(&c);
    return winner;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithm/call.h"
#include "base/hash.h"
#include "bench/need.h"
#include "cli/tune/tune_tournament.h"

/* Estimates are rough, so each algorithm is a candidate, with its best set of parameters; further
 * sets up to this many times the least estimate. */
static const double hopeless = 6;
enum { SETS = 3, GRID = 512, MOST_SEGMENTS = 2048, RACERS = 32 };

static const size_t tried[SUMMAND__PARAMETERS][8] = {
    [SUMMAND__SEGMENT] = {1024, 4096, 8192, 16384, 65536, 262144, 1048576},
    [SUMMAND__RADIX] = {2, 3, 4, 8, 16},
    [SUMMAND__LEADERS] = {1, 2, 4, 8},
};

struct field {
    const struct tune_call *call;
    struct summand__query query;
    struct summand__model model;
    struct summand__call one; /* of this rank */
    size_t *offsets;
    int count;
    struct summand__choice choice[GRID];
};

static bool field_open(struct field *field, const struct tune_call *call, size_t bytes, int promise)
{
    enum summand__collective collective = call->collective->collective;
    size_t ranks = (size_t)call->ranks, count = bytes / TUNE_ELEMENT;
    bool ordered = summand__keeps_order(collective, tune_promises(promise));
    const struct summand__grouping *grouping = summand__grouping_for(call->groupings, ordered);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    field->call = call;
    field->count = 0;
    field->query =
        (struct summand__query){.collective = collective,
                                .ranks = call->ranks,
                                .node_size = grouping ? (size_t)grouping->most : call->node_size,
                                .grouping = grouping,
                                .processors = call->processors,
                                .bytes = bytes,
                                .element = TUNE_ELEMENT,
                                .promises = tune_promises(promise),
                                .model = call->model};
    field->model = summand__query_model(&field->query);
    field->offsets = calloc(ranks + 1, sizeof *field->offsets);
    for (size_t r = 0; field->offsets && r < ranks; r++)
        field->offsets[r + 1] = summand__cut(count, r + 1, ranks);
    field->one = (struct summand__call){
        .collective = collective,
        .rank = rank,
        .ranks = call->ranks,
        .count = collective == SUMMAND__COLL_ALLGATHER ? (count + ranks - 1) / ranks : count,
        .offsets = field->offsets,
        .grouping = grouping};
    return field->offsets;
}

static void put(struct field *field, const struct summand__choice *choice, int first)
{
    int at = field->count < GRID ? field->count : GRID - 1;
    if (field->count == GRID && field->choice[at].seconds <= choice->seconds)
        return;
    for (; at > first && field->choice[at - 1].seconds > choice->seconds; at--)
        field->choice[at] = field->choice[at - 1];
    field->choice[at] = *choice;
    field->count += field->count < GRID;
}

/* The value of a parameter at an index of its list, 0 for the default; false past its end. */
static bool value_at(const struct summand__algorithm *algorithm, int which, int i, size_t *value)
{
    const struct summand__limits *limits = &algorithm->limits[which];
    *value = 0;
    if (i == 0)
        return true;
    if (which == SUMMAND__NODE_SIZE || !limits->most || i > 8 || !tried[which][i - 1])
        return false;
    *value = tried[which][i - 1];
    if (which == SUMMAND__SEGMENT)
        *value /= TUNE_ELEMENT;
    return true;
}

static bool is_sensible(const struct field *field, const struct summand__algorithm *algorithm,
                        int which, size_t value)
{
    const struct summand__limits *limits = &algorithm->limits[which];
    if (!value)
        return true;
    if (value < limits->least || value > limits->most || value == limits->standard)
        return false;
    if (which == SUMMAND__SEGMENT)
        return value < field->one.count && field->one.count / value <= MOST_SEGMENTS;
    return value <= (size_t)field->one.ranks;
}

/* Adds the best sets of an algorithm's parameters. */
static void add_algorithm(struct field *field, const struct summand__algorithm *algorithm)
{
    struct summand__choice choice = {.algorithm = algorithm};
    int first = field->count;
    size_t *p = choice.parameter;
    for (int s = 0; value_at(algorithm, SUMMAND__SEGMENT, s, &p[SUMMAND__SEGMENT]); s++)
        for (int r = 0; value_at(algorithm, SUMMAND__RADIX, r, &p[SUMMAND__RADIX]); r++)
            for (int l = 0; value_at(algorithm, SUMMAND__LEADERS, l, &p[SUMMAND__LEADERS]); l++) {
                bool sensible = true;
                for (int i = 0; i < SUMMAND__PARAMETERS; i++)
                    sensible = sensible &&
                               (i == SUMMAND__NODE_SIZE || is_sensible(field, algorithm, i, p[i]));
                struct summand__choice set = choice;
                set.parameter[SUMMAND__NODE_SIZE] = field->query.node_size;
                set.seconds = summand__choice_seconds(&field->query, &set, &field->model);
                if (sensible)
                    put(field, &set, first);
            }
    if (field->count > first + SETS)
        field->count = first + SETS;
}

static void add_all(struct field *field)
{
    size_t node = field->query.node_size;
    bool levels = node > 1 && node < (size_t)field->one.ranks;
    for (int i = 0; summand__algorithms[i]; i++) {
        const struct summand__algorithm *algorithm = summand__algorithms[i];
        if (summand__algorithm_does(algorithm, &field->one) &&
            summand__promises_kept(algorithm, field->query.collective, field->query.promises) &&
            (levels || !algorithm->limits[SUMMAND__NODE_SIZE].most))
            add_algorithm(field, algorithm);
    }
}

static int by_seconds(const void *a, const void *b)
{
    const struct summand__choice *x = a, *y = b;
    return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

static unsigned long long mix(unsigned long long hash, size_t word)
{
    hash = (hash ^ word) * SUMMAND__GOLDEN;
    return hash ^ (hash >> 29);
}

static unsigned long long mix_region(unsigned long long hash, const struct summand__region *region)
{
    return mix(mix(mix(hash, region->place), region->first), region->count);
}

/* Hash of this rank's schedule. */
static unsigned long long hash_of(const struct field *field, const struct summand__choice *choice)
{
    struct summand__schedule schedule;
    struct summand__call call = field->one;
    unsigned long long hash = 1 + (unsigned long long)call.rank;
    memcpy(call.parameter, choice->parameter, sizeof call.parameter);
    need(summand__build(choice->algorithm, &call, &schedule) ? &schedule : NULL);
    for (size_t i = 0; i < schedule.length; i++) {
        const struct summand__step *step = &schedule.steps[i];
        hash = mix(mix(hash, step->action), (size_t)step->peer);
        hash = mix_region(mix_region(hash, &step->from), &step->to);
    }
    summand__schedule_free(&schedule);
    return hash;
}

/* With fewer than three ranks most trees are the same. */
static void drop_twins(struct field *field)
{
    unsigned long long hash[GRID], sum[GRID];
    int kept = 0;
    for (int i = 0; i < field->count; i++)
        hash[i] = hash_of(field, &field->choice[i]);
    MPI_Allreduce(hash, sum, field->count, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < field->count; i++) {
        bool same = false;
        for (int j = 0; j < kept && !same; j++)
            same = sum[j] == sum[i];
        if (same)
            continue;
        sum[kept] = sum[i];
        field->choice[kept++] = field->choice[i];
    }
    field->count = kept;
}

/* Without a choice, the library's own. */
static void enter(struct bench_choices *choices, const struct field *field,
                  const struct summand__choice *choice, int promise)
{
    struct bench_choice *entrant = &choices->choice[choices->count++];
    *entrant = (struct bench_choice){.optional = true};
    entrant->options.promise = promise_of_word[promise];
    snprintf(entrant->label, sizeof entrant->label, "auto");
    if (!choice)
        return;
    entrant->algorithm = choice->algorithm;
    entrant->options.algorithm = choice->algorithm->name;
    entrant->options.segment = (MPI_Count)choice->parameter[SUMMAND__SEGMENT];
    entrant->options.radix = (int)choice->parameter[SUMMAND__RADIX];
    /* With a grouping the library's own nodes do. */
    if (!field->query.grouping && choice->algorithm->limits[SUMMAND__NODE_SIZE].most)
        entrant->options.node_size = (int)choice->parameter[SUMMAND__NODE_SIZE];
    entrant->options.leaders = (int)choice->parameter[SUMMAND__LEADERS];
    snprintf(entrant->label, sizeof entrant->label, "%s", choice->algorithm->name);
}

/* True if no candidate before it has its algorithm. */
static bool is_best_of_kind(const struct field *field, int index)
{
    for (int i = 0; i < index; i++)
        if (field->choice[i].algorithm == field->choice[index].algorithm)
            return false;
    return true;
}

/* The best set of each algorithm, or the others, by their estimates. */
static void enter_all(struct bench_choices *choices, const struct field *field, bool best,
                      int promise)
{
    double most = hopeless * field->choice[0].seconds;
    for (int i = 0; i < field->count && choices->count <= RACERS; i++)
        if (is_best_of_kind(field, i) == best && (best || field->choice[i].seconds <= most))
            enter(choices, field, &field->choice[i], promise);
}

void tune_candidates(const struct tune_call *call, size_t bytes, int promise,
                     struct bench_choices *choices, struct trouble *trouble)
{
    struct field *field = malloc(sizeof *field);
    bool fine = agree_fine(field && field_open(field, call, bytes, promise));
    choices->count = 0;
    if (fine) {
        add_all(field);
        qsort(field->choice, (size_t)field->count, sizeof *field->choice, by_seconds);
        drop_twins(field);
        enter(choices, field, NULL, promise);
        enter_all(choices, field, true, promise);
        enter_all(choices, field, false, promise);
    } else {
        trouble_note(trouble, "out of memory");
    }
    if (field)
        free(field->offsets);
    free(field);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/tune/comparison.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "algorithm/call.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "cli/output/progress.h"
#include "cli/ranks/interrupt.h"
#include "cli/tune/comparison_outer.h"
#include "matrix/gemm/shape.h"
#include "select/search.h"

/* Crossings are searched up to this count; above, repeated predictions take too long. */
enum { MOST_RANKS_SEARCHED = 4096 };

int comparison_ranks(const struct comparison_setup *setup, int point)
{
    return (int)setup->ranks.value[comparison_by_ranks(setup) ? point : 0];
}

size_t comparison_count(const struct comparison_setup *setup, int point)
{
    return (size_t)setup->counts.value[comparison_by_ranks(setup) ? 0 : point];
}

bool comparison_by_ranks(const struct comparison_setup *setup)
{
    return setup->ranks.count > 1;
}

const char *comparison_axis(const struct comparison_setup *setup)
{
    return comparison_by_ranks(setup) ? "ranks" : setup->outer.rows ? "pairs" : "elements";
}

static struct comparison_entry *entry_at(struct comparison *comparison, int algorithm, int point)
{
    return &comparison->entries[algorithm * NUMBERS_MOST + point];
}

const struct comparison_entry *comparison_at(const struct comparison *comparison, int algorithm,
                                             int point)
{
    return &comparison->entries[algorithm * NUMBERS_MOST + point];
}

/* Blocks of equal size, for collectives that need displacements. */
static size_t *make_offsets(const struct summand__call *call)
{
    size_t *offsets = need(malloc(((size_t)call->ranks + 1) * sizeof *offsets));
    for (size_t r = 0; r <= (size_t)call->ranks; r++)
        offsets[r] = r * call->count;
    return offsets;
}

/* A product of squares of doubles over two groups of ranks. */
static void set_gemm(struct summand__call *call, struct summand__gemm_square *square,
                     struct summand__predict *predict)
{
    if (!summand__gemm_square(square, call->count, call->ranks, predict->model))
        need(NULL);
    call->gemm = &square->shape;
    predict->element = sizeof(double);
}

/* Of this process, so that other processes do not change which predictions are left out. */
static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool is_late(const void *context)
{
    const double *deadline = context;
    return interrupted() || (*deadline > 0 && processor_seconds() > *deadline);
}

/* The grouping of nodes for the setup's collective. NULL: runs of ranks of one size, or not a
 * collective of the MPI: a sum of outer products has it in its shape, for the collectives inside.
 */
static const struct summand__grouping *grouping_of(const struct comparison_setup *setup)
{
    const unsigned promises = setup->rank_order ? SUMMAND__RANK_ORDER : 0;
    bool ordered = summand__keeps_order(setup->collective, promises);
    return setup->collective < SUMMAND__MPI_COLLECTIVES
               ? summand__grouping_for(setup->nodes.groupings, ordered)
               : NULL;
}

bool comparison_predict(const struct comparison_setup *setup,
                        const struct summand__algorithm *algorithm,
                        const size_t parameter[SUMMAND__PARAMETERS], int ranks, size_t count,
                        struct summand__predict *predict)
{
    struct summand__call call = {
        .collective = setup->collective, .ranks = ranks, .root = (int)setup->root, .count = count};
    memcpy(call.parameter, parameter, sizeof call.parameter);
    call.grouping = grouping_of(setup);
    predict->node = setup->nodes.node;
    predict->fault[0] = 0;
    size_t *offsets = make_offsets(&call);
    struct summand__outer_example example = {.shape = {.layers = 0}};
    call.offsets = offsets;
    predict->model = &setup->model;
    predict->combines = setup->combines;
    predict->element = setup->element;
    call.outer = setup->shape;
    if (call.collective == SUMMAND__COLL_OUTER && !call.outer) {
        comparison_example(setup, ranks, count, &example, NULL);
        call.outer = &example.shape;
    }
    struct summand__gemm_square product = {.holders = NULL};
    if (call.collective == SUMMAND__COLL_GEMM)
        set_gemm(&call, &product, predict);
    predict->most_bytes = setup->most_bytes;
    double deadline = setup->patience > 0 ? processor_seconds() + setup->patience : 0;
    predict->stop = is_late;
    predict->stop_context = &deadline;
    bool good = summand__algorithm_does(algorithm, &call) &&
                summand__simulate_call(algorithm, &call, predict);
    free(offsets);
    summand__outer_release(&example.shape);
    summand__gemm_square_release(&product);
    if (!good && !strncmp(predict->fault, "out of memory", 13))
        need(NULL); /* running out of memory is no algorithm's fault */
    return good;
}

static bool does_first(const struct comparison_setup *setup,
                       const struct summand__algorithm *algorithm)
{
    struct summand__outer_example example;
    const int ranks = comparison_ranks(setup, 0);
    comparison_example(setup, ranks, comparison_count(setup, 0), &example, NULL);
    const struct summand__call call = {
        .collective = SUMMAND__COLL_OUTER, .ranks = ranks, .outer = &example.shape};
    const bool does = summand__algorithm_does(algorithm, &call);
    summand__outer_release(&example.shape);
    return does;
}

bool comparison_runs_inside(const struct comparison_setup *setup,
                            const struct summand__algorithm *algorithm)
{
    struct comparison_setup free = *setup;
    free.outer.inside = NULL;
    return !setup->outer.inside || setup->collective != SUMMAND__COLL_OUTER ||
           does_first(setup, algorithm) || !does_first(&free, algorithm);
}

/* The play's arguments for the search for parameters. */
struct asked {
    const struct comparison_setup *setup;
    struct comparison_entry *best;
    bool told; /* omissions are reported once for an algorithm at a point */
};

static double play(struct summand__search *search, const struct summand__call *call)
{
    struct asked *asked = search->context;
    struct comparison_entry *best = asked->best;
    struct summand__predict predict = {0};
    if (interrupted())
        return INFINITY;
    if (!comparison_predict(asked->setup, search->algorithm, call->parameter, call->ranks,
                            call->count, &predict)) {
        if (predict.fault[0] && !asked->told && !interrupted())
            complain(asked->setup->command, "left out %s at %d ranks, %zu elements: %s",
                     search->algorithm->name, call->ranks, call->count, predict.fault);
        asked->told = true;
        return INFINITY;
    }
    if (best->known && best->seconds <= predict.time)
        return predict.time;
    best->known = true;
    best->seconds = predict.time;
    memcpy(best->messages, predict.messages, sizeof best->messages);
    memcpy(best->bytes, predict.bytes, sizeof best->bytes);
    memcpy(best->parameter, call->parameter, sizeof best->parameter);
    return predict.time;
}

/* silent: omissions have been reported already. */
static struct comparison_entry find_best(const struct comparison_setup *setup,
                                         const struct summand__algorithm *algorithm, int ranks,
                                         size_t count, bool silent)
{
    struct comparison_entry best = {0};
    struct asked asked = {setup, &best, silent};
    struct summand__search search = {.seconds = play,
                                     .context = &asked,
                                     .algorithm = algorithm,
                                     .call = {.collective = setup->collective,
                                              .ranks = ranks,
                                              .count = count,
                                              .grouping = grouping_of(setup)},
                                     .element = setup->element};
    for (int which = 0; which < SUMMAND__PARAMETERS; which++) {
        search.call.parameter[which] = setup->fixed[which];
        search.given[which] = setup->fixed[which] || (which != SUMMAND__SEGMENT && !setup->tune);
    }
    if (!setup->fixed[SUMMAND__NODE_SIZE])
        search.call.parameter[SUMMAND__NODE_SIZE] = (size_t)setup->model.per_node;
    summand__search(&search);
    return best;
}

struct comparison_entry comparison_best(const struct comparison_setup *setup,
                                        const struct summand__algorithm *algorithm, int ranks,
                                        size_t count)
{
    return find_best(setup, algorithm, ranks, count, false);
}

/* Bisects [low, high] until it knows from where on `after` wins; sizes by their ratio. */
static void search(const struct comparison *comparison, int point,
                   struct comparison_crossing *crossing)
{
    const struct comparison_setup *setup = comparison->setup;
    bool ranks = comparison_by_ranks(setup);
    const struct numbers *axis = ranks ? &setup->ranks : &setup->counts;
    long long low = axis->value[point], high = axis->value[point + 1];
    while (high - low > 1 && high > low + low / 200) {
        long long middle = low + (high - low) / 2;
        if (!ranks && low && high / low >= 2)
            for (middle = low; middle < high / middle * low;)
                middle += 1 + middle / 16;
        if (middle <= low || middle >= high)
            middle = low + (high - low) / 2;
        int p = ranks ? (int)middle : comparison_ranks(setup, point);
        size_t n = ranks ? comparison_count(setup, point) : (size_t)middle;
        struct comparison_entry a =
            find_best(setup, comparison->algorithm[crossing->before], p, n, true);
        struct comparison_entry b =
            find_best(setup, comparison->algorithm[crossing->after], p, n, true);
        if (b.known && (!a.known || b.seconds < a.seconds))
            high = middle;
        else
            low = middle;
    }
    crossing->at = high;
    crossing->exact = true;
}

static void find_crossings(struct comparison *comparison)
{
    const struct comparison_setup *setup = comparison->setup;
    const struct numbers *axis = comparison_by_ranks(setup) ? &setup->ranks : &setup->counts;
    for (int i = 0; i + 1 < comparison->points && !interrupted(); i++) {
        progress_show("predict: crossings", i, comparison->points - 1);
        int before = comparison->best[i], after = comparison->best[i + 1];
        if (before == after || before < 0 || after < 0)
            continue;
        struct comparison_crossing crossing = {axis->value[i + 1], false, before, after};
        if (comparison_ranks(setup, i) <= MOST_RANKS_SEARCHED &&
            axis->value[i] < axis->value[i + 1])
            search(comparison, i, &crossing);
        if (!interrupted())
            comparison->crossing[comparison->crossings++] = crossing;
    }
    progress_show("predict: crossings", 1, 1);
}

/* Sums of outer products keep the order of pairs, collectives that of ranks. */
static bool is_ordered(enum summand__collective collective,
                       const struct summand__algorithm *algorithm)
{
    return collective == SUMMAND__COLL_OUTER ? algorithm->promises & SUMMAND__PAIR_ORDER
                                             : !summand__needs_commutative(algorithm);
}

static bool wanted(const struct comparison_setup *setup, const struct summand__algorithm *algorithm)
{
    return algorithm->build[setup->collective] &&
           (!setup->only || !strcmp(setup->only, algorithm->name)) &&
           !(setup->rank_order && !is_ordered(setup->collective, algorithm));
}

static void mark_choice(struct comparison *comparison, int point)
{
    const struct comparison_setup *setup = comparison->setup;
    struct summand__outer_example example;
    const struct summand__algorithm *chosen;
    comparison->chosen[point] = -1;
    if (setup->collective != SUMMAND__COLL_OUTER)
        return;
    comparison_example(setup, comparison_ranks(setup, point), comparison_count(setup, point),
                       &example, &chosen);
    summand__outer_release(&example.shape);
    for (int a = 0; a < comparison->algorithms; a++)
        if (comparison->algorithm[a] == chosen)
            comparison->chosen[point] = a;
}

bool comparison_run(const struct comparison_setup *setup, struct comparison *comparison)
{
    *comparison = (struct comparison){.setup = setup};
    comparison->points = comparison_by_ranks(setup) ? setup->ranks.count : setup->counts.count;
    for (int i = 0; summand__algorithms[i] && comparison->algorithms < COMPARED_ALGORITHMS; i++)
        if (wanted(setup, summand__algorithms[i]))
            comparison->algorithm[comparison->algorithms++] = summand__algorithms[i];
    comparison->entries =
        calloc((size_t)comparison->algorithms * NUMBERS_MOST + 1, sizeof *comparison->entries);
    if (!comparison->entries)
        return !complain(setup->command, "out of memory");
    int all = comparison->algorithms * comparison->points;
    for (int p = 0; p < comparison->points; p++) {
        comparison->best[p] = -1;
        mark_choice(comparison, p);
        for (int a = 0; a < comparison->algorithms; a++) {
            progress_show(setup->command, p * comparison->algorithms + a, all);
            struct comparison_entry *entry = entry_at(comparison, a, p);
            *entry = comparison_best(setup, comparison->algorithm[a], comparison_ranks(setup, p),
                                     comparison_count(setup, p));
            int best = comparison->best[p];
            if (entry->known &&
                (best < 0 || entry->seconds < comparison_at(comparison, best, p)->seconds))
                comparison->best[p] = a;
        }
        if (interrupted())
            comparison->points = p;
    }
    progress_show(setup->command, 1, 1);
    find_crossings(comparison);
    return true;
}

void comparison_free(struct comparison *comparison)
{
    free(comparison->entries);
    comparison->entries = NULL;
}

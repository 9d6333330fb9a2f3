/* SPDX-License-Identifier: BSD-3-Clause */
#include "judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <summand/exact.h>

#include "kernel/fpenv.h"

enum {
    SEED = 1979,
    CASES = 32 /* at most, for each data set */
};

/* In units of the last place of the exact sum. */
static double ulps(double result, double exact)
{
    int exponent;
    if (summand__judge_same(result, exact) || result == exact)
        return 0;
    if (!isfinite(result) || !isfinite(exact))
        return INFINITY;
    frexp(exact, &exponent);
    const int unit = exact == 0 || exponent - 53 < -1074 ? -1074 : exponent - 53;
    /* Halves, so that the difference does not overflow. */
    return ldexp(fabs(result / 2 - exact / 2), 1 - unit);
}

/* The cases of a data set: each number of parts; each order with the first and the last of these;
 * the first case again. */
static int all_cases(const struct summand__judge_trial *trial, struct summand_judge_case *cases)
{
    int count = 0;
    for (int i = 0; i < trial->parts_count; i++)
        cases[count++] = (struct summand_judge_case){.parts = trial->parts[i]};
    const int step = trial->parts_count > 1 ? trial->parts_count - 1 : 1;
    for (int order = 1; order < SUMMAND_JUDGE_ORDERS; order++)
        for (int i = 0; i < trial->parts_count; i += step)
            if (order != SUMMAND_JUDGE_DEALT || trial->parts[i] > 1)
                cases[count++] = (struct summand_judge_case){trial->parts[i],
                                                             (enum summand_judge_order)order, 0};
    cases[count++] = cases[0];
    cases[count++] = cases[trial->parts_count - 1];
    return count;
}

/* Terms that are dealt to more parts have another order. */
static unsigned fault_between(const struct summand_judge_case *a,
                              const struct summand_judge_case *b)
{
    return a->parts == b->parts && a->order == b->order              ? SUMMAND_JUDGE_REPETITION
           : a->order == b->order && a->order != SUMMAND_JUDGE_DEALT ? SUMMAND_JUDGE_PARTS
           : a->parts == b->parts                                    ? SUMMAND_JUDGE_ORDER
                                                                     : 0;
}

struct tried {
    const struct summand__judge_trial *trial;
    struct summand_judge_case cases[CASES];
    int count;
    double *results; /* of each case, all columns */
    double *distances, *exact;
};

static void exact_sums(const double *x, size_t rows, size_t columns, double *sums)
{
    for (size_t j = 0; j < columns; j++) {
        summand_exact sum;
        summand_exact_init(&sum);
        for (size_t i = 0; i < rows; i++)
            summand_exact_add(&sum, 1, x + i * columns + j);
        sums[j] = summand_exact_round(&sum);
    }
}

static void note_distances(struct tried *tried, struct summand_judge_verdict *verdict)
{
    const size_t columns = tried->trial->columns, all = (size_t)tried->count * columns;
    for (size_t i = 0; i < all; i++) {
        const double result = tried->results[i], exact = tried->exact[i % columns];
        tried->distances[i] = ulps(result, exact);
        if (summand__judge_same(result, exact))
            continue;
        verdict->faults |= SUMMAND_JUDGE_ROUNDING;
        if (!isfinite(result) || !isfinite(exact))
            verdict->faults |= SUMMAND_JUDGE_SPECIAL;
    }
    summand__judge_sort(tried->distances, all);
    verdict->ulps_median = (tried->distances[(all - 1) / 2] + tried->distances[all / 2]) / 2;
    verdict->ulps_worst = tried->distances[all - 1];
}

/* The column in which two cases differ, or `columns`. */
static size_t differs_in(const struct tried *tried, int a, int b)
{
    const size_t columns = tried->trial->columns;
    size_t j = 0;
    while (j < columns && summand__judge_same(tried->results[(size_t)a * columns + j],
                                              tried->results[(size_t)b * columns + j]))
        j++;
    return j;
}

/* Notes the faults between cases, and the first pair that shows each. */
static void note_differences(const struct tried *tried, struct summand_judge_verdict *verdict,
                             struct summand_judge_case pairs[SUMMAND_JUDGE_WITNESSES][2])
{
    for (int b = 0; b < tried->count; b++) {
        bool another = true;
        for (int a = 0; a < b; a++) {
            const size_t column = differs_in(tried, a, b), columns = tried->trial->columns;
            const bool differ = column < columns;
            const unsigned fault = fault_between(&tried->cases[a], &tried->cases[b]);
            another = another && differ;
            for (int k = 0; k < SUMMAND_JUDGE_WITNESSES; k++)
                if (differ && fault == 1u << k && !(verdict->faults & fault)) {
                    pairs[k][0] = tried->cases[a];
                    pairs[k][1] = tried->cases[b];
                    pairs[k][0].result = tried->results[(size_t)a * columns + column];
                    pairs[k][1].result = tried->results[(size_t)b * columns + column];
                }
            verdict->faults |= differ ? fault : 0;
        }
        verdict->results += another;
    }
}

/* A witness for each fault that has none yet. */
static enum summand__judge_end find_witnesses(
    const struct tried *tried, const double *x, const struct summand_judge_verdict *verdict,
    struct summand_judge_case pairs[SUMMAND_JUDGE_WITNESSES][2], summand_judge_report *report)
{
    const struct summand__judge_trial *trial = tried->trial;
    const size_t bytes = trial->rows * trial->columns * sizeof *x;
    for (int k = 0; k < SUMMAND_JUDGE_WITNESSES; k++) {
        struct summand_judge_witness *witness = &report->witness[k];
        if (!(verdict->faults & 1u << k) || witness->terms)
            continue;
        witness->x = malloc(bytes);
        if (!witness->x)
            return SUMMAND__JUDGE_MEMORY;
        memcpy(witness->x, x, bytes);
        memcpy(witness->pair, pairs[k], sizeof witness->pair);
        witness->terms = trial->rows;
        witness->data = verdict->data;
        const enum summand__judge_end end = summand__judge_shrink(trial, witness);
        if (end != SUMMAND__JUDGE_DONE)
            return end;
    }
    return SUMMAND__JUDGE_DONE;
}

/* The terms, and their exact sums. Subnormal ones are made in the default environment alone. */
static void make_data(struct tried *tried, const struct summand__judge_data *data, double *x)
{
    const struct summand__fpenv_plain callers = summand__fpenv_enter();
    const size_t rows = tried->trial->rows, columns = tried->trial->columns;
    for (size_t j = 0; j < columns; j++) {
        data->fill(tried->distances, rows, SEED + j);
        for (size_t i = 0; i < rows; i++)
            x[i * columns + j] = tried->distances[i];
    }
    exact_sums(x, rows, columns, tried->exact);
    summand__fpenv_leave(callers);
}

static enum summand__judge_end judge_data(struct tried *tried,
                                          const struct summand__judge_data *data, double *x,
                                          summand_judge_report *report)
{
    struct summand_judge_verdict *verdict = &report->verdict[report->verdicts];
    struct summand_judge_case pairs[SUMMAND_JUDGE_WITNESSES][2];
    const struct summand__judge_trial *trial = tried->trial;
    const size_t columns = trial->columns;
    *verdict = (struct summand_judge_verdict){
        .data = data->name, .what = data->what, .terms = trial->rows};
    make_data(tried, data, x);
    verdict->exact = tried->exact[0];
    for (int i = 0; i < tried->count; i++) {
        const enum summand__judge_end end = summand__judge_run(
            trial, x, trial->rows, &tried->cases[i], tried->results + (size_t)i * columns);
        if (end == SUMMAND__JUDGE_FAILED && (i || report->verdicts)) {
            verdict->faults = SUMMAND_JUDGE_FAILED;
            verdict->cases = i + 1;
            verdict->ulps_median = verdict->ulps_worst = NAN;
            return SUMMAND__JUDGE_DONE;
        }
        if (end != SUMMAND__JUDGE_DONE)
            return end;
    }
    verdict->cases = tried->count;
    const struct summand__fpenv_plain callers = summand__fpenv_enter();
    note_distances(tried, verdict);
    summand__fpenv_leave(callers);
    note_differences(tried, verdict, pairs);
    return find_witnesses(tried, x, verdict, pairs, report);
}

static enum summand__judge_end judge_all(struct tried *tried, summand_judge_report *report,
                                         double *x)
{
    const struct summand__judge_trial *trial = tried->trial;
    int all = 0;
    while (summand__judge_data[all].name)
        all++;
    report->verdict = calloc((size_t)all, sizeof *report->verdict);
    if (!report->verdict)
        return SUMMAND__JUDGE_MEMORY;
    for (int i = 0; i < all; i++) {
        if (trial->left_out >> i & 1)
            continue;
        const enum summand__judge_end end = judge_data(tried, &summand__judge_data[i], x, report);
        if (end != SUMMAND__JUDGE_DONE)
            return end;
        report->faults |= report->verdict[report->verdicts++].faults;
    }
    return SUMMAND__JUDGE_DONE;
}

enum summand__judge_end summand__judge_try(const struct summand__judge_trial *trial,
                                           summand_judge_report **report)
{
    const size_t most = trial->rows > CASES * trial->columns ? trial->rows : CASES * trial->columns;
    struct tried tried = {.trial = trial};
    enum summand__judge_end end = SUMMAND__JUDGE_MEMORY;
    double *x = malloc(trial->rows * trial->columns * sizeof *x);
    tried.count = all_cases(trial, tried.cases);
    tried.results = malloc(CASES * trial->columns * sizeof *tried.results);
    tried.distances = malloc(most * sizeof *tried.distances);
    tried.exact = malloc(trial->columns * sizeof *tried.exact);
    *report = calloc(1, sizeof **report);
    if (x && tried.results && tried.distances && tried.exact && *report) {
        (*report)->ratio = NAN;
        end = judge_all(&tried, *report, x);
    }
    free(x);
    free(tried.results);
    free(tried.distances);
    free(tried.exact);
    if (end == SUMMAND__JUDGE_MEMORY)
        summand_judge_free(report);
    return end;
}

void summand_judge_free(summand_judge_report **report)
{
    for (int k = 0; *report && k < SUMMAND_JUDGE_WITNESSES; k++)
        free((*report)->witness[k].x);
    if (*report)
        free((*report)->verdict);
    free(*report);
    *report = NULL;
}

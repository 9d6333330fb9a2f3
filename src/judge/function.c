/* SPDX-License-Identifier: BSD-3-Clause */
/* The judge of a function, and its words. */
#include <math.h>
#include <stdlib.h>

#include "base/backoff.h"
#include "judge/judge.h"

enum { TERMS = 1000, TIMED = 100000, PAIRS = 9, SHRINKS = 400 };

struct function {
    summand_judge_sum sum;
    void *of;
};

static enum summand__judge_end run(const struct summand__judge_input *input, double *results,
                                   void *of)
{
    const struct function *function = of;
    results[0] = function->sum(input->parts, input->counts, input->x, function->of);
    return SUMMAND__JUDGE_DONE;
}

/* The median of pairs, one after the other, so that what disturbs one disturbs both. */
static double ratio_to_plain(const struct function *function)
{
    double ratios[PAIRS], *x = malloc(TIMED * sizeof *x);
    const size_t count = TIMED;
    volatile double kept = 0;
    if (!x)
        return NAN;
    summand__judge_data[0].fill(x, TIMED, 1);
    for (int pair = 0; pair < PAIRS; pair++) {
        double plain = 0;
        const uint64_t begin = summand__clock();
        kept = function->sum(1, &count, x, function->of);
        const uint64_t middle = summand__clock();
        for (size_t i = 0; i < TIMED; i++)
            plain += x[i];
        kept = plain;
        ratios[pair] = (double)(middle - begin) / (double)(summand__clock() - middle);
    }
    (void)kept;
    free(x);
    summand__judge_sort(ratios, PAIRS);
    return ratios[PAIRS / 2];
}

int summand_judge(summand_judge_sum sum, void *of, size_t terms, summand_judge_report **report)
{
    static const size_t parts[] = {1, 2, 3, 4, 7, 16};
    struct function function = {sum, of};
    const struct summand__judge_trial trial = {.run = run,
                                               .of = &function,
                                               .rows = !terms      ? TERMS
                                                       : terms < 4 ? 4
                                                                   : terms,
                                               .columns = 1,
                                               .parts = parts,
                                               .parts_count = sizeof parts / sizeof *parts,
                                               .shrinks = SHRINKS};
    if (summand__judge_try(&trial, report) != SUMMAND__JUDGE_DONE)
        return -1;
    (*report)->ratio = ratio_to_plain(&function);
    return 0;
}

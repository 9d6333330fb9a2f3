/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/describe.h"

#include <pthread.h>

#include "algorithm/algorithm.h"

static const struct {
    unsigned promise;
    const char *name;
} promises[] = {
    {SUMMAND__RANK_ORDER, "rank order"},
    {SUMMAND__SAME_BITS, "same bits"},
    {SUMMAND__CANONICAL, "canonical"},
    {SUMMAND__PAIR_ORDER, "pair order"},
};

enum { PROMISES = sizeof promises / sizeof *promises };

/* An all-zero row ends each list. */
static struct described {
    summand_algorithm shown;
    const char *collectives[SUMMAND__COLLECTIVES + 1], *promises[PROMISES + 1];
    summand_parameter parameters[SUMMAND__PARAMETERS + 1];
} rows[SUMMAND__MOST_ALGORITHMS];
static int count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void describe(struct described *row, const struct summand__algorithm *algorithm)
{
    int n = 0;
    for (int c = 0; c < SUMMAND__COLLECTIVES; c++)
        if (algorithm->build[c])
            row->collectives[n++] = summand__collective_name((enum summand__collective)c);
    n = 0;
    for (int i = 0; i < PROMISES; i++)
        if (algorithm->promises & promises[i].promise)
            row->promises[n++] = promises[i].name;
    n = 0;
    for (int i = 0; i < SUMMAND__PARAMETERS; i++) {
        const struct summand__limits *limits = &algorithm->limits[i];
        if (limits->most)
            row->parameters[n++] =
                (summand_parameter){summand__parameter_name((enum summand__parameter)i),
                                    limits->least, limits->most, limits->standard};
    }
    row->shown = (summand_algorithm){algorithm->name,  algorithm->description, algorithm->source,
                                     row->collectives, row->promises,          row->parameters};
}

static void describe_all(void)
{
    for (; summand__algorithms[count]; count++)
        describe(&rows[count], summand__algorithms[count]);
}

const summand_algorithm *summand__algorithm_described(int index)
{
    pthread_once(&once, describe_all);
    return index < 0 || index >= count ? NULL : &rows[index].shown;
}

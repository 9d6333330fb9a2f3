/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "lab/sample/sample.h"
#include "play/predict.h"

const struct summand__sample *const summand__samples[] = {&summand__sample_ring,
                                                          &summand__sample_product, NULL};

const struct summand__sample *const summand__sample_moves[] = {&summand__sample_redistribution,
                                                               &summand__sample_transpose, NULL};

const struct summand__sample *summand__sample_named(const char *name)
{
    const struct summand__sample *const *const tables[] = {summand__samples, summand__sample_moves};
    for (int t = 0; t < 2; t++)
        for (int i = 0; tables[t][i]; i++)
            if (!strcmp(tables[t][i]->name, name))
                return tables[t][i];
    return NULL;
}

struct subject {
    const struct summand__sample *sample;
    const struct summand__sample_size *size;
};

static bool build(const void *context, int rank, struct summand__schedule *schedule)
{
    const struct subject *subject = context;
    summand__schedule_init(schedule);
    subject->sample->build(subject->size, rank, schedule);
    return !schedule->failed;
}

bool summand__sample_predict(const struct summand__sample *sample,
                             const struct summand__sample_size *size,
                             struct summand__predict *predict)
{
    struct subject subject = {sample, size};
    predict->ranks = size->ranks;
    predict->element = sizeof(double);
    predict->build = build;
    predict->context = &subject;
    bool good = summand__predict(predict);
    predict->context = NULL;
    return good;
}

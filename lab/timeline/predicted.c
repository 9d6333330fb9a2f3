/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/timeline/predicted.h"

#include <math.h>
#include <stdlib.h>

#include "lab/timeline/timeline.h"
#include "schedule/schedule.h"

static bool computes(const struct summand__span *span)
{
    return span->kind == SUMMAND__SPAN_COMPUTE || span->kind == SUMMAND__SPAN_REDUCE ||
           span->kind == SUMMAND__SPAN_COPY;
}

static bool carries(const struct summand__span *span)
{
    return span->kind == SUMMAND__SPAN_WIRE && span->bytes && span->end > span->begin;
}

/* Puts each rank's computations into `all`, one after the other, and collects the wires. */
static void fill(const struct summand__predict *predict, struct summand__timeline *timeline,
                 struct summand__recorded *all)
{
    for (int r = 0; r < predict->ranks; r++) {
        timeline->of[r] = all;
        for (size_t i = 0; i < predict->span_count; i++) {
            const struct summand__span *span = &predict->spans[i];
            if (span->rank == r && computes(span))
                timeline->of[r][timeline->count[r]++] = (struct summand__recorded){
                    .begin = span->begin, .end = span->end, .action = SUMMAND__COMPUTE};
        }
        all += timeline->count[r];
    }
    for (size_t i = 0; i < predict->span_count; i++) {
        const struct summand__span *span = &predict->spans[i];
        if (carries(span))
            timeline->transfer[timeline->transfers++] = (struct summand__transfer_time){
                span->rank, span->peer, span->begin, span->end, span->bytes};
    }
}

double summand__predicted_overlap(const struct summand__predict *predict)
{
    struct summand__recorded *all = malloc((predict->span_count + 1) * sizeof *all);
    struct summand__timeline timeline = {
        .ranks = predict->ranks,
        .of = calloc((size_t)predict->ranks, sizeof *timeline.of),
        .count = calloc((size_t)predict->ranks, sizeof *timeline.count),
        .transfer = malloc((predict->span_count + 1) * sizeof *timeline.transfer)};
    double overlap = NAN;
    if (all && timeline.of && timeline.count && timeline.transfer) {
        fill(predict, &timeline, all);
        overlap = summand__timeline_sum_of(&timeline).overlap;
    }
    free(all);
    free(timeline.of);
    free(timeline.count);
    free(timeline.transfer);
    return overlap;
}

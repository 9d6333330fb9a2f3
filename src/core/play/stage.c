/* SPDX-License-Identifier: BSD-3-Clause */
#include "play/stage.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void summand__stage_fault(struct summand__stage *stage, const char *format, ...)
{
    va_list list;
    if (stage->failed)
        return;
    va_start(list, format);
    vsnprintf(stage->predict->fault, sizeof stage->predict->fault, format, list);
    va_end(list);
    stage->failed = true;
}

void summand__stage_push(struct summand__stage *stage, double time, enum summand__event_kind kind,
                         uint32_t message)
{
    if (!summand__event_push(&stage->queue, time, kind, message))
        summand__stage_fault(stage, "out of memory");
}

bool summand__stage_charge(struct summand__stage *stage, size_t bytes)
{
    stage->kept += bytes;
    if (stage->predict->most_bytes && stage->kept > stage->predict->most_bytes)
        summand__stage_fault(stage, "needs more than %zu MB of memory for its steps",
                             stage->predict->most_bytes / 1000000);
    return !stage->failed;
}

uint32_t summand__stage_trace(struct summand__stage *stage, struct summand__span span)
{
    struct summand__predict *predict = stage->predict;
    if (predict->span_count == stage->span_capacity) {
        size_t capacity = stage->span_capacity ? 2 * stage->span_capacity : 256;
        struct summand__span *spans = NULL;
        if (summand__stage_charge(stage, (capacity - stage->span_capacity) * sizeof *spans) &&
            capacity < SUMMAND__NO_SPAN)
            spans = realloc(predict->spans, capacity * sizeof *spans);
        if (!spans) {
            summand__stage_fault(stage, "out of memory for the trace");
            return SUMMAND__NO_SPAN;
        }
        predict->spans = spans;
        stage->span_capacity = capacity;
    }
    predict->spans[predict->span_count] = span;
    return (uint32_t)predict->span_count++;
}

void summand__stage_worked(struct summand__stage *stage, int rank, enum summand__span_kind kind,
                           int peer, double begin, size_t bytes)
{
    struct summand__actor *actor = &stage->actors[rank];
    actor->span = summand__stage_trace(stage, (struct summand__span){.kind = kind,
                                                                     .rank = rank,
                                                                     .peer = peer,
                                                                     .begin = begin,
                                                                     .end = actor->clock,
                                                                     .bytes = bytes,
                                                                     .cause = actor->span,
                                                                     .send = SUMMAND__NO_SPAN,
                                                                     .critical = false});
}

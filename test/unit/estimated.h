/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of a collective on 4-byte elements, and their simulated time over all ranks. */
#pragma once

#include "algorithm/call.h"
#include "play/simulate_call.h"
#include "unit/unit.h"

enum { ELEMENT = 4 };

static inline struct summand__call call_for(int collective, int ranks, size_t bytes)
{
    struct summand__call call = {.collective = (enum summand__collective)collective,
                                 .ranks = ranks,
                                 .count = bytes / ELEMENT};
    if (summand__has_blocks(call.collective))
        call.count = (call.count + (size_t)ranks - 1) / (size_t)ranks;
    return call;
}

static inline double played(const struct summand__algorithm *algorithm,
                            const struct summand__call *call, const struct summand__model *model)
{
    struct summand__predict predict = {.element = ELEMENT, .model = model};
    if (!summand__simulate_call(algorithm, call, &predict))
        fail_msg("%s: %s", algorithm->name, predict.fault);
    return predict.time;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/options.h"
#include "sum/sums.h"

static const struct summand__sum_method exact = {.name = "SUMMAND_PROMISE_EXACT", .number = 0};

static const struct summand__sum_method tree = {.name = "SUMMAND_PROMISE_INDEX",
                                                .number = 1,
                                                .tree = true,
                                                .plan = summand__tree_plan,
                                                .serves = summand__tree_plan_serves,
                                                .rebind = summand__tree_plan_rebind,
                                                .made_by = summand__tree_plan_made_by,
                                                .bytes = summand__tree_plan_bytes};

const struct summand__sum_method *summand__sum_method_of(enum summand_promise promise)
{
    if (!summand__promise_name(promise))
        return NULL;
    return promise == SUMMAND_PROMISE_INDEX ? &tree : &exact;
}

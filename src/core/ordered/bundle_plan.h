/* SPDX-License-Identifier: BSD-3-Clause */
/* The common part of plans whose operands are bundles of the index tree. */
#pragma once

#include "ordered/forest.h"
#include "ordered/layout.h"
#include "plan/plan.h"

/* The first member of the work of such a plan. */
struct summand__bundle_work {
    struct summand__bundle bundle;
    struct summand__layout layout;
    void *mine, *total; /* total: NULL on ranks without a result */
};

/* Allocates operands of the bundle; false when out of memory. */
bool summand__bundle_work_open(struct summand__bundle_work *work, bool receives);
void summand__bundle_work_close(struct summand__bundle_work *work);

/* Collective, after summand__layout_make with this code and layout. parts->work is the plan's, or
 * NULL after an error of this rank; it is dropped if no plan is made. Returns an MPI error code. */
int summand__bundle_plan_make(struct summand__state *state, int code,
                              const struct summand__layout *layout,
                              struct summand__plan_parts *parts, summand_plan **plan);

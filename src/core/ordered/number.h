/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of index trees over doubles and floats, combined by the kernels' rule. */
#pragma once

#include <stdbool.h>

#include "kernel/tree.h"
#include "schedule/operator.h"

/* The operator over single values of one kind. `guarded`: each reduction sets the default
 * floating-point environment; else the caller has done so. */
struct summand__operator summand__number_operator(enum summand__tree_kind kind, bool single,
                                                  bool guarded);

/* The operator that adds pairs of numbers, for instance complex ones. The caller has set the
 * default floating-point environment. */
struct summand__operator summand__pair_operator(bool single);

/* Stores a result with the canonical NaN for any NaN. */
void summand__number_store(const void *value, bool single, void *result);

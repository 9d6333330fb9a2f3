/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions that the methods on the index tree share. */
#pragma once

#include "kernel/tree.h"
#include "ordered/layout.h"
#include "sum/sums.h"

enum summand__tree_kind summand__tree_kind_of(enum summand_kind kind);

/* Stores the result from the root of the tree: for norms its square root; canonical NaNs. Without a
 * root (no elements): +0.0. The imaginary part of a complex result follows the real one. */
void summand__store_root(const void *root, enum summand_kind kind, bool single, bool complex,
                         void *result);

/* Copies the call's terms, and makes the parts of the arrays that they cover; false when out of
 * memory. The caller frees both in any case. */
bool summand__keep_terms(const struct summand__sums_call *call, summand_term **terms,
                         struct summand__part **parts);

/* Collective: the ranks agree on the call, and on their ranges (`parts`, of _keep_terms). One
 * rank's `error`, or lack of memory (`parts` NULL), is an error of all. Otherwise like
 * summand__layout_make. */
int summand__sums_layout(struct summand__state *state, const struct summand__sums_call *call,
                         int error, int tag, struct summand__part *parts, bool keep,
                         struct summand__layout *layout);

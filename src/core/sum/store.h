/* SPDX-License-Identifier: BSD-3-Clause */
/* What the methods on the index tree share. */
#ifndef SUMMAND_SUM_STORE_H
#define SUMMAND_SUM_STORE_H

#include "kernel/tree.h"
#include "ordered/layout.h"
#include "sum/sums.h"

enum summand__tree_kind summand__tree_kind_of(enum summand_kind kind);

/* Stores the result from the root of the tree: its square root for norms, NaN canonical. No root
 * (no elements): +0.0. The imaginary part of a complex one lies behind the real one. */
void summand__store_root(const void *root, enum summand_kind kind, bool single, bool complex,
                         void *result);

/* Copies of the call's terms, and the parts of the arrays that they are; false when out of memory.
 * The caller frees both either way. */
bool summand__keep_terms(const struct summand__sums_call *call, summand_term **terms,
                         struct summand__part **parts);

/* Collective: the ranks agree on the call, and on which ranges they hold (`parts`, of _keep_terms);
 * `error` and a lack of memory (`parts` NULL) of one rank are errors of all. As
 * summand__layout_make.
 */
int summand__sums_layout(struct summand__state *state, const struct summand__sums_call *call,
                         int error, int tag, struct summand__part *parts, bool keep,
                         struct summand__layout *layout);

#endif

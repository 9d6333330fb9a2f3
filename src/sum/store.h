/* What the methods on the index tree share. */
#ifndef SUMMAND_SUM_STORE_H
#define SUMMAND_SUM_STORE_H

#include <stdbool.h>
#include <summand/sum.h>

#include "kernel/tree.h"

enum summand__tree_kind summand__tree_kind_of(enum summand_kind kind);

/* Stores the result from the root of the tree: its square root for norms, NaN canonical. No root
 * (no elements): +0.0. */
void summand__store_root(const void *root, enum summand_kind kind, bool single, void *result);

#endif

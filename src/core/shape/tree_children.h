/* SPDX-License-Identifier: BSD-3-Clause */
/* The building blocks of trees: the shapes' children of a node on one level, and the trees of both
 * levels. */
#pragma once

#include "shape/tree.h"

/* Like summand__tree_child, but ignores the tree's second level. */
bool summand__shape_child(const struct summand__tree *tree, const struct summand__subtree *node,
                          int index, struct summand__subtree *child);

/* The tree of machines, one rank each, and the tree inside the machine that `leader` leads. */
struct summand__tree summand__tree_between(const struct summand__tree *tree);
struct summand__tree summand__tree_inside(const struct summand__tree *tree, int leader);

/* The machine of a rank; the rank that leads a machine below machine `parent` (-1: the root's). */
int summand__tree_machine(const struct summand__tree *tree, int rank);
int summand__tree_leader(const struct summand__tree *tree, int machine, int parent);

/* SPDX-License-Identifier: BSD-3-Clause */
/* What trees are made of: the shapes' children of a node on one level, and the levels' trees. */
#ifndef SUMMAND_SHAPE_TREE_CHILDREN_H
#define SUMMAND_SHAPE_TREE_CHILDREN_H

#include "shape/tree.h"

/* As summand__tree_child; the tree's second level is not looked at. */
bool summand__shape_child(const struct summand__tree *tree, const struct summand__subtree *node,
                          int index, struct summand__subtree *child);

/* The tree of machines, one rank each, and that inside a machine which `leader` leads. */
struct summand__tree summand__tree_between(const struct summand__tree *tree);
struct summand__tree summand__tree_inside(const struct summand__tree *tree, int leader);

/* The machine of a rank; the rank that leads one below machine `parent` (-1: the root's). */
int summand__tree_machine(const struct summand__tree *tree, int rank);
int summand__tree_leader(const struct summand__tree *tree, int machine, int parent);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Rooted trees over ranks in which every subtree is a range of ranks, for any root and rank count,
 * on one level or two.
 *
 * A node combines its children outwards from itself: the nearest subtree above or below what it has
 * already. So operands stay in rank order for any shape and root, and the result needs no extra
 * message. A shape defines how the ranks below a node are cut into subtrees, and which rank of a
 * subtree is its head.
 *
 * In a tree of two levels, one rank of each machine leads it: the nearest to the leader above it.
 * Leaders form a tree of one shape; the other ranks of a machine form one of another shape below
 * their leader. It is one tree, so segments flow through both levels at once. */
#pragma once

#include <stdbool.h>

#include "shape/grouping.h"

/* Ranks [low, high) under `head`. */
struct summand__subtree {
    int low, high, head;
    int group; /* children of one group are received together */
};

struct summand__tree_shape;
struct summand__tree_node;
struct summand__tree {
    const struct summand__tree_shape *shape;
    int radix; /* if the shape has one */
    int ranks, root;
    /* Two levels if `machine` > 1: `shape` and `radix` hold between machines of so many consecutive
     * ranks (the last may have fewer), the following two inside. Both levels need shapes whose
     * children are all of one group; inside, no shape of a double tree. */
    int machine;
    const struct summand__grouping *grouping; /* machines of any sizes, `machine` ranks at most */
    const struct summand__tree_shape *inside;
    int inside_radix;
};

/* From a subtree's head down to the largest subtree below it. */
struct summand__tree_step {
    int operands; /* received together by the head */
    int outside;  /* those from other nodes, if the subtree is larger than a node */
    int below;    /* ranks of the largest child's subtree */
};

/* The form of the ranks below a head. */
enum summand__tree_form {
    SUMMAND__TREE_LEVELS, /* in subtrees, level by level */
    SUMMAND__TREE_ROW,    /* in a chain on each side of the root */
    SUMMAND__TREE_STAR,   /* all are children of the root */
    SUMMAND__TREE_POSTAL, /* in subtrees whose sizes depend on the latency (shape/postal.c) */
    SUMMAND__TREE_FORMS
};

/* Which ranks head the subtrees of one level after another. */
enum summand__tree_heads {
    SUMMAND__HEADS_NEXT, /* the next rank each time: a rank has the children of one level */
    SUMMAND__HEADS_ONE,  /* the same rank each time: it has the children of all levels */
    SUMMAND__HEADS_APART /* ranks in the middle, far apart */
};

/* A shape is defined by `child`. The other members follow from it: shortcuts, or data for estimates
 * (algorithm/tree/estimate_tree.c). */
struct summand__tree_shape {
    /* Like summand__tree_child on one level; `child` is all 0 before. */
    bool (*child)(const struct summand__tree *tree, const struct summand__subtree *node, int index,
                  struct summand__subtree *child);
    /* The child whose subtree has `rank`, which is not the node's head. NULL: children are searched
     * one by one. */
    void (*child_with)(const struct summand__tree *tree, const struct summand__subtree *node,
                       int rank, struct summand__subtree *child);
    /* The position of a rank in closed form. If it is NULL or returns false, summand__tree_find
     * descends from the root. */
    bool (*find)(const struct summand__tree *tree, int rank, struct summand__tree_node *node);
    /* The height on one level in closed form; `grouped`: the height in rounds. If it is NULL or
     * returns -1, summand__tree_height examines subtrees. */
    int (*height)(const struct summand__tree *tree, bool grouped);
    /* The step of a subtree of n > 1 ranks, for estimates. NULL: the form has its own estimate, or
     * the shape has none. */
    struct summand__tree_step (*step)(int radix, int n);
    enum summand__tree_form form;
    enum summand__tree_heads heads;
    bool halves;    /* subtrees are halves of halves */
    bool in_turn;   /* a rank has two subtrees of different sizes; `step` leads to the larger */
    bool two_sided; /* an all-reduce is faster if it meets in the middle rank */
    int position;   /* position of the first rank in one of two trees over the same ranks; else 0 */
};

/* All ranks are children of the root; `radix` of them arrive together. */
extern const struct summand__tree_shape summand__linear_shape;
/* A chain on each side of the root. */
extern const struct summand__tree_shape summand__chain_shape;
/* Halves within halves (shape/halving.h), and the same with `radix` nearly equal parts. */
extern const struct summand__tree_shape summand__binomial_shape, summand__knomial_shape;
/* `radix` nearly equal subtrees, heads at the near end (post-order). */
extern const struct summand__tree_shape summand__kary_shape;
/* Two subtrees, heads in the middle. */
extern const struct summand__tree_shape summand__in_order_shape;
/* Two subtrees; the later one is as large as one more round allows. */
extern const struct summand__tree_shape summand__fibonacci_shape;
/* As many subtrees as arrive in time, if a message takes `radix` times as long to arrive as to be
 * received. */
extern const struct summand__tree_shape summand__postal_shape;
/* In-order binary trees; the leaves of one are inner nodes of the other, except for the root. */
extern const struct summand__tree_shape summand__first_tree_shape, summand__second_tree_shape;

/* The whole tree. */
struct summand__subtree summand__tree_all(const struct summand__tree *tree);

/* Child number `index` of a node, in the order in which they are combined; false if there is none.
 * Cost: O(1), O(log n) for nomial and postal shapes; for two levels times the number of children.
 */
bool summand__tree_child(const struct summand__tree *tree, const struct summand__subtree *node,
                         int index, struct summand__subtree *child);

/* The position of a rank. Cost: the path down from the root, O(log n) nodes; O(1) for chains. */
struct summand__tree_node {
    struct summand__subtree subtree;
    int parent; /* or -1 */
    int depth;  /* edges up to the root */
};
struct summand__tree_node summand__tree_find(const struct summand__tree *tree, int rank);

/* Edges from the root down to the deepest rank. Cost: O(log n) different subtrees. Exception: O(n)
 * for a smaller last machine whose leader is among the deepest. */
int summand__tree_height(const struct summand__tree *tree);

/* True if all other ranks are the root's children. Cost: one child, or all if most ranks have no
 * children. */
bool summand__tree_is_star(const struct summand__tree *tree);

/* Rounds of a reduction that receives one group after another: messages on the longest chain. */
int summand__tree_rounds(const struct summand__tree *tree);

/* Nodes of the Fibonacci tree that completes after `rounds`: 0, 1, 2, 4, 7, 12 for -1, 0, 1, ... */
long long summand__fibonacci_size(int rounds);

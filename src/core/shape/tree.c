/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/tree.h"

#include "shape/tree_children.h"

struct summand__subtree summand__tree_all(const struct summand__tree *tree)
{
    return (struct summand__subtree){0, tree->ranks, tree->root, 0};
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static bool two_levels(const struct summand__tree *tree)
{
    return tree->machine > 1;
}

int summand__tree_machine(const struct summand__tree *tree, int rank)
{
    return tree->grouping ? summand__group_at(tree->grouping, rank) : rank / tree->machine;
}

struct summand__tree summand__tree_between(const struct summand__tree *tree)
{
    return (struct summand__tree){.shape = tree->shape,
                                  .radix = tree->radix,
                                  .ranks = summand__tree_machine(tree, tree->ranks - 1) + 1,
                                  .root = summand__tree_machine(tree, tree->root)};
}

/* The range of ranks of a machine. */
static struct summand__subtree machine_of(const struct summand__tree *tree, int machine)
{
    if (tree->grouping) {
        int first = summand__group_first(tree->grouping, machine);
        return (struct summand__subtree){
            first, first + summand__group_size(tree->grouping, machine), first, 0};
    }
    int low = machine * tree->machine;
    return (struct summand__subtree){low, least(tree->ranks - low, tree->machine) + low, low, 0};
}

struct summand__tree summand__tree_inside(const struct summand__tree *tree, int leader)
{
    struct summand__subtree machine = machine_of(tree, summand__tree_machine(tree, leader));
    return (struct summand__tree){.shape = tree->inside,
                                  .radix = tree->inside_radix,
                                  .ranks = machine.high - machine.low,
                                  .root = leader - machine.low};
}

int summand__tree_leader(const struct summand__tree *tree, int machine, int parent)
{
    struct summand__subtree ranks = machine_of(tree, machine);
    if (parent < 0)
        return tree->root;
    return machine > parent ? ranks.low : ranks.high - 1;
}

/* True if the head's subtree is at least its whole machine. */
static bool leads(const struct summand__tree *tree, const struct summand__subtree *node)
{
    struct summand__subtree machine = machine_of(tree, summand__tree_machine(tree, node->head));
    return node->low <= machine.low && node->high >= machine.high;
}

static bool child_between(const struct summand__tree *tree, const struct summand__subtree *node,
                          int index, struct summand__subtree *child)
{
    struct summand__tree between = summand__tree_between(tree);
    struct summand__subtree machines = {summand__tree_machine(tree, node->low),
                                        summand__tree_machine(tree, node->high - 1) + 1,
                                        summand__tree_machine(tree, node->head), 0};
    if (!summand__shape_child(&between, &machines, index, child))
        return false;
    child->head = summand__tree_leader(tree, child->head, machines.head);
    child->low = machine_of(tree, child->low).low;
    child->high = machine_of(tree, child->high - 1).high;
    return true;
}

static bool child_inside(const struct summand__tree *tree, const struct summand__subtree *node,
                         int index, struct summand__subtree *child)
{
    struct summand__tree inside = summand__tree_inside(tree, node->head);
    struct summand__subtree ranks = *node, machine;
    machine = machine_of(tree, summand__tree_machine(tree, node->head));
    if (leads(tree, node))
        ranks = (struct summand__subtree){machine.low, machine.high, node->head, 0};
    return summand__shape_child(&inside, &ranks, index, child);
}

/* The head's own machine comes first, because it is nearest. */
bool summand__tree_child(const struct summand__tree *tree, const struct summand__subtree *node,
                         int index, struct summand__subtree *child)
{
    int inside = 0;
    if (!two_levels(tree))
        return summand__shape_child(tree, node, index, child);
    if (child_inside(tree, node, index, child))
        return true;
    while (inside < index && child_inside(tree, node, inside, child))
        inside++;
    return leads(tree, node) && child_between(tree, node, index - inside, child);
}

bool summand__tree_is_star(const struct summand__tree *tree)
{
    struct summand__subtree all = summand__tree_all(tree), child;
    if (tree->shape->form == SUMMAND__TREE_STAR && !two_levels(tree))
        return tree->ranks > 1;
    for (int i = 0; summand__tree_child(tree, &all, i, &child); i++)
        if (child.high - child.low > 1)
            return false;
    return tree->ranks > 1;
}

static void child_with(const struct summand__tree *tree, const struct summand__subtree *node,
                       int rank, struct summand__subtree *child)
{
    int index = 0;
    if (tree->shape->child_with) {
        tree->shape->child_with(tree, node, rank, child);
        return;
    }
    while (summand__shape_child(tree, node, index, child) &&
           (rank < child->low || rank >= child->high))
        index++;
}

static struct summand__tree_node find_in_one(const struct summand__tree *tree, int rank)
{
    struct summand__tree_node node = {summand__tree_all(tree), -1, 0};
    if (rank != tree->root && tree->shape->find && tree->shape->find(tree, rank, &node))
        return node;
    while (node.subtree.head != rank) {
        struct summand__subtree child;
        child_with(tree, &node.subtree, rank, &child);
        node = (struct summand__tree_node){child, node.subtree.head, node.depth + 1};
    }
    return node;
}

static struct summand__tree_node find_in_two(const struct summand__tree *tree, int rank)
{
    struct summand__tree between = summand__tree_between(tree);
    int machine = summand__tree_machine(tree, rank), above = -1;
    struct summand__tree_node node = find_in_one(&between, machine);
    if (node.parent >= 0)
        above = summand__tree_leader(tree, node.parent, find_in_one(&between, node.parent).parent);
    int leader = summand__tree_leader(tree, machine, node.parent);
    if (rank == leader) {
        struct summand__subtree ranks = {machine_of(tree, node.subtree.low).low,
                                         machine_of(tree, node.subtree.high - 1).high, leader, 0};
        return (struct summand__tree_node){ranks, above, node.depth};
    }
    struct summand__tree inside = summand__tree_inside(tree, leader);
    int first = machine_of(tree, machine).low;
    struct summand__tree_node own = find_in_one(&inside, rank - first);
    struct summand__subtree ranks = {own.subtree.low + first, own.subtree.high + first, rank, 0};
    return (struct summand__tree_node){ranks, own.parent + first, own.depth + node.depth};
}

struct summand__tree_node summand__tree_find(const struct summand__tree *tree, int rank)
{
    return two_levels(tree) ? find_in_two(tree, rank) : find_in_one(tree, rank);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The height of trees. A subtree looks the same at any position, so each kind is examined once;
 * nearly equal parts of nearly equal parts have few sizes. Double trees depend on their position;
 * they have a closed form (`height` of the shape). */
#include <string.h>

#include "shape/tree.h"
#include "shape/tree_children.h"

enum { REMEMBERED = 1024, TRIED = 8 };

struct memory {
    unsigned places; /* a power of two; small trees clear few */
    struct {
        int size, offset, length; /* of subtrees with the head at `offset`; size 0: free */
    } kind[REMEMBERED];
};

static void forget(struct memory *memory, int ranks)
{
    for (memory->places = TRIED; memory->places < REMEMBERED && (int)memory->places < ranks;)
        memory->places *= 2;
    memset(memory->kind, 0, memory->places * sizeof *memory->kind);
}

/* The place of the kind, or a free place for it, or -1 if all that are tried are taken. */
static int place_of(const struct memory *memory, int size, int offset)
{
    unsigned start = (unsigned)size * 2654435761u ^ (unsigned)offset * 2246822519u;
    for (unsigned i = 0; i < TRIED; i++) {
        int place = (int)((start + i) & (memory->places - 1));
        if (!memory->kind[place].size ||
            (memory->kind[place].size == size && memory->kind[place].offset == offset))
            return place;
    }
    return -1;
}

/* Messages on the longest chain up to the node. A group's messages arrive at once if `grouped`. */
static int longest(const struct summand__tree *tree, const struct summand__subtree *node,
                   bool grouped, struct memory *memory)
{
    struct summand__subtree child;
    int now = 0, next = 0, group = 0, size = node->high - node->low;
    if (size == 1)
        return 0;
    int offset = node->head - node->low, place = place_of(memory, size, offset);
    if (place >= 0 && memory->kind[place].size)
        return memory->kind[place].length;
    for (int i = 0; summand__shape_child(tree, node, i, &child); i++) {
        if (grouped && child.group != group)
            now = next;
        group = child.group;
        int arrival = longest(tree, &child, grouped, memory);
        arrival = 1 + (arrival > now ? arrival : now);
        if (arrival > next)
            next = arrival;
    }
    place = place_of(memory, size, offset);
    if (place >= 0) {
        memory->kind[place].size = size;
        memory->kind[place].offset = offset;
        memory->kind[place].length = next;
    }
    return next;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static int length_of_one(const struct summand__tree *tree, bool grouped)
{
    struct summand__subtree all = summand__tree_all(tree);
    struct memory memory;
    int height = tree->shape->height ? tree->shape->height(tree, grouped) : -1;
    if (height >= 0)
        return height;
    forget(&memory, tree->ranks);
    return longest(tree, &all, grouped, &memory);
}

/* The depth of the deepest machine except the last and the root's, 0 if there is none. The search
 * ends at `most`. */
static int deepest_before_last(const struct summand__tree *between, int most)
{
    int deepest = 0;
    for (int machine = between->ranks - 2; machine >= 0 && deepest < most; machine--)
        deepest = larger(deepest, summand__tree_find(between, machine).depth);
    return deepest;
}

static int height_inside(const struct summand__tree *tree, int leader)
{
    struct summand__tree inside = summand__tree_inside(tree, leader);
    return length_of_one(&inside, false);
}

/* Machines of different sizes, one by one. */
static int length_of_any(const struct summand__tree *tree)
{
    struct summand__tree between = summand__tree_between(tree);
    int height = 0;
    for (int machine = 0; machine < between.ranks; machine++) {
        struct summand__tree_node node = summand__tree_find(&between, machine);
        int leader = summand__tree_leader(tree, machine, node.parent);
        height = larger(height, node.depth + height_inside(tree, leader));
    }
    return height;
}

/* Machines of full size are equally high; the root's and the last one are examined too. */
static int length_of_two(const struct summand__tree *tree)
{
    if (tree->grouping)
        return length_of_any(tree);
    struct summand__tree between = summand__tree_between(tree);
    int most = length_of_one(&between, false), last = between.ranks - 1, full = most;
    int height = height_inside(tree, tree->root);
    if (tree->ranks % tree->machine && last != between.root) {
        full = deepest_before_last(&between, most);
        height = larger(height, summand__tree_find(&between, last).depth +
                                    height_inside(tree, last * tree->machine));
    }
    int any = between.root ? 0 : tree->machine;
    return full ? larger(height, full + height_inside(tree, any)) : height;
}

int summand__tree_height(const struct summand__tree *tree)
{
    return tree->machine > 1 ? length_of_two(tree) : length_of_one(tree, false);
}

int summand__tree_rounds(const struct summand__tree *tree)
{
    return tree->machine > 1 ? length_of_two(tree) : length_of_one(tree, true);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/tree_children.h"

#include <stddef.h>

#include "shape/halving.h"

static int above(const struct summand__subtree *node)
{
    return node->high - 1 - node->head;
}

static int below(const struct summand__subtree *node)
{
    return node->head - node->low;
}

/* The begin of part `index` if n is cut into nearly equal parts. */
static int cut(int n, int index, int parts)
{
    return (int)((long long)n * index / parts);
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Part `index` of `parts` of the ranks above the node, nearest first; `parts` <= their number. */
static struct summand__subtree part_above(const struct summand__subtree *node, int index, int parts)
{
    int n = above(node), low = node->head + 1;
    int first = low + cut(n, index, parts);
    return (struct summand__subtree){first, low + cut(n, index + 1, parts), first, 0};
}

static struct summand__subtree part_below(const struct summand__subtree *node, int index, int parts)
{
    int n = below(node), high = node->head;
    int last = high - cut(n, index, parts);
    return (struct summand__subtree){high - cut(n, index + 1, parts), last, last - 1, 0};
}

/* `up` parts above, then `down` parts below. */
static bool part_of(const struct summand__subtree *node, int index, int up, int down,
                    struct summand__subtree *child)
{
    if (index >= up + down)
        return false;
    *child = index < up ? part_above(node, index, up) : part_below(node, index - up, down);
    return true;
}

static bool linear_child(const struct summand__tree *tree, const struct summand__subtree *node,
                         int index, struct summand__subtree *child)
{
    bool good = part_of(node, index, above(node), below(node), child);
    child->group = index / tree->radix;
    return good;
}

static bool chain_child(const struct summand__tree *tree, const struct summand__subtree *node,
                        int index, struct summand__subtree *child)
{
    (void)tree;
    return part_of(node, index, above(node) > 0, below(node) > 0, child);
}

static bool kary_child(const struct summand__tree *tree, const struct summand__subtree *node,
                       int index, struct summand__subtree *child)
{
    int a = above(node), b = below(node), k = tree->radix;
    if (k == 1)
        return chain_child(tree, node, index, child);
    if (!a || !b)
        return part_of(node, index, least(a, k), least(b, k), child);
    int up = (int)(((long long)k * a + (a + b) / 2) / (a + b));
    up = up < 1 ? 1 : up >= k ? k - 1 : up;
    return part_of(node, index, least(a, up), least(b, k - up), child);
}

static bool in_order_child(const struct summand__tree *tree, const struct summand__subtree *node,
                           int index, struct summand__subtree *child)
{
    bool good = chain_child(tree, node, index, child);
    if (good)
        child->head = child->low + (child->high - child->low) / 2;
    return good;
}

/* Halves as in shape/halving.h; they depend on the range's size only. */
static bool binomial_child(const struct summand__tree *tree, const struct summand__subtree *node,
                           int index, struct summand__subtree *child)
{
    struct summand__split path[SUMMAND__HALVING_MOST];
    int length = 0;
    (void)tree;
    for (int low = node->low, high = node->high; high - low > 1;) {
        int middle = high - (high - low) / 2;
        path[length++] = (struct summand__split){low, middle, high};
        *(node->head < middle ? &high : &low) = middle;
    }
    if (index >= length)
        return false;
    struct summand__split split = path[length - 1 - index];
    bool higher = node->head < split.middle;
    int low = higher ? split.middle : split.low, high = higher ? split.high : split.middle;
    *child = (struct summand__subtree){low, high, low, index};
    return true;
}

/* The one of `parts` parts of [low, high) that contains `rank`. */
static int part_with(int low, int high, int parts, int rank)
{
    int j = (int)((long long)(rank - low) * parts / (high - low));
    while (low + cut(high - low, j + 1, parts) <= rank)
        j++;
    return j;
}

/* The levels go from the node's whole range inwards; children are counted from the innermost level
 * outwards. */
static bool knomial_child(const struct summand__tree *tree, const struct summand__subtree *node,
                          int index, struct summand__subtree *child)
{
    struct {
        int low, high, part, parts;
    } level[SUMMAND__HALVING_MOST];
    int levels = 0, low = node->low, high = node->high;
    while (high - low > 1) {
        int n = high - low, parts = least(tree->radix, n);
        int part = part_with(low, high, parts, node->head);
        level[levels].low = low, level[levels].high = high;
        level[levels].part = part, level[levels++].parts = parts;
        high = low + cut(n, part + 1, parts);
        low = low + cut(n, part, parts);
    }
    for (int i = levels - 1; i >= 0; index -= level[i--].parts - 1) {
        if (index >= level[i].parts - 1)
            continue;
        int up = level[i].parts - 1 - level[i].part, n = level[i].high - level[i].low;
        int part = level[i].part + (index < up ? 1 + index : up - 1 - index);
        *child = (struct summand__subtree){.low = level[i].low + cut(n, part, level[i].parts),
                                           .high = level[i].low + cut(n, part + 1, level[i].parts),
                                           .group = levels - 1 - i};
        child->head = index < up ? child->low : child->high - 1;
        return true;
    }
    return false;
}

long long summand__fibonacci_size(int rounds)
{
    long long before = 0, size = 1; /* after -1 and 0 rounds */
    if (rounds < 0)
        return 0;
    for (int i = 0; i < rounds; i++) {
        long long next = 1 + size + before;
        before = size;
        size = next;
    }
    return size;
}

/* The size of the near subtree, which is received first, among n ranks on one side. */
static int fibonacci_near(int n)
{
    int rounds = 0;
    while (summand__fibonacci_size(rounds) < n + 1)
        rounds++;
    long long far = summand__fibonacci_size(rounds - 1), near = summand__fibonacci_size(rounds - 2);
    long long fair = n * near / (far + near);
    return (int)(fair > n - far ? fair : n - far);
}

static bool fibonacci_child(const struct summand__tree *tree, const struct summand__subtree *node,
                            int index, struct summand__subtree *child)
{
    int a = above(node), b = below(node);
    bool good;
    (void)tree;
    if (a && b) {
        good = index < 2;
        *child = (index == 0) == (a <= b) ? part_above(node, 0, 1) : part_below(node, 0, 1);
    } else {
        int n = a + b, near = n ? fibonacci_near(n) : 0;
        good = index < (n > 0) + (near > 0);
        int first = index == 0 && near ? 0 : near, last = index == 0 && near ? near : n;
        if (a)
            *child = (struct summand__subtree){node->head + 1 + first, node->head + 1 + last,
                                               node->head + 1 + first, 0};
        else
            *child = (struct summand__subtree){node->head - last, node->head - first,
                                               node->head - first - 1, 0};
    }
    child->group = index;
    return good;
}

/* In-order binary tree over positions 1..n: odd positions are leaves. Position x with h trailing
 * zeros has its children at x -+ 2^(h-1), or nearer if n requires it. The head of the subtree of
 * positions [low, high) is the one with most trailing zeros. */
static int double_head(int low, int high)
{
    int step = 1;
    while ((low + 2 * step - 1) / (2 * step) * (2 * step) < high)
        step *= 2;
    return (low + step - 1) / step * step;
}

/* Each side of the root has its own positions. In the second tree the positions are one higher, so
 * leaves and inner nodes change places; the missing first position would be a leaf. */
static bool double_child(const struct summand__tree *tree, const struct summand__subtree *node,
                         int index, struct summand__subtree *child)
{
    if (!chain_child(tree, node, index, child))
        return false;
    int first = child->low > tree->root ? tree->root + 1 : 0;
    int shift = tree->shape->position - first;
    child->head = double_head(child->low + shift, child->high + shift) - shift;
    return true;
}

/* A rank leads all ranks farther out on its side. */
static bool chain_find(const struct summand__tree *tree, int rank, struct summand__tree_node *node)
{
    bool up = rank > tree->root;
    node->subtree = (struct summand__subtree){up ? rank : 0, up ? tree->ranks : rank + 1, rank, 0};
    node->parent = up ? rank - 1 : rank + 1;
    node->depth = up ? rank - tree->root : tree->root - rank;
    return true;
}

static bool kary_find(const struct summand__tree *tree, int rank, struct summand__tree_node *node)
{
    return tree->radix == 1 && chain_find(tree, rank, node);
}

static bool linear_find(const struct summand__tree *tree, int rank, struct summand__tree_node *node)
{
    *node = (struct summand__tree_node){{rank, rank + 1, rank, 0}, tree->root, 1};
    return true;
}

static int most(int a, int b)
{
    return a > b ? a : b;
}

static int chain_height(const struct summand__tree *tree, bool grouped)
{
    (void)grouped;
    return most(tree->ranks - 1 - tree->root, tree->root);
}

static int kary_height(const struct summand__tree *tree, bool grouped)
{
    return tree->radix == 1 ? chain_height(tree, grouped) : -1;
}

static int linear_height(const struct summand__tree *tree, bool grouped)
{
    return grouped ? -1 : tree->ranks > 1;
}

/* Each side of the root has the highest power of two as its head. The missing position of the
 * second tree matters only on a side of one rank, which it shortens. */
static int double_side(int ranks, bool second)
{
    int height = 0;
    for (int n = ranks + second; n > 0; n /= 2)
        height++;
    return second && ranks < 2 ? ranks : height;
}

static int double_height(const struct summand__tree *tree, bool grouped)
{
    bool second = tree->shape->position > 1;
    (void)grouped;
    return most(double_side(tree->ranks - 1 - tree->root, second), double_side(tree->root, second));
}

/* Steps, for estimates. */
static struct summand__tree_step binomial_step(int radix, int n)
{
    (void)radix;
    return (struct summand__tree_step){1, 1, n - n / 2};
}

static struct summand__tree_step knomial_step(int radix, int n)
{
    int parts = radix < n ? radix : n;
    return (struct summand__tree_step){parts - 1, parts - 1, (n - 1) / parts + 1};
}

static struct summand__tree_step kary_step(int radix, int n)
{
    int parts = radix < n - 1 ? radix : n - 1;
    return (struct summand__tree_step){parts, parts > 1 ? parts - 1 : 1, (n - 2) / parts + 1};
}

static struct summand__tree_step in_order_step(int radix, int n)
{
    int parts = n > 2 ? 2 : 1;
    (void)radix;
    return (struct summand__tree_step){parts, parts, n / 2};
}

/* The later of two subtrees has the golden section of the ranks. */
static struct summand__tree_step fibonacci_step(int radix, int n)
{
    (void)radix;
    int below = (int)(0.618 * (n - 1) + 0.999);
    return (struct summand__tree_step){1, 1, below ? below : 1};
}

const struct summand__tree_shape summand__linear_shape = {.child = linear_child,
                                                          .find = linear_find,
                                                          .height = linear_height,
                                                          .form = SUMMAND__TREE_STAR};
const struct summand__tree_shape summand__chain_shape = {.child = chain_child,
                                                         .find = chain_find,
                                                         .height = chain_height,
                                                         .form = SUMMAND__TREE_ROW,
                                                         .two_sided = true};
const struct summand__tree_shape summand__binomial_shape = {
    .child = binomial_child, .step = binomial_step, .heads = SUMMAND__HEADS_ONE, .halves = true};
const struct summand__tree_shape summand__knomial_shape = {
    .child = knomial_child, .step = knomial_step, .heads = SUMMAND__HEADS_ONE};
const struct summand__tree_shape summand__kary_shape = {
    .child = kary_child, .find = kary_find, .height = kary_height, .step = kary_step};
const struct summand__tree_shape summand__in_order_shape = {.child = in_order_child,
                                                            .step = in_order_step,
                                                            .heads = SUMMAND__HEADS_APART,
                                                            .two_sided = true};
const struct summand__tree_shape summand__fibonacci_shape = {
    .child = fibonacci_child, .step = fibonacci_step, .in_turn = true};
const struct summand__tree_shape summand__first_tree_shape = {.child = double_child,
                                                              .height = double_height,
                                                              .step = in_order_step,
                                                              .heads = SUMMAND__HEADS_APART,
                                                              .position = 1};
const struct summand__tree_shape summand__second_tree_shape = {.child = double_child,
                                                               .height = double_height,
                                                               .step = in_order_step,
                                                               .heads = SUMMAND__HEADS_APART,
                                                               .position = 2};

bool summand__shape_child(const struct summand__tree *tree, const struct summand__subtree *node,
                          int index, struct summand__subtree *child)
{
    *child = (struct summand__subtree){0};
    return tree->shape->child(tree, node, index, child);
}

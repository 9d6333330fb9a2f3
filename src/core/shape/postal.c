/* SPDX-License-Identifier: BSD-3-Clause */
/* Trees of the postal model: a rank receives one message per unit of time, and a message arrives
 * lambda units after it was sent. After t units f(t) = f(t - 1) + f(t - lambda) ranks can have been
 * reduced: the last message brings its sender's value of lambda units ago. Source: Bar-Noy, Kipnis,
 * Designing broadcasting algorithms in the postal model for message-passing systems (1992); sizes
 * in between, and rank order, are ours. */
#include <string.h>

#include "shape/tree.h"

/* At lambda up to 64, f(t) exceeds any int number of ranks before that. */
enum { MOST_UNITS = 1024 };

static int fair_part(long long total, long long far, long long near)
{
    long long part = total * far / (far + near);
    if (part < total - near)
        part = total - near;
    return (int)(part < total ? part : total - 1);
}

static int cut_into_parts(int n, int lambda, int parts[MOST_UNITS])
{
    long long f[MOST_UNITS], total = (long long)n + 1;
    int time = 0, count = 0;
    for (f[0] = 1; f[time] < total; time++)
        f[time + 1] = f[time] + (time + 1 < lambda ? 0 : f[time + 1 - lambda]);
    for (; total > 1; time--) {
        int part = fair_part(total, f[time - lambda], f[time - 1]);
        total -= part;
        if (part)
            parts[count++] = part;
    }
    return count;
}

/* Recent cuts are cached, because they are needed again: for each child, and for equal subtrees. */
enum { KEPT = 32, FEW_PARTS = 60 };

static unsigned place_of(int n, int lambda)
{
    return ((unsigned)n * 2654435761u ^ (unsigned)lambda * 2246822519u) >> 16 & (KEPT - 1);
}

/* Cuts n ranks into the subtrees of a head, the last to arrive first, in proportion to f. Returns
 * the number of subtrees. */
static int postal_parts(int n, int lambda, int parts[MOST_UNITS])
{
    static _Thread_local struct {
        int n, lambda, count, parts[FEW_PARTS];
    } kept[KEPT];
    unsigned place = place_of(n, lambda);
    if (kept[place].n != n || kept[place].lambda != lambda) {
        int count = cut_into_parts(n, lambda, parts);
        if (count > FEW_PARTS)
            return count;
        kept[place].n = n, kept[place].lambda = lambda, kept[place].count = count;
        memcpy(kept[place].parts, parts, (size_t)count * sizeof *parts);
        return count;
    }
    memcpy(parts, kept[place].parts, (size_t)kept[place].count * sizeof *parts);
    return kept[place].count;
}

/* The part that begins `near` ranks away from the head on one side. */
static struct summand__subtree part_at(const struct summand__subtree *node, bool higher, int near,
                                       int size)
{
    int first = node->head + 1 + near, last = node->head - near;
    return higher ? (struct summand__subtree){first, first + size, first, 0}
                  : (struct summand__subtree){last - size, last, last - 1, 0};
}

/* Children from the nearest on, which is the smallest and arrives first: those above, then those
 * below. */
static bool postal_child(const struct summand__tree *tree, const struct summand__subtree *node,
                         int index, struct summand__subtree *child)
{
    int parts[MOST_UNITS], near = 0;
    int up = postal_parts(node->high - 1 - node->head, tree->radix, parts), count = up;
    bool higher = index < up;
    if (!higher) {
        count = postal_parts(node->head - node->low, tree->radix, parts);
        index -= up;
    }
    if (index >= count)
        return false;
    for (int i = count - 1; i > count - 1 - index; i--)
        near += parts[i];
    *child = part_at(node, higher, near, parts[count - 1 - index]);
    return true;
}

static void postal_child_with(const struct summand__tree *tree, const struct summand__subtree *node,
                              int rank, struct summand__subtree *child)
{
    int parts[MOST_UNITS], near = 0;
    bool higher = rank > node->head;
    int away = higher ? rank - node->head - 1 : node->head - 1 - rank;
    int i = postal_parts(higher ? node->high - 1 - node->head : node->head - node->low, tree->radix,
                         parts) -
            1;
    for (; near + parts[i] <= away; i--)
        near += parts[i];
    *child = part_at(node, higher, near, parts[i]);
}

const struct summand__tree_shape summand__postal_shape = {
    .child = postal_child, .child_with = postal_child_with, .form = SUMMAND__TREE_POSTAL};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/index_tree/outbound.h"

#include <stdbool.h>

#include "lab/index_tree/distribution.h"
#include "shape/dyadic.h"

/* Lists the outbound subtree roots of `rank` in ascending order, as algorithm 1 does. The rank of
 * element 0 has one, the root (0, ceil(log2 N)) with peer -1. Returns their number. */
static int roots_of(const uint64_t *starts, int ranks, int rank,
                    struct summand__outbound_node *roots)
{
    uint64_t start = starts[rank], end = starts[rank + 1], n = starts[ranks];
    if (start == end)
        return 0;
    if (start == 0) {
        unsigned height = n > 1 ? 64u - (unsigned)__builtin_clzll(n - 1) : 0;
        roots[0] = (struct summand__outbound_node){0, height, -1};
        return 1;
    }
    int count = 0;
    for (uint64_t x = start, last = 0; x > last && x < end; last = x, x += x & -x)
        roots[count++] = (struct summand__outbound_node){
            x, (unsigned)__builtin_ctzll(x), summand__rank_of_index(starts, ranks, x & (x - 1))};
    return count;
}

/* Goes up from the rank's last leaf: only the nodes above it have children after the rank's end. */
int summand__inbound_nodes(const uint64_t *starts, int ranks, int rank,
                           struct summand__outbound_node *nodes)
{
    struct summand__outbound_node roots[SUMMAND__OUTBOUND_MAX];
    int count = 0, last = roots_of(starts, ranks, rank, roots) - 1;
    if (last < 0)
        return 0;
    uint64_t x = starts[rank + 1] - 1, n = starts[ranks];
    for (unsigned y = 0; y < roots[last].level; y++) {
        uint64_t step = (uint64_t)1 << y;
        if (x & step)
            x -= step;
        else if (x + step > x && x + step < n)
            nodes[count++] = (struct summand__outbound_node){
                x + step, y, summand__rank_of_index(starts, ranks, x + step)};
    }
    return count;
}

static bool begins_large_subtree(const struct summand__outbound_node *root, uint64_t n,
                                 struct summand__outbound_rule rule)
{
    uint64_t whole = (uint64_t)1 << root->level, present = n - root->x;
    return (whole < present ? whole : present) > rule.summands;
}

/* Divides `count` roots into messages: firsts[m] is the first root of message m. Returns the number
 * of messages (0 for the root of the whole tree). */
static int messages_of(const struct summand__outbound_node *roots, int count, uint64_t n,
                       struct summand__outbound_rule rule, int *firsts)
{
    int messages = 0;
    if (count && roots[0].peer < 0)
        return 0;
    for (int i = 0; i < count; i++)
        if (i == 0 || i - firsts[messages - 1] >= rule.values ||
            roots[i].peer != roots[i - 1].peer || begins_large_subtree(&roots[i], n, rule))
            firsts[messages++] = i;
    return messages;
}

uint64_t summand__messages_buffered(const uint64_t *starts, int ranks,
                                    struct summand__outbound_rule rule)
{
    struct summand__outbound_node roots[SUMMAND__OUTBOUND_MAX];
    int firsts[SUMMAND__OUTBOUND_MAX];
    uint64_t messages = 0;
    for (int rank = 0; rank < ranks; rank++) {
        int count = roots_of(starts, ranks, rank, roots);
        messages += (uint64_t)messages_of(roots, count, starts[ranks], rule, firsts);
    }
    return messages;
}

/* A program under construction. */
struct builder {
    const uint64_t *starts;
    int ranks, rank;
    struct summand__outbound_rule rule;
    struct summand__outbound_op *ops;
    int count, cells;
};

static void add(struct builder *b, struct summand__outbound_op op)
{
    b->ops[b->count++] = op;
}

static void add_local(struct builder *b, int cell, uint64_t x, unsigned level)
{
    add(b, (struct summand__outbound_op){
               .kind = SUMMAND__OUTBOUND_LOCAL, .cell = cell, .x = x, .level = level});
}

/* Receives the message whose first node is `first`; returns its number of values. */
static int add_receive(struct builder *b, const struct summand__outbound_node *first, int cell)
{
    struct summand__outbound_node roots[SUMMAND__OUTBOUND_MAX];
    int firsts[SUMMAND__OUTBOUND_MAX + 1];
    int count = roots_of(b->starts, b->ranks, first->peer, roots);
    int messages = messages_of(roots, count, b->starts[b->ranks], b->rule, firsts);
    firsts[messages] = count;
    int m = 0;
    while (roots[firsts[m]].x != first->x)
        m++;
    int values = firsts[m + 1] - firsts[m];
    add(b, (struct summand__outbound_op){.kind = SUMMAND__OUTBOUND_RECEIVE,
                                         .cell = cell,
                                         .count = values,
                                         .peer = first->peer,
                                         .x = first->x,
                                         .level = first->level});
    return values;
}

/* Adds the subtree of `root`, which extends past the rank's end. Its local parts shrink from left
 * to right and lie in `cell` and, like a stack, at the end of the cells. Then the node above the
 * last leaf goes up; each step combines it with the part on its left or a received node on its
 * right. */
static void add_spine(struct builder *b, const struct summand__outbound_node *root, int cell)
{
    struct summand__outbound_node inbound[SUMMAND__OUTBOUND_MAX];
    struct summand__dyadic_node parts[SUMMAND__DYADIC_MAX];
    int expected = summand__inbound_nodes(b->starts, b->ranks, b->rank, inbound);
    uint64_t end = b->starts[b->rank + 1], n = b->starts[b->ranks];
    int top = (int)summand__dyadic_nodes(root->x, end - root->x, parts) - 1;
    int stack = b->cells - 1; /* part i > 0 is in cell stack + i */
    for (int i = 0; i <= top; i++)
        add_local(b, i ? stack + i : cell, parts[i].position, parts[i].level);
    b->cells += top;
    int first_received = b->cells, received = 0;
    b->cells += expected;
    uint64_t x = parts[top].position;
    for (unsigned y = parts[top].level, used = 0; y < root->level; y++) {
        uint64_t step = (uint64_t)1 << y;
        int right;
        if (x & step) {
            x -= step;
            right = stack + top--;
        } else if (x + step > x && x + step < n) {
            if (received == (int)used)
                received += add_receive(b, &inbound[used], first_received + received);
            right = first_received + (int)used++;
        } else {
            continue;
        }
        add(b, (struct summand__outbound_op){.kind = SUMMAND__OUTBOUND_COMBINE,
                                             .cell = top ? stack + top : cell,
                                             .right = right,
                                             .x = x,
                                             .level = y + 1});
    }
}

static void add_root(struct builder *b, const struct summand__outbound_node *root, int cell)
{
    uint64_t end = b->starts[b->rank + 1], n = b->starts[b->ranks];
    /* level 64: the root of a tree of more than 2^63 elements */
    bool within = end == n || (root->level < 64 && (uint64_t)1 << root->level <= end - root->x);
    if (within)
        add_local(b, cell, root->x, root->level);
    else
        add_spine(b, root, cell);
}

/* Sends roots [*sent, end). */
static void add_send(struct builder *b, const struct summand__outbound_node *roots, int *sent,
                     int end)
{
    const struct summand__outbound_node *first = &roots[*sent];
    add(b, (struct summand__outbound_op){.kind = SUMMAND__OUTBOUND_SEND,
                                         .cell = *sent,
                                         .count = end - *sent,
                                         .peer = first->peer,
                                         .x = first->x,
                                         .level = first->level});
    *sent = end;
}

int summand__outbound_program(const uint64_t *starts, int ranks, int rank,
                              struct summand__outbound_rule rule, struct summand__outbound_op *ops,
                              int *cells)
{
    struct summand__outbound_node roots[SUMMAND__OUTBOUND_MAX];
    int firsts[SUMMAND__OUTBOUND_MAX + 1];
    uint64_t n = starts[ranks];
    int count = roots_of(starts, ranks, rank, roots);
    int messages = messages_of(roots, count, n, rule, firsts);
    firsts[messages] = count;
    struct builder b = {starts, ranks, rank, rule, ops, 0, count};
    /* Message m is the open one, or the next; [sent, i) is in the buffer. A full message leaves at
     * once. A message that a large subtree would delay leaves before the work on that subtree; one
     * that a new destination closes leaves after it. */
    for (int i = 0, m = 0, sent = 0; i < count; i++) {
        bool opens = m < messages && firsts[m] == i;
        if (opens && sent < i && begins_large_subtree(&roots[i], n, rule))
            add_send(&b, roots, &sent, i);
        add_root(&b, &roots[i], i);
        if (opens && sent < i)
            add_send(&b, roots, &sent, i);
        bool closes = m < messages && firsts[m + 1] == i + 1;
        if (closes && (i + 1 == count || i + 1 - sent == rule.values))
            add_send(&b, roots, &sent, i + 1);
        m += closes;
    }
    *cells = b.cells;
    return b.count;
}

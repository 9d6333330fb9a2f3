/* SPDX-License-Identifier: BSD-3-Clause */
/* Scan whose every prefix has the canonical bracketing of its ranks.
 *
 * What: the combination of the first n ranks is the tree that halves [0, n) (shape/halving.h). The
 *   trees of all n share most of their nodes. The last rank of a node makes it: it has the right
 *   half and receives the left one. Nodes of one height are one round. In an exclusive scan, rank n
 *   makes the root of [0, n), and receives both halves.
 * When: short vectors; canonical bits.
 * Cost: ceil(log2 p) rounds; all ranks together send about p log2 p / 2 vectors for 8 ranks, that
 *   number for 48, 2.8 times as many for 1024: the trees have less in common. Building takes O(p
 *   log p) per rank, and counting messages that of all ranks.
 * Restrictions: none.
 * Source: Ladner and Fischer (1980) for prefixes that share nodes; the halving trees are ours. */
#include <stdlib.h>
#include <string.h>

#include "algorithm/estimate.h"
#include "algorithm/scan/prefix.h"
#include "base/extreme.h"
#include "shape/halving.h"

/* The node [low, high), whose halves meet at `middle`. Height 1: a half of one rank each. The first
 * rank alone, which rank 1 of an exclusive scan gets, is [0, 1) with middle 1. */
struct node {
    int low, middle, high, height;
};

/* Up to FEW need no memory: those of a rank on 1024 ranks. */
enum { FEW = 160 };
struct nodes {
    struct node few[FEW];
    struct node *node; /* `few`, or memory for more */
    size_t count, room;
    bool failed;
};

static bool same(const struct node *a, const struct node *b)
{
    return a->low == b->low && a->high == b->high;
}

static void grow(struct nodes *nodes)
{
    const bool first = nodes->node == nodes->few;
    struct node *more = realloc(first ? NULL : nodes->node, 2 * nodes->room * sizeof *more);
    nodes->failed |= !more;
    if (!more)
        return;
    if (first)
        memcpy(more, nodes->few, sizeof nodes->few);
    nodes->node = more;
    nodes->room *= 2;
}

/* Adds the node unless it is there. */
static void add(struct nodes *nodes, struct node node)
{
    for (size_t i = nodes->count; i-- > 0;)
        if (same(&nodes->node[i], &node))
            return;
    if (nodes->count == nodes->room)
        grow(nodes);
    if (nodes->count < nodes->room)
        nodes->node[nodes->count++] = node;
}

static void free_nodes(struct nodes *nodes)
{
    if (nodes->node != nodes->few)
        free(nodes->node);
}

/* Rounds, and in them the order of messages: that of their receivers. A rank makes its shortest
 * node first, because the longest may take the place of its operand. */
static int compare(const void *one, const void *other)
{
    const struct node *a = one, *b = other;
    if (a->height != b->height)
        return a->height < b->height ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return (a->low < b->low) - (a->low > b->low);
}

/* The prefix of an exclusive scan, whose maker does not have its right half. */
static bool is_prefix(const struct summand__call *call, const struct node *node)
{
    return summand__is_exclusive(call) && !node->low;
}

static int maker(const struct summand__call *call, const struct node *node)
{
    return is_prefix(call, node) ? node->high : node->high - 1;
}

/* The rank that has a node's left half, and the one that has its right half. */
static int left_of(const struct summand__call *call, const struct node *node)
{
    return is_prefix(call, node) && node->middle > 1 ? node->middle : node->middle - 1;
}

static int right_of(const struct node *node)
{
    return node->high - 1;
}

static bool concerns(const struct summand__call *call, const struct node *node)
{
    const int rank = call->rank;
    return maker(call, node) == rank || left_of(call, node) == rank ||
           (is_prefix(call, node) && right_of(node) == rank);
}

/* Adds the nodes of the tree of the first n ranks that the rank makes or sends a half of. Trees of
 * n that follow each other mostly have the same ones: `last` has those of each level. */
static void add_tree(const struct summand__call *call, int n, struct nodes *nodes,
                     struct node last[SUMMAND__HALVING_MOST])
{
    const int end = call->rank + 1;
    int low = 0, high = n, level = 0;
    for (; high - low > 1; level++) {
        struct node node = {low, high - (high - low) / 2, high,
                            summand__halving_height(high - low)};
        bool of_smaller = is_prefix(call, &node) && high < n;
        if (!of_smaller && concerns(call, &node) && !same(&node, &last[level])) {
            add(nodes, node);
            last[level] = node;
        }
        if (end <= node.middle)
            high = node.middle;
        else
            low = node.middle;
    }
}

/* Lists the nodes that the rank makes or sends a half of, in the order of their rounds. */
static void list(const struct summand__call *call, struct nodes *nodes)
{
    struct node last[SUMMAND__HALVING_MOST] = {{0}};
    const int most = summand__is_exclusive(call) ? call->ranks - 1 : call->ranks;
    nodes->node = nodes->few;
    nodes->room = FEW;
    nodes->count = 0;
    nodes->failed = false;
    if (summand__is_exclusive(call) && call->ranks > 1 && call->rank < 2)
        add(nodes, (struct node){0, 1, 1, 1});
    for (int n = call->rank > 2 ? call->rank : 2; n <= most; n++)
        add_tree(call, n, nodes, last);
    qsort(nodes->node, nodes->count, sizeof *nodes->node, compare);
}

/* A rank's values: its operand, and the nodes that it has made so far. */
struct making {
    const struct summand__call *call;
    struct summand__schedule *schedule;
    struct nodes nodes;
    struct summand__region *value;   /* of each node that the rank makes */
    struct summand__region *arrives; /* likewise, what arrives to be combined with it */
    struct summand__region operand;
};

/* The value of [low, high), which the rank has. */
static struct summand__region value(const struct making *making, int low, int high)
{
    for (size_t i = 0; high - low > 1 && i < making->nodes.count; i++) {
        const struct node *node = &making->nodes.node[i];
        if (node->low == low && node->high == high)
            return making->value[i];
    }
    return making->operand;
}

/* Results lie in recvbuf, other nodes in scratch; a left half arrives in scratch. */
static void lay_out(struct making *making)
{
    const struct summand__call *call = making->call;
    for (size_t i = 0; i < making->nodes.count; i++) {
        const struct node *node = &making->nodes.node[i];
        if (maker(call, node) != call->rank)
            continue;
        making->value[i] = node->low ? summand__prefix_room(making->schedule, call->count)
                                     : summand__region(SUMMAND__RECVBUF, 0, call->count);
        making->arrives[i] =
            node->high > 1 ? summand__prefix_room(making->schedule, call->count) : making->value[i];
    }
}

/* The messages of a node, and the copy of the half that the rank has. */
static void exchange(struct making *making, size_t i)
{
    const struct summand__call *call = making->call;
    const struct node *node = &making->nodes.node[i];
    const int rank = call->rank, to = maker(call, node);
    struct summand__schedule *schedule = making->schedule;
    if (left_of(call, node) == rank)
        summand__send(schedule, to, value(making, node->low, node->middle));
    if (is_prefix(call, node) && right_of(node) == rank && node->high > 1)
        summand__send(schedule, to, value(making, node->middle, node->high));
    if (to != rank)
        return;
    summand__recv(schedule, left_of(call, node), making->arrives[i]);
    if (is_prefix(call, node) && node->high > 1)
        summand__recv(schedule, right_of(node), making->value[i]);
    else if (!is_prefix(call, node))
        summand__copy(schedule, value(making, node->middle, node->high), making->value[i]);
}

static void make_round(struct making *making, size_t begin, size_t end)
{
    for (size_t i = begin; i < end; i++)
        exchange(making, i);
    summand__round(making->schedule);
    for (size_t i = begin; i < end; i++)
        if (maker(making->call, &making->nodes.node[i]) == making->call->rank &&
            making->nodes.node[i].high > 1)
            summand__reduce(making->schedule, making->arrives[i], making->value[i]);
    summand__round(making->schedule);
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct making making = {.call = call, .schedule = schedule};
    list(call, &making.nodes);
    const size_t count = making.nodes.count;
    making.value = calloc(2 * count + 1, sizeof *making.value);
    making.arrives = making.value + count;
    schedule->failed |= !making.value || making.nodes.failed;
    if (!schedule->failed) {
        making.operand = summand__prefix_input(call, schedule);
        lay_out(&making);
        if (!call->rank && !summand__is_exclusive(call))
            summand__copy(schedule, making.operand,
                          summand__region(SUMMAND__RECVBUF, 0, call->count));
        for (size_t i = 0, end; i < count; i = end) {
            for (end = i;
                 end < count && making.nodes.node[end].height == making.nodes.node[i].height;)
                end++;
            make_round(&making, i, end);
        }
        summand__round(schedule);
    }
    free(making.value);
    free_nodes(&making.nodes);
}

/* Each node has one message, and a prefix of an exclusive scan two. */
static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    (void)depth;
    struct summand__call view = *call;
    struct summand__cost cost = {0};
    for (view.rank = 0; call->count && view.rank < call->ranks; view.rank++) {
        struct nodes nodes;
        list(&view, &nodes);
        cost.unknown |= nodes.failed;
        for (size_t i = 0; i < nodes.count; i++)
            if (maker(&view, &nodes.node[i]) == view.rank)
                cost.messages += is_prefix(&view, &nodes.node[i]) && nodes.node[i].high > 1 ? 2 : 1;
        free_nodes(&nodes);
    }
    const int most = summand__is_exclusive(call) ? call->ranks - 1 : call->ranks;
    cost.elements = cost.messages * call->count;
    cost.depth = cost.messages ? (size_t)summand__larger(summand__halving_height(most), 1) : 0;
    return cost;
}

/* Each round has one message to and from most ranks. The last rounds have more, in an exclusive
 * scan twice as many: so many for the busiest rank, all rounds together, as the play shows. */
static double further(const struct summand__call *call)
{
    double each = 0;
    for (int ranks = call->ranks; ranks >= 8; ranks /= 2)
        each += 0.8;
    return summand__is_exclusive(call) ? 2 * each : each;
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    const double bytes = (double)(call->count * element);
    struct summand__encounter encounter = {.ranks = call->ranks, .partners = 1, .bytes = bytes};
    double time = 0, first = 0;
    for (int span = call->ranks; span > 1 && call->count; span -= span / 2) {
        encounter.span = span;
        encounter.distance = span - span / 2;
        const double round = summand__encounter_time(model, &encounter);
        first = first > 0 ? first : round;
        time += round + bytes * model->reduce_byte;
    }
    encounter.more = 1;
    encounter.span = call->ranks;
    encounter.distance = call->ranks - call->ranks / 2;
    if (first > 0)
        time += further(call) *
                (summand__encounter_time(model, &encounter) - first + bytes * model->reduce_byte);
    return time;
}

const struct summand__algorithm summand__scan_halving = {
    .name = "scan-halving",
    .description = "every prefix is the halving tree of its ranks, which share the nodes",
    .source = "Ladner and Fischer (1980), whose prefixes share nodes; halving trees",
    .promises = SUMMAND__RANK_ORDER | SUMMAND__SAME_BITS | SUMMAND__CANONICAL,
    .build = {SUMMAND__SCANS(build)},
    .cost = cost,
    .estimate = estimate,
};

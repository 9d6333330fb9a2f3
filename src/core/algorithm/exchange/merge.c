/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/exchange/merge.h"

#include <stdint.h>

#include "algorithm/call.h"
#include "shape/layers.h"
#include "shape/tree.h"

static size_t start(const struct summand__merging *merging, int index, int parts)
{
    size_t unit = summand__cut(merging->units, (size_t)index, (size_t)parts);
    return merging->displs ? merging->displs[unit] : unit;
}

struct summand__block summand__merging_pieces(const struct summand__merging *merging, int first,
                                              int last, int parts)
{
    size_t low = start(merging, first, parts), high = start(merging, last, parts);
    return (struct summand__block){low, high - low};
}

static struct summand__block common(struct summand__block a, struct summand__block b)
{
    size_t low = a.first > b.first ? a.first : b.first;
    size_t high = a.first + a.count < b.first + b.count ? a.first + a.count : b.first + b.count;
    return (struct summand__block){low, high > low ? high - low : 0};
}

/* The elements that `from` has and `to` keeps: the reducing message. The gathering message goes
 * back. */
static struct summand__block share(const struct summand__merging *merging,
                                   const struct summand__merge *merge,
                                   const struct summand__merger *from,
                                   const struct summand__merger *to)
{
    return common(summand__merging_pieces(merging, from->own, from->own + 1, from->own_parts),
                  summand__merging_pieces(merging, to->kept, to->kept + 1, merge->parts));
}

static struct summand__region in(struct summand__region at, struct summand__block block)
{
    return summand__part(at, block.first, block.count);
}

void summand__merge_reduce(const struct summand__merging *merging,
                           struct summand__accumulator *accumulator,
                           struct summand__schedule *schedule)
{
    struct summand__split path[SUMMAND__HALVING_MOST];
    int length = summand__halving_path(merging->ranks, merging->rank, path);
    for (int i = length - 1; i >= 0; i--) {
        struct summand__merge merge = summand__merge_of(path[i], merging->rank);
        struct summand__block kept =
            summand__merging_pieces(merging, merge.self.kept, merge.self.kept + 1, merge.parts);
        struct summand__region into =
            summand__accumulator_into(accumulator, schedule, merge.left, kept.first, kept.count);
        for (int j = 0; j < merge.partners; j++) {
            const struct summand__merger *partner = &merge.partner[j];
            summand__recv(schedule, partner->rank,
                          in(into, share(merging, &merge, partner, &merge.self)));
            summand__send(schedule, partner->rank,
                          in(accumulator->value, share(merging, &merge, &merge.self, partner)));
        }
        summand__accumulator_fold_part(accumulator, schedule, merge.left, kept.first, kept.count);
    }
}

/* The tree of positions: ranges of positions are ranges of the vector. */
static struct summand__tree positions(const struct summand__merging *merging, int root)
{
    return (struct summand__tree){.shape = &summand__binomial_shape,
                                  .ranks = merging->ranks,
                                  .root = summand__interleave_position(0, merging->ranks, root)};
}

static struct summand__tree_node place_of(const struct summand__merging *merging,
                                          const struct summand__tree *tree, int rank)
{
    return summand__tree_find(tree, summand__interleave_position(0, merging->ranks, rank));
}

/* The elements that a rank has from the hand-out: none without a root. */
static struct summand__block held(const struct summand__merging *merging, int root, int rank)
{
    if (root < 0)
        return (struct summand__block){0, 0};
    struct summand__tree tree = positions(merging, root);
    struct summand__tree_node node = place_of(merging, &tree, rank);
    return summand__merging_pieces(merging, node.subtree.low, node.subtree.high, merging->ranks);
}

/* The block without the receiver's own elements: the parts before and after these. */
struct rest {
    struct summand__block part[2];
};

static struct rest without(struct summand__block block, struct summand__block holds)
{
    struct summand__block before = {0, holds.count ? holds.first : SIZE_MAX};
    size_t behind = holds.first + holds.count;
    return (struct rest){
        {common(block, before),
         common(block, (struct summand__block){behind, holds.count ? SIZE_MAX - behind : 0})}};
}

/* The elements that `to` gets from `from` in the gather. */
static struct rest gathered(const struct summand__merging *merging,
                            const struct summand__merge *merge, int root,
                            const struct summand__merger *from, const struct summand__merger *to)
{
    return without(share(merging, merge, to, from), held(merging, root, to->rank));
}

void summand__merge_gather(const struct summand__merging *merging, int root,
                           struct summand__region at, struct summand__schedule *schedule)
{
    struct summand__split path[SUMMAND__HALVING_MOST];
    int length = summand__halving_path(merging->ranks, merging->rank, path);
    for (int i = 0; i < length; i++) {
        struct summand__merge merge = summand__merge_of(path[i], merging->rank);
        summand__round(schedule);
        for (int j = 0; j < merge.partners; j++) {
            const struct summand__merger *partner = &merge.partner[j];
            struct rest in_rest = gathered(merging, &merge, root, partner, &merge.self);
            struct rest out_rest = gathered(merging, &merge, root, &merge.self, partner);
            for (int k = 0; k < 2; k++) {
                summand__recv(schedule, partner->rank, in(at, in_rest.part[k]));
                summand__send(schedule, partner->rank, in(at, out_rest.part[k]));
            }
        }
    }
    summand__round(schedule);
}

static struct summand__region range(const struct summand__merging *merging,
                                    struct summand__region at,
                                    const struct summand__subtree *subtree)
{
    return in(at, summand__merging_pieces(merging, subtree->low, subtree->high, merging->ranks));
}

void summand__merge_collect(const struct summand__merging *merging, int root,
                            struct summand__region at, struct summand__schedule *schedule)
{
    struct summand__tree tree = positions(merging, root);
    struct summand__tree_node node = place_of(merging, &tree, merging->rank);
    struct summand__subtree child;
    summand__round(schedule);
    for (int i = 0; summand__tree_child(&tree, &node.subtree, i, &child); i++)
        summand__recv(schedule, summand__interleave_rank(0, merging->ranks, child.head),
                      range(merging, at, &child));
    summand__round(schedule);
    if (node.parent >= 0)
        summand__send(schedule, summand__interleave_rank(0, merging->ranks, node.parent),
                      range(merging, at, &node.subtree));
    summand__round(schedule);
}

void summand__merge_hand_out(const struct summand__merging *merging, int root,
                             struct summand__region at, struct summand__schedule *schedule)
{
    struct summand__tree tree = positions(merging, root);
    struct summand__tree_node node = place_of(merging, &tree, merging->rank);
    struct summand__subtree child;
    int children = 0;
    summand__round(schedule);
    if (node.parent >= 0)
        summand__recv(schedule, summand__interleave_rank(0, merging->ranks, node.parent),
                      range(merging, at, &node.subtree));
    summand__round(schedule);
    while (summand__tree_child(&tree, &node.subtree, children, &child))
        children++;
    for (int i = children - 1; i >= 0; i--) {
        summand__tree_child(&tree, &node.subtree, i, &child);
        summand__send(schedule, summand__interleave_rank(0, merging->ranks, child.head),
                      range(merging, at, &child));
    }
    summand__round(schedule);
}

/* The cuts of a vector into equal parts, one after another. */
struct cuts {
    const struct summand__merging *merging;
    size_t parts, step, more, unit, rest; /* unit + rest / parts is exact */
};

static struct cuts cuts_into(const struct summand__merging *merging, int parts)
{
    size_t n = (size_t)parts;
    return (struct cuts){merging, n, merging->units / n, merging->units % n, 0, 0};
}

static size_t next_cut(struct cuts *cuts)
{
    cuts->unit += cuts->step;
    cuts->rest += cuts->more;
    if (cuts->rest >= cuts->parts) {
        cuts->rest -= cuts->parts;
        cuts->unit++;
    }
    return cuts->merging->displs ? cuts->merging->displs[cuts->unit] : cuts->unit;
}

/* A range of n ranks is cut into the n pieces that they keep and, each half of them, into the
 * pieces that they had. Where the halves are equal that makes no cuts within a piece, else one
 * within each but the first and the last. What lies between neighbouring cuts is a message, unless
 * it is empty: of as many elements as n times the larger half none is. */
static size_t messages_of_merge(const struct summand__merging *merging, int ranks)
{
    int right = ranks / 2, left = ranks - right;
    size_t n = (size_t)ranks, messages = 0, low = 0;
    if (!merging->displs && left == right)
        return merging->units < n ? merging->units : n;
    if (!merging->displs && merging->units >= n * (size_t)left)
        return 2 * (n - 1);
    struct cuts kept = cuts_into(merging, ranks);
    struct cuts had[2] = {cuts_into(merging, right), cuts_into(merging, left)};
    for (int piece = 0; piece < ranks; piece++) {
        size_t within = left > right && piece ? next_cut(&had[piece % 2]) : low;
        size_t high = next_cut(&kept);
        messages += (size_t)(low < within) + (within < high);
        low = high;
    }
    return messages;
}

/* Merges of equally many ranks have the same messages at any position. */
size_t summand__merge_messages(const struct summand__merging *merging)
{
    struct summand__layer layer = summand__layer_first(merging->ranks);
    size_t messages = 0;
    do {
        if (layer.size > 1)
            messages += layer.small * messages_of_merge(merging, layer.size);
        if (layer.large)
            messages += layer.large * messages_of_merge(merging, layer.size + 1);
    } while (summand__layer_next(&layer, 2));
    return messages;
}

/* The positions whose pieces are handed out to, or collected by, the rank of `position`: where the
 * tree of positions has it for a head. */
static int end_below(int ranks, int root, int position)
{
    int low = 0, high = ranks;
    while (low < position || (root >= low && root < high)) {
        int middle = high - (high - low) / 2;
        *(position < middle ? &high : &low) = middle;
    }
    return high;
}

/* What a rank gets when all is gathered lies to both sides of its piece, a message on each side in
 * each merge. What it holds already goes from its piece upwards, so it takes the place of the first
 * messages there; of these the number. */
static size_t messages_held(const struct summand__merging *merging, int position, size_t held)
{
    size_t messages = 0, low = start(merging, position + 1, merging->ranks);
    for (int n = merging->ranks, half; n > 1 && low <= held; n = half, position /= 2) {
        half = position % 2 ? n / 2 : n - n / 2;
        size_t high = start(merging, position / 2 + 1, half);
        messages += low < high && high <= held;
        low = high;
    }
    return messages;
}

/* The messages to a rank that has only its piece. */
static size_t messages_to(const struct summand__merging *merging, int position)
{
    size_t messages = 0, low = start(merging, position, merging->ranks);
    size_t high = start(merging, position + 1, merging->ranks);
    for (int n = merging->ranks, half; n > 1; n = half, position /= 2) {
        half = position % 2 ? n / 2 : n - n / 2;
        size_t lower = start(merging, position / 2, half);
        size_t higher = start(merging, position / 2 + 1, half);
        messages += (size_t)(lower < low) + (high < higher);
        low = lower, high = higher;
    }
    return messages;
}

struct summand__cost summand__gather_cost(const struct summand__merging *merging, int root)
{
    int ranks = merging->ranks, top = summand__interleave_position(0, ranks, root);
    size_t total = start(merging, ranks, ranks);
    struct summand__cost cost = {.messages =
                                     summand__merge_messages(merging) - messages_to(merging, top),
                                 .elements = ((size_t)ranks - 1) * total -
                                             summand__collect_cost(merging, root, false).elements,
                                 .depth = (size_t)summand__halving_height(ranks)};
    for (int position = 0; position < ranks; position++) {
        int end = position == top ? position : end_below(ranks, top, position);
        if (end > position + 1)
            cost.messages -= messages_held(merging, position, start(merging, end, ranks));
    }
    return cost;
}

struct summand__cost summand__collect_cost(const struct summand__merging *merging, int root,
                                           bool depth)
{
    struct summand__tree tree = positions(merging, root);
    struct summand__cost cost = {.depth = depth ? (size_t)summand__tree_height(&tree) : 0};
    for (int position = 0; position < merging->ranks; position++) {
        if (position == tree.root)
            continue;
        int end = end_below(merging->ranks, tree.root, position);
        size_t count = summand__merging_pieces(merging, position, end, merging->ranks).count;
        cost.messages += count > 0;
        cost.elements += count;
    }
    return cost;
}

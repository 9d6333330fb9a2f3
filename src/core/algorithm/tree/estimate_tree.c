/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithm/tree/estimate_tree.h"

#include <math.h>

#include "algorithm/tree/pipe.h"
#include "base/extreme.h"
#include "base/pace.h"

_Static_assert((int)SUMMAND__UNDER_WAY == 3, "one, two or three segments share a card");

double summand__shared(double together, double busy, double apart)
{
    double two = together > 1 ? 2 * busy - apart : 0;
    double three = together > 2 ? 3 * busy - 2.5 * apart : 0;
    return summand__larger(busy, summand__larger(two, three));
}

bool summand__paced(const struct summand__plant *plant)
{
    return plant->slots && plant->bytes <= SUMMAND__PACED_BYTES;
}

/* One of two trees over the same ranks. */
static bool of_double_tree(const struct summand__tree_shape *shape)
{
    return shape->position > 0;
}

static bool in_order_alone(const struct summand__tree_shape *shape)
{
    return shape->heads == SUMMAND__HEADS_APART && !of_double_tree(shape);
}

/* A step's time. `together`: messages that the head receives before it goes on; those of its own
 * node have arrived when the others do. */
struct crossing {
    enum summand__reach reach;
    int operands, outside;
    double together;
    double later;    /* messages that share the card with these on the way down */
    double up, down; /* s */
};

static void time_crossing(const struct summand__plant *plant, struct crossing *crossing)
{
    enum summand__reach reach = crossing->reach;
    double together = crossing->together;
    bool near = reach == SUMMAND__WITHIN_NODE, paced = summand__paced(plant);
    const struct summand__level *level = &plant->model->level[reach];
    double queue = (near ? crossing->operands : crossing->outside) * plant->times;
    double last =
        (near ? together : together - crossing->operands + crossing->outside) * plant->times;
    double busy = summand__larger(plant->bytes * level->byte, level->gap);
    double apart = level->send + last * level->recv;
    if (plant->up) {
        struct summand__burst up = {reach, plant->times, last, queue, plant->bytes, false, paced};
        if (!near && busy > 0)
            up.queue = summand__shared(plant->together, queue * busy, apart) / busy;
        crossing->up = summand__burst_time(plant->model, &up) +
                       (together * plant->times + plant->inside) * plant->combined;
    }
    if (plant->down) {
        struct summand__burst down = {
            reach,        last,  plant->times, queue + plant->back + crossing->later,
            plant->bytes, false, paced};
        if (!near && busy > 0)
            down.queue = summand__shared(plant->together, down.queue * busy, apart) / busy;
        crossing->down = summand__burst_time(plant->model, &down);
    }
}

/* Reuses the last step's time, as most steps are like the one before. */
static void add_step(const struct summand__plant *plant, enum summand__reach reach,
                     struct summand__tree_step step, double together, double later,
                     struct crossing *last, struct summand__way *way)
{
    if (last->reach != reach || last->operands != step.operands || last->outside != step.outside ||
        last->together != together || last->later != later) {
        *last = (struct crossing){reach, step.operands, step.outside, together, later, 0, 0};
        time_crossing(plant, last);
    }
    way->up += last->up;
    way->down += last->down;
    if (reach == SUMMAND__WITHIN_NODE) {
        way->near_up += last->up;
        way->near_down += last->down;
    }
}

/* Adds the messages of one more level on the busiest card. A node's card serves the heads of as
 * many levels as the node has ranks. */
static void add_load(const struct summand__plant *plant, struct summand__tree_step step,
                     double outside, int level, struct summand__load *load)
{
    const struct summand__tree_shape *shape = plant->shape;
    if (plant->model->per_node <= 1 &&
        of_double_tree(shape)) /* a rank is a leaf of the other tree */
        outside = outside > 1 ? 1 : outside;
    bool shared = plant->model->shared_card > 0 && level < plant->model->per_node;
    bool sums =
        shape->heads == SUMMAND__HEADS_ONE || (shared && shape->heads != SUMMAND__HEADS_APART);
    load->between = sums ? load->between + outside : summand__larger(load->between, outside);
    load->children = shape->heads == SUMMAND__HEADS_ONE
                         ? load->children + step.operands
                         : summand__larger(load->children, step.operands);
}

/* The root's children. It waits for all of them together in each slot. */
static double children_of(const struct summand__plant *plant)
{
    if (plant->ranks < 2)
        return 0;
    struct summand__tree_step step = plant->shape->step(plant->radix, plant->ranks);
    double children = step.operands;
    if (plant->shape->in_turn)
        return plant->ranks > 2 ? 2 : 1;
    for (int n = step.below; n > 1 && plant->shape->heads == SUMMAND__HEADS_ONE; n = step.below) {
        step = plant->shape->step(plant->radix, n);
        children += step.operands;
    }
    return children;
}

/* The path to the ranks under the second of two switches. It crosses once; receives of the heads
 * above hide part of the extra latency. With more switches most subtrees are far. */
struct detour {
    int last; /* ranks under that switch, or all unless there are exactly two */
    double hidden, more;
    bool crossed;
};

static struct detour detour_of(const struct summand__plant *plant)
{
    int border = summand__border(plant->model, plant->ranks);
    bool two = summand__reach_of(plant->model, border) != SUMMAND__FAR;
    return (struct detour){.last = two ? plant->ranks - border : plant->ranks};
}

static enum summand__reach reach_on(struct detour *detour, const struct summand__plant *plant,
                                    int n, struct summand__tree_step step)
{
    const struct summand__model *model = plant->model;
    enum summand__reach reach = summand__reach_of(model, n);
    const struct summand__level *level = &model->level[SUMMAND__NETWORK];
    if (detour->last == plant->ranks || summand__reach_of(model, step.below) == SUMMAND__FAR)
        return reach;
    detour->hidden += (step.operands - 1) * level->recv;
    if (!detour->crossed && step.below <= detour->last) {
        double more = model->level[SUMMAND__FAR].latency - level->latency - detour->hidden;
        detour->more = more > 0 ? more : 0;
        detour->crossed = true;
    }
    return reach == SUMMAND__FAR ? SUMMAND__NETWORK : reach;
}

/* True if a rank below the root has as many children as the root or one fewer. With its parent it
 * then has as much work. */
static bool has_parent(const struct summand__plant *plant)
{
    if (plant->shape->heads == SUMMAND__HEADS_ONE || plant->ranks < 2)
        return false;
    if (plant->model->per_node > 1 || of_double_tree(plant->shape) || plant->shape->in_turn)
        return true;
    struct summand__tree_step root = plant->shape->step(plant->radix, plant->ranks);
    return root.below > 1 &&
           plant->shape->step(plant->radix, root.below).operands + 1 > root.operands;
}

/* Operands from the head's own switch are received before those of other switches arrive. With
 * segments, the head receives the next segments meanwhile. */
static struct summand__tree_step late_step(const struct summand__plant *plant,
                                           enum summand__reach reach, int n,
                                           struct summand__tree_step step)
{
    double ranks = plant->model->per_switch * plant->model->per_node;
    if (reach == SUMMAND__FAR && plant->model->per_node <= 1 && !plant->slots && ranks < n)
        step.outside -= (int)(step.outside * ranks / n);
    return step;
}

/* The root's messages to other nodes, which all leave at once and share its card evenly. 0 with
 * segments: the card's pace covers them. */
static double sharing(const struct summand__plant *plant)
{
    int node = (int)plant->model->per_node;
    double messages = 0;
    if (plant->shape->heads != SUMMAND__HEADS_ONE || plant->model->fair_card <= 0 || plant->slots)
        return 0;
    for (int n = plant->ranks; n > node && n > 1;) {
        struct summand__tree_step step = plant->shape->step(plant->radix, n);
        messages += node == 1 ? step.operands : step.outside;
        n = step.below;
    }
    return messages;
}

/* An extra level: a root at an end of an in-order tree has one child, the tree of all others; the
 * root of two trees has both as children. Two trees whose root is inside have the same height as
 * with one rank fewer. For segments through one tree, or up and down, other terms of the estimate
 * already cover this level. Returns the ranks below it in an in-order tree; else all. */
static int add_root(const struct summand__plant *plant, struct crossing *last,
                    struct summand__way *way)
{
    bool end = plant->root == 0 || plant->root == plant->ranks - 1;
    bool above = in_order_alone(plant->shape) && end;
    bool two = of_double_tree(plant->shape);
    int ranks = plant->ranks - (two && !end);
    bool both = two && ranks > 2;
    struct summand__tree_step step = {1, 1, ranks - above};
    int node = (int)plant->model->per_node;
    bool torn = node & (node - 1); /* double_tree.c estimates this case itself */
    bool hidden = plant->slots && (!two || (plant->up && plant->down) || torn);
    if (plant->ranks < 2 || hidden)
        return plant->ranks;
    if (!above && !both)
        return ranks;
    add_step(plant, summand__reach_of(plant->model, plant->ranks), step, 1, 0, last, way);
    return step.below;
}

/* Level by level. If a node's boundary cuts a subtree, messages of one more level leave that node.
 */
static struct summand__way branching_way(const struct summand__plant *plant)
{
    int node = (int)plant->model->per_node, level = 0;
    bool cut = plant->ranks > node && node > 1;
    double together = plant->slots ? children_of(plant) : 0, later = sharing(plant);
    struct summand__way way = {0};
    struct crossing last = {0};
    struct detour detour = detour_of(plant);
    for (int n = add_root(plant, &last, &way); n > 1; level++) {
        struct summand__tree_step step = plant->shape->step(plant->radix, n);
        enum summand__reach reach = reach_on(&detour, plant, n, step);
        if (node == 1)
            step.outside = step.operands;
        double outside = reach == SUMMAND__WITHIN_NODE ? 0 : step.outside;
        if (n <= node && cut) {
            cut = false;
            if (node % n || plant->shape->heads != SUMMAND__HEADS_ONE)
                outside = plant->shape->heads == SUMMAND__HEADS_APART ? step.operands : 1;
        }
        later = later > outside ? later - outside : 0;
        add_step(plant, reach, late_step(plant, reach, n, step),
                 plant->slots ? together : step.operands, later, &last, &way);
        add_load(plant, step, outside, level, &way.load);
        together -= plant->shape->heads == SUMMAND__HEADS_ONE ? step.operands : 0;
        n = step.below;
    }
    way.load.parent = has_parent(plant);
    if (plant->shape->in_turn && plant->ranks > 2)
        way.load.children = 2;
    way.load.near = node > 1 ? way.load.children : 0;
    way.up += detour.more;
    way.down += detour.more;
    return way;
}

/* The slower of the two chains on either side of the root. Each has as many hops between nodes as
 * it crosses borders of nodes. */
static struct summand__way chain_way(const struct summand__plant *plant)
{
    int node = (int)plant->model->per_node, end = plant->ranks - 1, root = plant->root;
    const int hops[] = {root, end - root}, across[] = {root / node, end / node - root / node};
    double sides = (hops[0] > 0) + (hops[1] > 0);
    struct summand__way way = {
        .load = {sides, sides, (across[0] > 0) + (across[1] > 0), sides < 2}};
    struct crossing near = {SUMMAND__WITHIN_NODE, 1, 1, 1, 0, 0, 0}, far = near;
    far.reach = summand__reach_of(plant->model, node + 1);
    time_crossing(plant, &near);
    time_crossing(plant, &far);
    bool meet = !plant->slots && across[0] && across[0] == across[1];
    double waits = meet ? plant->bytes * plant->model->level[far.reach].byte : 0;
    for (int side = 0; side < 2; side++) {
        int within = hops[side] - across[side];
        way.up = summand__larger(way.up, within * near.up + across[side] * far.up);
        way.down = summand__larger(way.down, within * near.down + across[side] * far.down);
    }
    way.up += waits, way.down += waits;
    return way;
}

/* All to one. Messages that wait for their receiver do so group by group. */
static struct summand__way linear_way(const struct summand__plant *plant)
{
    const struct summand__model *model = plant->model;
    int node = (int)model->per_node, outside = plant->ranks > node ? plant->ranks - node : 0;
    enum summand__reach reach = summand__reach_of(model, plant->ranks);
    struct summand__way way = {.load = {plant->ranks - 1, plant->ranks - 1 - outside, outside, 0}};
    struct crossing all = {reach, plant->ranks - 1, outside, plant->ranks - 1, 0, 0, 0};
    time_crossing(plant, &all);
    way.up = all.up, way.down = all.down;
    int groups = (plant->ranks - 2) / (plant->radix > 0 ? plant->radix : 1);
    bool alone = model->fair_card > 0 && !outside; /* else the queue has counted these bytes */
    const struct summand__level *level = &model->level[reach];
    double each = alone ? plant->bytes * level->byte : 0;
    if (plant->bytes > model->eager)
        way.up += groups * (level->latency + level->handshake + each);
    return way;
}

/* A head's messages. Each is in flight for `flight`, and costs the card `busy` and the processor
 * `work`; the slower of these sets the pace. */
struct arrivals {
    double flight, busy, work;
    bool even; /* the messages on the card share it evenly */
};

/* The time until the last of `children` messages is received, `once` of which were sent at the same
 * time. On an even card these arrive together, and the others arrive while they are received. */
static double taken_in(const struct arrivals *arrivals, int children, int once)
{
    bool card = arrivals->busy > arrivals->work;
    double pace = card ? arrivals->busy : arrivals->work;
    double other = card ? arrivals->work : arrivals->busy;
    double late = arrivals->even ? (once - 1) * other - (children - once) * (pace - other) : 0;
    return arrivals->flight + (children - 1) * pace + (late > 0 ? late : 0);
}

/* The time until the first of `children` messages, which leave one every `work`, has passed an even
 * card. It shares the card with the messages that are on it by then. */
static double first_through(const struct arrivals *arrivals, int children)
{
    double busy = arrivals->busy, growth = 1 / arrivals->work - 1 / busy;
    if (!arrivals->even || busy <= arrivals->work)
        return arrivals->flight;
    double through = arrivals->work > 0 ? expm1(growth * busy) / growth : children * busy;
    through = through < children * busy ? through : children * busy;
    return arrivals->flight - busy + through;
}

/* The largest part below a head of n ranks, with f(t) = f(t - 1) + f(t - radix) >= n, as
 * shape/postal.c cuts it. */
static int largest_part(int n, int far, int near)
{
    int part = (int)((long long)n * far / (far + near));
    part = part < n - near ? n - near : part;
    return part < n ? part : n - 1;
}

/* f(t) = f(t - 1) + f(t - radix) ranks are done after t receives. The critical path is that of the
 * largest parts, or that of a head's many children. */
static struct summand__way postal_on(const struct summand__plant *plant, enum summand__reach reach)
{
    enum { MOST = 256 };
    int size[MOST], children[MOST], t = 0, deep = 0;
    int lag = plant->radix < MOST ? plant->radix : MOST - 1;
    for (size[0] = 1; size[t] < plant->ranks && t < MOST - 1; t++)
        size[t + 1] = size[t] + (t + 1 >= lag ? size[t + 1 - lag] : 0);
    bool near = reach == SUMMAND__WITHIN_NODE, even = plant->model->fair_card > 0;
    const struct summand__level *level = &plant->model->level[reach];
    double bytes = plant->bytes * level->byte;
    double busy = near && even ? 0 : summand__larger(bytes, level->gap);
    double flight = level->send + level->latency + bytes +
                    (plant->bytes > plant->model->eager ? level->handshake : 0);
    struct arrivals up = {flight, busy, level->recv, even && !near};
    struct arrivals down = {flight, busy, level->send, even && !near};
    struct summand__way way = {0};
    for (int n = plant->ranks; n > 1 && t >= lag; deep++) {
        while (t > lag && size[t - 1] >= n)
            t--;
        children[deep] = t - lag + 1;
        n = largest_part(n, size[t - lag], size[t - 1]);
    }
    for (int i = deep - 1; i >= 0; i--) {
        int once = children[i] < lag ? children[i] : lag;
        way.up = level->recv + summand__larger(way.up + flight, taken_in(&up, children[i], once));
        double last = flight + (children[i] - 1) * summand__larger(busy, level->send);
        way.down =
            level->recv + summand__larger(way.down + first_through(&down, children[i]), last);
    }
    int most = deep ? children[0] : 1;
    way.load = (struct summand__load){most, most, near ? 0 : most, 0};
    way.up += deep * (most + plant->inside) * plant->combined;
    return way;
}

/* A smaller last switch is done earlier and has one longer path. */
static struct summand__way postal_way(const struct summand__plant *plant)
{
    const struct summand__model *model = plant->model;
    enum summand__reach reach = summand__reach_of(model, plant->ranks);
    int border = summand__border(model, plant->ranks);
    if (reach != SUMMAND__FAR || summand__reach_of(model, border) == SUMMAND__FAR)
        return postal_on(plant, reach);
    struct summand__plant last = *plant;
    last.ranks = plant->ranks - border;
    struct summand__way way = postal_on(plant, SUMMAND__NETWORK);
    struct summand__way rest = postal_on(&last, SUMMAND__NETWORK);
    last.ranks = 2;
    struct summand__way across = postal_on(&last, SUMMAND__FAR);
    way.up = summand__larger(way.up, rest.up + across.up);
    way.down = summand__larger(way.down, rest.down + across.down);
    return way;
}

static struct summand__way one_way(const struct summand__plant *plant)
{
    static struct summand__way (*const way_of[])(const struct summand__plant *) = {
        [SUMMAND__TREE_LEVELS] = branching_way,
        [SUMMAND__TREE_ROW] = chain_way,
        [SUMMAND__TREE_STAR] = linear_way,
        [SUMMAND__TREE_POSTAL] = postal_way};
    _Static_assert(sizeof way_of / sizeof *way_of == SUMMAND__TREE_FORMS, "one per form");
    return plant->ranks < 2 ? (struct summand__way){0} : way_of[plant->shape->form](plant);
}

/* The number of nodes up to the last one of full size. `next` [out]: ranks of the largest node
 * behind them, 0 if there is none; `same` [out]: how many have that size. */
static int large_nodes(const struct summand__grouping *grouping, int *next, int *same)
{
    int large = grouping->groups;
    *next = *same = 0;
    for (; summand__group_size(grouping, large - 1) < grouping->most; large--) {
        int size = summand__group_size(grouping, large - 1);
        *same = size > *next ? 1 : *same + (size == *next);
        *next = size > *next ? size : *next;
    }
    return large;
}

/* The time up inside a node of `ranks` ranks, then up from `nodes` nodes. */
static double up_of(const struct summand__plant *inside, int ranks,
                    const struct summand__plant *between, int nodes)
{
    struct summand__plant node = *inside, above = *between;
    node.ranks = ranks;
    above.ranks = nodes;
    return one_way(&node).up + one_way(&above).up;
}

/* The time up inside nodes and between them. Messages of smaller nodes have arrived when the larger
 * ones finish. If a leader has several neighbouring nodes below it, a node with children is as late
 * as a large one. Their messages meet on the root's card. */
static double up_of_large(const struct summand__plant *inside, double inside_up,
                          const struct summand__plant *between,
                          const struct summand__way *between_way,
                          const struct summand__grouping *grouping)
{
    int next, same, large = large_nodes(grouping, &next, &same);
    bool seen =
        between->shape->form != SUMMAND__TREE_ROW && between->shape->heads == SUMMAND__HEADS_NEXT;
    int early = seen ? grouping->least : next;
    bool deep = seen && !inside->slots && between_way->load.children < between->ranks - 1;
    double part = between->bytes > between->model->eager ? 1.5 : 1;
    double meets = deep ? part * between->bytes * between->model->level[SUMMAND__NETWORK].byte : 0;
    if (large == between->ranks || between->root >= large)
        return inside_up + between_way->up;
    return summand__larger(summand__larger(up_of(inside, inside->ranks, between, large) + meets,
                                           up_of(inside, next, between, 1 + same)),
                           up_of(inside, early, between, between->ranks));
}

struct summand__way summand__way_of(const struct summand__plant *whole,
                                    const struct summand__tree *tree, int trees)
{
    struct summand__plant plant = *whole;
    if (tree->machine <= 1)
        return one_way(whole);
    plant.shape = tree->inside;
    plant.radix = tree->inside_radix;
    plant.ranks = tree->machine < tree->ranks ? tree->machine : tree->ranks;
    plant.root = 0;
    plant.times = trees;
    struct summand__plant within = plant;
    struct summand__way inside = one_way(&plant);
    struct summand__model network = summand__between_nodes(whole->model, 1);
    plant = *whole;
    plant.model = &network;
    plant.ranks = (tree->ranks - 1) / tree->machine + 1;
    plant.root = tree->root / tree->machine;
    plant.inside = inside.load.children * trees;
    struct summand__way between = one_way(&plant);
    between.up = tree->grouping ? up_of_large(&within, inside.up, &plant, &between, tree->grouping)
                                : between.up + inside.up;
    between.down += inside.down;
    between.near_up = inside.up, between.near_down = inside.down;
    between.load.children += inside.load.children * trees;
    between.load.near = inside.load.children * trees;
    return between;
}

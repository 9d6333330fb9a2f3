/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of compositions with several leaders per node: full nodes, one phase after the other.
 */
#include "algorithm/estimate.h"
#include "algorithm/hierarchical/leaders.h"
#include "algorithm/hierarchical/multi_leader.h"
#include "base/extreme.h"
#include "shape/halving.h"

/* The call as the estimate sees it. */
struct view {
    const struct summand__model *model;
    const struct summand__composition *levels;
    int leaders, local, nodes;
    int last;     /* ranks of the last node */
    int led;      /* parts that a rank of the smallest node leads; each waits for the one before */
    int flights;  /* latencies of these parts that follow each other: not those of a root's parts
                     without a rendezvous, which are under way together */
    bool all;     /* all ranks wait for all groups; else the root waits for one after another */
    double bytes; /* of the vector */
};

static int led_of(const struct summand__call *call)
{
    return call->uneven ? (summand__leaders_of(call) - 1) / call->uneven->least + 1 : 1;
}

static struct view view_of(const struct summand__call *call, size_t element,
                           const struct summand__model *model,
                           const struct summand__composition *levels)
{
    struct summand__node_view node = summand__node_of(call, 0);
    int last = call->ranks - (node.nodes - 1) * node.ranks;
    double bytes = (double)(summand__call_total(call) * element);
    int leaders = summand__leaders_of(call), led = led_of(call);
    bool together = summand__has_root(call->collective) && bytes / leaders <= model->eager;
    return (struct view){.model = model,
                         .levels = levels,
                         .leaders = leaders,
                         .local = node.ranks,
                         .led = led,
                         .flights = together ? 1 : led,
                         .nodes = node.nodes,
                         .last = last,
                         .all = call->collective != SUMMAND__COLL_REDUCE,
                         .bytes = bytes};
}

/* The time of one slice to or from each of `ranks` ranks of a node. A node may itself be a group of
 * nodes. */
static double hand_time(const struct view *view, int ranks, double bytes)
{
    enum summand__reach reach = summand__reach_of(view->model, view->local);
    struct summand__burst burst = {reach, 1, ranks, ranks, bytes, false, false};
    return ranks > 0 ? summand__burst_time(view->model, &burst) : 0;
}

/* The network between leaders. If the machine's nodes are single ranks, the composition's ranks are
 * some of its nodes (groups.c). */
static struct summand__model network_of(const struct view *view)
{
    struct summand__model network = summand__between_nodes(view->model, view->leaders);
    for (int reach = SUMMAND__NETWORK; reach < SUMMAND__REACHES; reach++) {
        network.level[reach].latency *= view->flights;
        network.level[reach].send *= view->led;
        network.level[reach].recv *= view->led;
        network.level[reach].handshake *= view->led;
    }
    if (view->model->per_node <= 1 && network.per_switch >= view->local)
        network.per_switch = (int)network.per_switch / view->local;
    return network;
}

/* True if a group of nodes (groups.c) spans two switches. About every second round of its exchanges
 * then crosses between them. This costs a root nothing: meanwhile it receives from other groups. */
static bool is_torn(const struct view *view)
{
    int most = (int)view->model->per_switch;
    return view->all && view->model->per_node <= 1 && most > 0 &&
           most < view->local * view->nodes && most % view->local;
}

static struct summand__there_and_back inside_time(const struct view *view, int ranks)
{
    struct summand__model slower;
    const struct summand__model *model = view->model;
    if (is_torn(view)) {
        slower = *model;
        double *latency = &slower.level[SUMMAND__NETWORK].latency;
        *latency += (model->level[SUMMAND__FAR].latency - *latency) / 2;
        model = &slower;
    }
    struct summand__there_and_back time =
        view->levels->inside_time(model, ranks, view->leaders, view->bytes);
    double copied = view->bytes * model->copy_byte;
    return (struct summand__there_and_back){time.scatter + copied, time.gather + copied};
}

/* The time inside groups of nodes around an exchange that takes `between`; the last group may be
 * smaller. Of two groups, the faster one sends before the other asks, unless it must wait
 * (rendezvous). Those bytes share the other's card. */
static struct summand__there_and_back around_time(const struct view *view, double between)
{
    struct summand__there_and_back full = inside_time(view, view->local);
    if (view->last == view->local || view->model->per_node > 1)
        return full;
    struct summand__there_and_back last = inside_time(view, view->last);
    if (view->nodes != 2)
        return (struct summand__there_and_back){summand__larger(full.scatter, last.scatter),
                                                summand__larger(full.gather, last.gather)};
    double both = summand__larger(full.scatter, last.scatter), part = view->bytes / view->leaders;
    double taken = part * view->model->level[SUMMAND__NETWORK].byte;
    double early = part > view->model->eager ? both : full.scatter + taken - between;
    double first = summand__larger(early, last.scatter);
    return (struct summand__there_and_back){
        view->all ? both : first, summand__larger(first - both + full.gather, last.gather)};
}

static double spread_time(const struct view *view, const struct summand__call *call, size_t element,
                          const struct summand__composition *levels)
{
    struct summand__call inside = summand__leaders_inside(call, 0, SUMMAND__COLL_BCAST, NULL);
    inside.root = 0;
    return summand__estimate_of(levels->inside, &inside, element, view->model);
}

/* The gather after a broadcast, in nodes other than the root's, which has the whole vector. */
static double gather_time(const struct view *view)
{
    int others = view->nodes < 2 ? 1 : view->nodes == 2 ? view->last : view->local;
    return others > 1 ? inside_time(view, others).gather : 0;
}

/* Nodes [low, high) that exchange by halves: `done`, when the last of them has all of its halves;
 * `end`, when the last has finished the work that follows; `after`, the longest time of that work.
 */
struct halves {
    double done, end, after;
};

/* One node's time before and after the exchange of blocks. A reduce-scatter begins with the longer
 * one. For a gather the two change places. */
static struct halves node_halves(const struct view *view, int ranks, double block, bool scatters)
{
    struct summand__there_and_back inside = inside_time(view, ranks);
    int leaders = view->leaders < ranks ? view->leaders : ranks;
    double done = scatters ? inside.scatter : inside.gather;
    double after = hand_time(view, (ranks - 1) / leaders, block);
    return (struct halves){done, done + after, after};
}

/* Each half waits for the other; small nodes are ready early. A gather is a reversed scatter, so
 * its critical path is as long. */
static struct halves join_halves(const struct view *view, const struct summand__grouping *nodes,
                                 int low, int high, double message, double block, bool scatters)
{
    int middle = high - (high - low) / 2;
    if (high - low == 1)
        return node_halves(view, summand__group_size(nodes, low), block, scatters);
    struct halves a = join_halves(view, nodes, low, middle, message, block, scatters);
    struct halves b = join_halves(view, nodes, middle, high, message, block, scatters);
    double end_a = summand__larger(a.end, b.done + message + a.after);
    double end_b = summand__larger(b.end, a.done + message + b.after);
    return (struct halves){summand__larger(a.done, b.done) + message, summand__larger(end_a, end_b),
                           summand__larger(a.after, b.after)};
}

/* Up to this number, nodes of different sizes are examined one by one, at 0.1 us each. */
enum { FEW_NODES = 32 };

static double blocks_estimate(const struct summand__call *call, size_t element,
                              const struct summand__model *model,
                              const struct summand__composition *levels)
{
    struct summand__call first = *call;
    first.rank = 0;
    bool scatters = summand__has_operator(call->collective);
    struct view view = view_of(call, element, model, levels);
    struct summand__model network = network_of(&view);
    size_t behind = (size_t)((view.local + view.leaders - 1) / view.leaders);
    struct summand__call between = summand__leaders_between(&first, call->count * behind);
    enum summand__collective any =
        scatters ? SUMMAND__COLL_REDUCE_SCATTER : SUMMAND__COLL_ALLGATHERV;
    between.in_place = false;
    double time = summand__estimate_of(levels->between[any], &between, element, &network);
    double block = (double)(call->count * element), copied = view.bytes * model->copy_byte;
    if (call->uneven && view.nodes <= FEW_NODES && levels->blocks_by_halves) {
        double message = time / summand__halving_height(view.nodes);
        return join_halves(&view, call->uneven, 0, view.nodes, message, block, scatters).end +
               copied;
    }
    struct summand__there_and_back inside = around_time(&view, time);
    time += scatters ? inside.scatter : inside.gather;
    return time + hand_time(&view, (int)behind - 1, block) + copied;
}

double summand__leaders_estimate(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, size_t element,
                                 const struct summand__model *model)
{
    const struct summand__composition *levels = &algorithm->composition;
    if (summand__has_blocks(call->collective))
        return blocks_estimate(call, element, model, levels);
    struct summand__call first = *call;
    first.rank = first.root = 0;
    struct view view = view_of(call, element, model, levels);
    struct summand__model network = network_of(&view);
    size_t leaders = (size_t)view.leaders;
    struct summand__call between =
        summand__leaders_between(&first, (call->count + leaders - 1) / leaders);
    double time = 0;
    if (view.nodes > 1)
        time = summand__estimate_of(levels->between[call->collective], &between, element, &network);
    if (view.local == 1 || !call->count)
        return time;
    if (call->collective == SUMMAND__COLL_BCAST)
        return time + spread_time(&view, &first, element, levels) + gather_time(&view);
    struct summand__there_and_back inside = around_time(&view, time);
    return time + inside.scatter +
           (call->collective == SUMMAND__COLL_REDUCE
                ? hand_time(&view, view.leaders - 1, view.bytes / view.leaders)
                : inside.gather);
}

/* Estimates of compositions with several leaders per node: one phase after the other, in full
 * nodes. */
#include "algorithm/estimate.h"
#include "algorithm/hierarchical/leaders.h"
#include "algorithm/hierarchical/multi_leader.h"
#include "algorithm/hierarchical/parts.h"

/* The call as the estimate sees it. */
struct view {
    const struct summand__model *model;
    const struct summand__composition *levels;
    int leaders, local, nodes;
    int last;     /* ranks of the last node */
    int led;      /* parts that a rank of the smallest node leads, one after another */
    bool all;     /* all ranks wait for all groups, not a root for one after another */
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
    return (struct view){.model = model,
                         .levels = levels,
                         .leaders = summand__leaders_of(call),
                         .local = node.ranks,
                         .led = led_of(call),
                         .nodes = node.nodes,
                         .last = last,
                         .all = call->collective != SUMMAND__COLL_REDUCE,
                         .bytes = (double)(summand__call_total(call) * element)};
}

/* A piece to or from each of `ranks` ranks of a node, which may itself be a group of nodes. */
static double hand_time(const struct view *view, int ranks, double bytes)
{
    enum summand__reach reach = summand__reach_of(view->model, view->local);
    struct summand__burst burst = {reach, 1, ranks, ranks, bytes, false};
    return ranks > 0 ? summand__burst_time(view->model, &burst) : 0;
}

/* That to the ranks behind a leader. By halves of nodes of any sizes the longest way between them
 * ends in a small one; the largest is done at least a message earlier. */
static double last_hand_time(const struct view *view, const struct summand__call *call, int behind,
                             double bytes)
{
    bool halves = view->levels->between[SUMMAND__COLL_ALLGATHERV] == &summand__rabenseifner;
    const struct summand__level *level = &view->model->level[SUMMAND__NETWORK];
    double full = hand_time(view, behind, bytes);
    if (!call->uneven || view->nodes < 3 || !halves)
        return full;
    double earlier = level->send + level->latency + level->recv;
    double small = hand_time(view, (call->uneven->least - 1) / view->leaders, bytes);
    return full - earlier > small ? full - earlier : small;
}

/* What leaders see of each other. On a machine whose nodes are ranks these ranks are now some of
 * its nodes (groups.c). */
static struct summand__model network_of(const struct view *view)
{
    struct summand__model network = summand__between_nodes(view->model, view->leaders);
    for (int reach = SUMMAND__NETWORK; reach < SUMMAND__REACHES; reach++) {
        network.level[reach].latency *= view->led;
        network.level[reach].send *= view->led;
        network.level[reach].recv *= view->led;
        network.level[reach].handshake *= view->led;
    }
    if (view->model->per_node <= 1 && network.per_switch >= view->local)
        network.per_switch = (int)network.per_switch / view->local;
    return network;
}

/* A group of nodes (groups.c) under two switches, which its exchanges go to in about every second
 * round. A root receives from other groups meanwhile. */
static bool is_torn(const struct view *view)
{
    int most = (int)view->model->per_switch;
    return view->all && view->model->per_node <= 1 && most > 0 &&
           most < view->local * view->nodes && most % view->local;
}

static struct summand__there_and_back inside_time(const struct view *view)
{
    struct summand__model slower;
    const struct summand__model *model = view->model;
    bool torn = is_torn(view);
    if (torn) {
        slower = *model;
        double *latency = &slower.level[SUMMAND__NETWORK].latency;
        *latency += (model->level[SUMMAND__FAR].latency - *latency) / 2;
        model = &slower;
    }
    struct summand__there_and_back time =
        view->levels->inside_time(model, view->local, view->leaders, view->bytes);
    if (view->last < view->local && view->model->per_node <= 1) {
        struct summand__there_and_back last =
            view->levels->inside_time(model, view->last, view->leaders, view->bytes);
        time.scatter = last.scatter > time.scatter ? last.scatter : time.scatter;
        time.gather = last.gather > time.gather ? last.gather : time.gather;
    }
    double more = torn ? summand__torn_time(model, view->local, view->bytes) : 0;
    double copied = view->bytes * model->copy_byte;
    return (struct summand__there_and_back){time.scatter + more + copied,
                                            time.gather + more + copied};
}

static double spread_time(const struct view *view, const struct summand__call *call, size_t element,
                          const struct summand__composition *levels)
{
    struct summand__call inside = summand__leaders_inside(call, 0, SUMMAND__COLL_BCAST, NULL);
    inside.root = 0;
    return summand__estimate_of(levels->inside, &inside, element, view->model);
}

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
    struct summand__there_and_back inside = inside_time(&view);
    time += scatters ? inside.scatter : inside.gather;
    time += last_hand_time(&view, call, (int)behind - 1, (double)(call->count * element));
    return time + view.bytes * model->copy_byte;
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
    struct summand__there_and_back inside = inside_time(&view);
    if (call->collective == SUMMAND__COLL_BCAST)
        return time + spread_time(&view, &first, element, levels) +
               (view.nodes > 1 ? inside.gather : 0);
    return time + inside.scatter +
           (call->collective == SUMMAND__COLL_REDUCE
                ? hand_time(&view, view.leaders - 1, view.bytes / view.leaders)
                : inside.gather);
}

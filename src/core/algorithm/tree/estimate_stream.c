/* SPDX-License-Identifier: BSD-3-Clause */
/* Estimates of trees, whole and in segments: the time of one segment on its critical path
 * (estimate_tree.h). Each further segment adds the time that the busiest rank or card needs for it.
 */
#include "algorithm/tree/estimate_tree.h"
#include "algorithm/tree/pipe.h"
#include "base/extreme.h"
#include "shape/halving.h"

/* The longest way of a message. */
static enum summand__reach reach_of(const struct summand__model *model,
                                    const struct summand__stream *stream)
{
    int ranks = stream->tree->ranks;
    return summand__reach_of(model, stream->exchange > ranks ? stream->exchange : ranks);
}

/* The time of one more segment on a rank: that of its processor or of its card in the node,
 * whichever is longer. If messages wait for their receivers, the pipes limit how many are in
 * flight; each takes latency, card and processor together. On an evenly shared card the first of
 * them completes with the others. `card`: s per segment of the busiest one. */
static double slot_time(const struct summand__plant *plant, const struct summand__stream *stream,
                        const struct summand__load *load, double card)
{
    const struct summand__model *model = plant->model;
    const struct summand__level *level = &model->level[reach_of(model, stream)];
    const struct summand__level *near = &model->level[SUMMAND__WITHIN_NODE];
    double trees = load->parent * stream->trees, both = stream->up && stream->down;
    double operands = load->children + (stream->exchange > 0);
    double up = trees * level->send + load->children * level->recv + operands * plant->combined;
    double down = trees * level->recv + load->children * level->send;
    double work = (stream->up ? up : 0) + (stream->down ? down : 0);
    double busy = summand__larger(plant->bytes * near->byte, near->gap);
    double busy_far = summand__larger(plant->bytes * level->byte, level->gap);
    double far_children = load->children - load->near;
    if (far_children < 1 && load->between > 0)
        far_children = 1;
    double near_messages = model->fair_card > 0 ? 1 : load->near + both * trees;
    double own = summand__larger(busy * near_messages, busy_far * (far_children + both * trees));
    if (plant->bytes > model->eager || summand__paced(plant)) {
        double hidden = (load->children - 1) * (busy < level->recv ? busy : level->recv);
        double through = plant->together > 1
                             ? summand__shared(plant->together, summand__larger(own, card), work)
                             : own;
        double turn = work + through + level->latency + level->handshake;
        turn = (turn - (stream->trees > 1 ? 0 : hidden)) / SUMMAND__UNDER_WAY;
        own = summand__larger(own, turn);
    }
    return summand__larger(work, own);
}

/* True if the heads of successive levels are neighbours on one node. */
static bool staggered(const struct summand__tree *tree)
{
    return tree->shape->heads != SUMMAND__HEADS_APART && tree->shape->form != SUMMAND__TREE_ROW &&
           tree->machine <= 1;
}

/* Messages down into a node whose borders cut subtrees of such a tree: these have a parent
 * elsewhere. If halves end within nodes, so has each head of the rest of a half there: one per
 * level. */
static double cut_messages(const struct summand__tree *tree, const struct summand__model *model)
{
    int node = (int)model->per_node;
    bool cut = false;
    if (node <= 1 || !staggered(tree) || tree->ranks <= 2 * node)
        return 0;
    for (int n = tree->ranks; n > node && tree->shape->halves; n -= n / 2)
        cut = cut || n % node;
    return cut ? summand__halving_height(node) : 1;
}

/* The time of a segment on the busiest card between nodes. If sums come back, an even card has as
 * many messages each way; a binomial tree's card rarely has both at once. */
static double card_time(const struct summand__plant *plant, const struct summand__stream *stream,
                        const struct summand__load *load)
{
    enum summand__reach reach = reach_of(plant->model, stream);
    const struct summand__level *level = &plant->model->level[reach];
    bool meet = stream->exchange && reach != SUMMAND__WITHIN_NODE;
    double both = 0, byte = level->byte;
    if (stream->up && stream->down && (load->between > 0 || meet))
        both = load->parent + cut_messages(stream->tree, plant->model);
    if (both > 0 && plant->model->fair_card > 0 && stream->tree->shape->heads != SUMMAND__HEADS_ONE)
        byte *= 1 + plant->model->cross;
    return stream->trees * (load->between + both) *
           summand__larger(plant->bytes * byte, level->gap);
}

static struct summand__plant plant_of(const struct summand__model *model,
                                      const struct summand__stream *stream)
{
    const struct summand__tree *tree = stream->tree;
    struct summand__plant plant = {.model = model,
                                   .shape = tree->shape,
                                   .radix = tree->radix,
                                   .ranks = tree->ranks,
                                   .root = tree->root,
                                   .up = stream->up,
                                   .down = stream->down,
                                   .slots = stream->segments > 1,
                                   .times = 1,
                                   .together = 1,
                                   .bytes = stream->segment,
                                   .combined = stream->segment * model->reduce_byte};
    if (!plant.slots || model->fair_card <= 0)
        return plant;
    plant.together = stream->segments < SUMMAND__UNDER_WAY ? stream->segments : SUMMAND__UNDER_WAY;
    /* In a chain, data on the way up leave most cards before any data come down. */
    bool crossed =
        tree->shape->heads != SUMMAND__HEADS_ONE && tree->shape->form != SUMMAND__TREE_ROW;
    plant.back = stream->up && stream->down && crossed ? stream->trees : 0;
    return plant;
}

/* Adds one segment between the two roots, which are neighbours, and the load of the busiest card.
 * If both are on one node, segments leave it to their children instead, up and down. */
static double exchange_time(const struct summand__plant *plant,
                            const struct summand__stream *stream, struct summand__load *load)
{
    const struct summand__model *model = plant->model;
    int half = stream->tree->ranks, node = (int)model->per_node;
    bool paced = summand__paced(plant), across = stream->exchange > node;
    struct summand__burst meet = {reach_of(model, stream), 1, 1, 1, plant->bytes, true, paced};
    double more = 0;
    load->parent = 1; /* or the other root in its place */
    if (across && half % node) {
        double messages = half > node ? 2 * load->children : load->children;
        struct summand__burst cross = {meet.reach, 1, 1, messages, plant->bytes, false, paced};
        meet.reach = SUMMAND__WITHIN_NODE;
        load->parent = 0;
        load->near = 0;
        load->between = summand__larger(load->between, messages);
        if (half < node || !plant->slots)
            more = 2 * summand__burst_time(model, &cross);
        cross.queue = 1; /* larger halves have counted one message each way */
        if (half > node && more > 0)
            more -= 2 * summand__burst_time(model, &cross);
    }
    return more + summand__burst_time(model, &meet) + plant->combined;
}

/* Up and down, a machine with children but no parent has as much to do as one with a parent and no
 * children. So of two machines none has both; of three, two trees give one a child in one of them.
 */
static double parents(const struct summand__stream *stream, double most)
{
    const struct summand__tree *tree = stream->tree;
    const int machines = tree->machine > 1 ? (tree->ranks - 1) / tree->machine + 1 : tree->ranks;
    const double others = machines > 2 ? (double)(machines - 2) / stream->trees : 0;
    return others < most ? others : most;
}

/* The busiest card's segments arrive together if the tree's levels lie on different nodes. If they
 * lie on one node, they arrive level by level, the first when its node has finished. */
double summand__stream_time(const struct summand__model *model,
                            const struct summand__stream *stream)
{
    const struct summand__tree *tree = stream->tree;
    struct summand__plant plant = plant_of(model, stream);
    struct summand__way way = summand__way_of(&plant, tree, stream->trees);
    double time = (stream->up ? way.up : 0) + (stream->down ? way.down : 0);
    double near = (stream->up ? way.near_up : 0) + (stream->down ? way.near_down : 0);
    const struct summand__level *level = &model->level[reach_of(model, stream)];
    if (stream->up && stream->down)
        way.load.parent = parents(stream, way.load.parent);
    if (stream->exchange)
        time += exchange_time(&plant, stream, &way.load);
    if (stream->trees > way.load.children) /* two ranks: one is the leaf of both trees */
        way.load.near = way.load.near > 0 ? stream->trees : 0, way.load.children = stream->trees;
    if (stream->trees > 1) /* all trees end at the same root */
        time += (stream->trees - 1) * (plant.bytes * level->byte + level->recv + plant.combined);
    double more = stream->segments > 1 ? stream->segments - 1 : 0; /* the last one may be short */
    double card = card_time(&plant, stream, &way.load), crossing = time + more * card;
    if (card > 0 && staggered(tree))
        crossing = near + level->send + level->latency + level->recv + (more + 1) * card;
    return summand__larger(time + more * slot_time(&plant, stream, &way.load, card), crossing);
}

double summand__stream_estimate(const struct summand__call *call, size_t count, size_t element,
                                const struct summand__model *model, struct summand__stream *stream)
{
    size_t segment = call->parameter[SUMMAND__SEGMENT],
           segments = summand__segments(count, segment);
    stream->up = call->collective != SUMMAND__COLL_BCAST;
    stream->down = call->collective != SUMMAND__COLL_REDUCE;
    stream->segments = segments > 1 ? (double)count / (double)segment : 1;
    stream->segment = (double)((segments > 1 ? segment : count) * element);
    return segments && call->ranks > 1 ? summand__stream_time(model, stream) : 0;
}

double summand__tree_estimate(const struct summand__algorithm *algorithm,
                              const struct summand__call *call, size_t element,
                              const struct summand__model *model)
{
    struct summand__tree tree =
        summand__tree_of(call, algorithm->tree.shape, algorithm->tree.inside);
    tree.grouping = call->uneven;
    struct summand__stream stream = {.tree = &tree, .trees = 1};
    return summand__stream_estimate(call, call->count, element, model, &stream);
}

/* Estimates of trees, whole and in segments: the time of one segment on its longest way, and for
 * each further one the time that the busiest rank or card needs. */
#include "base/pace.h"
#include "reduce/estimate.h"
#include "reduce/pipe.h"

/* From a subtree's head down to the largest subtree below it. */
struct step {
    int operands; /* that the head receives together */
    int outside;  /* of these from other nodes, where the subtree is larger than a node */
    int below;    /* ranks of the largest one */
};

static struct step binomial_step(int radix, int n)
{
    (void)radix;
    return (struct step){1, 1, n - n / 2};
}

static struct step knomial_step(int radix, int n)
{
    int parts = radix < n ? radix : n;
    return (struct step){parts - 1, parts - 1, (n - 1) / parts + 1};
}

static struct step kary_step(int radix, int n)
{
    int parts = radix < n - 1 ? radix : n - 1;
    return (struct step){parts, parts > 1 ? parts - 1 : 1, (n - 2) / parts + 1};
}

static struct step in_order_step(int radix, int n)
{
    int parts = n > 2 ? 2 : 1;
    (void)radix;
    return (struct step){parts, parts, n / 2};
}

/* The later of two subtrees has the golden section of the ranks. */
static struct step fibonacci_step(int radix, int n)
{
    (void)radix;
    int below = (int)(0.618 * (n - 1) + 0.999);
    return (struct step){1, 1, below ? below : 1};
}

static struct step (*const steps[SUMMAND__TREE_SHAPES])(int radix, int n) = {
    [SUMMAND__BINOMIAL] = binomial_step,
    [SUMMAND__KNOMIAL] = knomial_step,
    [SUMMAND__KARY] = kary_step,
    [SUMMAND__BINARY_IN_ORDER] = in_order_step,
    [SUMMAND__FIBONACCI] = fibonacci_step,
    [SUMMAND__TWIN_FIRST] = in_order_step,
    [SUMMAND__TWIN_SECOND] = in_order_step,
};

/* What the busiest rank and card have to do for each segment on its way up; down is the mirror
 * image. */
struct load {
    double children; /* of a rank */
    double near;     /* of these in its own node, through its own card */
    double between;  /* messages into a node's card, or a rank's where cards are not shared */
};

/* The longest way of one segment, and the loads. */
struct way {
    double up, down;
    double near_up, near_down; /* of these in nodes */
    struct load load;
};

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* One level of machines, or one of two. */
struct plant {
    const struct summand__model *model;
    enum summand__tree_shape shape;
    int radix, ranks, root;
    bool slots;      /* goes by segments */
    double bytes;    /* of a segment */
    double combined; /* s per segment combined */
    double inside;   /* children in its machine of a rank that leads one */
    double times;    /* trees that all have the same ranks for inner nodes */
};

/* `together`: messages that the head takes in before it goes on; those of its own node have come
 * already when the others do. */
static void add_step(const struct plant *plant, enum summand__reach reach, struct step step,
                     double together, struct way *way)
{
    bool near = reach == SUMMAND__WITHIN_NODE;
    double queue = (near ? step.operands : step.outside) * plant->times;
    double last = (near ? together : together - step.operands + step.outside) * plant->times;
    struct summand__burst up = {reach, plant->times, last, queue, plant->bytes};
    struct summand__burst down = {reach, last, plant->times, queue, plant->bytes};
    double up_time = summand__burst_time(plant->model, &up) +
                     (together * plant->times + plant->inside) * plant->combined;
    double down_time = summand__burst_time(plant->model, &down);
    way->up += up_time;
    way->down += down_time;
    way->near_up += near ? up_time : 0;
    way->near_down += near ? down_time : 0;
}

static bool twin(enum summand__tree_shape shape)
{
    return shape == SUMMAND__TWIN_FIRST || shape == SUMMAND__TWIN_SECOND;
}

/* Whether heads of subtrees lie far apart; else each level's head is the next rank. */
static bool spreads(enum summand__tree_shape shape)
{
    return shape == SUMMAND__BINARY_IN_ORDER || twin(shape);
}

/* Whether one rank is the head on all levels; else it has one level's children. */
static bool nomial(enum summand__tree_shape shape)
{
    return shape == SUMMAND__BINOMIAL || shape == SUMMAND__KNOMIAL;
}

/* Messages of one level more through the card that is busiest: a node's card serves the heads of as
 * many levels as the node has ranks. */
static void add_load(const struct plant *plant, struct step step, double outside, int level,
                     struct load *load)
{
    enum summand__tree_shape shape = plant->shape;
    if (plant->model->per_node <= 1 && twin(shape)) /* a rank is a leaf of the other tree */
        outside = outside > 1 ? 1 : outside;
    bool shared = plant->model->shared_card > 0 && level < plant->model->per_node;
    bool sums = nomial(shape) || (shared && !spreads(shape));
    load->between = sums ? load->between + outside : larger(load->between, outside);
    load->children =
        nomial(shape) ? load->children + step.operands : larger(load->children, step.operands);
}

/* Children of the root, which it waits for together when it goes by slots. */
static double children_of(const struct plant *plant)
{
    if (plant->ranks < 2)
        return 0;
    struct step step = steps[plant->shape](plant->radix, plant->ranks);
    double children = step.operands;
    if (plant->shape == SUMMAND__FIBONACCI)
        return plant->ranks > 2 ? 2 : 1;
    for (int n = step.below; n > 1 && nomial(plant->shape); n = step.below) {
        step = steps[plant->shape](plant->radix, n);
        children += step.operands;
    }
    return children;
}

/* A rank's own children if all are on other nodes. Halves that do not end where nodes do make an
 * in-order tree's edges cross the boundaries in both directions: up to four into one node. */
static double ragged_edges(const struct plant *plant)
{
    bool even = !(plant->ranks & (plant->ranks - 1));
    bool alone = plant->model->per_node <= 1 || plant->model->shared_card <= 0;
    if (!alone && plant->shape == SUMMAND__BINARY_IN_ORDER && !even)
        return 4;
    return alone && plant->shape == SUMMAND__FIBONACCI ? 2 : 0;
}

/* The way to the ranks under the last switch, where it has fewer than others: it crosses once, and
 * what it takes longer is hidden by what the heads above receive meanwhile. */
struct detour {
    int last; /* ranks under that switch */
    double hidden, more;
    bool crossed;
};

static enum summand__reach reach_on(struct detour *detour, const struct plant *plant, int n,
                                    struct step step)
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

/* Level by level. The boundary of a node that cuts a subtree makes messages of one level more leave
 * it. */
static struct way branching_way(const struct plant *plant)
{
    int node = (int)plant->model->per_node, level = 0;
    bool cut = plant->ranks > node && node > 1;
    double together = plant->slots ? children_of(plant) : 0;
    struct way way = {0};
    struct detour detour = {.last = plant->ranks - summand__border(plant->model, plant->ranks)};
    for (int n = plant->ranks; n > 1; level++) {
        struct step step = steps[plant->shape](plant->radix, n);
        enum summand__reach reach = reach_on(&detour, plant, n, step);
        if (node == 1)
            step.outside = step.operands;
        double outside = reach == SUMMAND__WITHIN_NODE ? 0 : step.outside;
        if (n <= node && cut) {
            cut = false;
            if (node % n || !nomial(plant->shape))
                outside = step.operands;
        }
        add_step(plant, reach, step, plant->slots ? together : step.operands, &way);
        add_load(plant, step, outside, level, &way.load);
        together -= nomial(plant->shape) ? step.operands : 0;
        n = step.below;
    }
    if (plant->shape == SUMMAND__FIBONACCI && plant->ranks > 2)
        way.load.children = 2;
    if (plant->ranks > node && way.load.between < ragged_edges(plant))
        way.load.between = ragged_edges(plant);
    way.load.near = node > 1 ? way.load.children : 0;
    way.up += detour.more;
    way.down += detour.more;
    return way;
}

/* The longer of two rows of ranks one after another, of which as many as there are further nodes
 * have their neighbour on another one. */
static struct way chain_way(const struct plant *plant)
{
    int above = plant->ranks - 1 - plant->root, node = (int)plant->model->per_node;
    int hops = above > plant->root ? above : plant->root;
    int between = hops / node, within = hops - between;
    double sides = (above > 0) + (plant->root > 0);
    struct way one = {0}, way = {.load = {sides, sides, (between > 0) * sides}};
    add_step(plant, SUMMAND__WITHIN_NODE, (struct step){1, 1, 1}, 1, &one);
    way.up = within * one.up, way.down = within * one.down;
    one = (struct way){0};
    add_step(plant, summand__reach_of(plant->model, between ? node + 1 : 1), (struct step){1, 1, 1},
             1, &one);
    way.up += between * one.up, way.down += between * one.down;
    return way;
}

/* All to one: what waits for its receiver does so group by group. */
static struct way linear_way(const struct plant *plant)
{
    const struct summand__model *model = plant->model;
    int node = (int)model->per_node, outside = plant->ranks > node ? plant->ranks - node : 0;
    enum summand__reach reach = summand__reach_of(model, plant->ranks);
    struct way way = {.load = {plant->ranks - 1, plant->ranks - 1 - outside, outside}};
    add_step(plant, reach, (struct step){plant->ranks - 1, outside, 1}, plant->ranks - 1, &way);
    int groups = (plant->ranks - 2) / (plant->radix > 0 ? plant->radix : 1);
    if (plant->bytes > model->eager)
        way.up += groups * (model->level[reach].latency + model->level[reach].handshake);
    return way;
}

/* f(t) = f(t - 1) + f(t - radix) ranks are done after t messages' times of a receiver, `deep` of
 * them one below another; a way of d messages one below another has t - d radix others to wait for.
 */
static struct way postal_on(const struct plant *plant, enum summand__reach reach)
{
    enum { MOST = 256 };
    int size[MOST], t = 0, lag = plant->radix < MOST ? plant->radix : MOST - 1;
    for (size[0] = 1; size[t] < plant->ranks && t < MOST - 1; t++)
        size[t + 1] = size[t] + (t + 1 >= lag ? size[t + 1 - lag] : 0);
    bool near = reach == SUMMAND__WITHIN_NODE;
    const struct summand__level *level = &plant->model->level[reach];
    double bytes = plant->bytes * level->byte;
    double busy = near && plant->model->fair_card > 0 ? 0 : larger(bytes, level->gap);
    double flight = level->send + level->latency + bytes +
                    (plant->bytes > plant->model->eager ? level->handshake : 0);
    double up = larger(busy, level->recv), down = larger(busy, level->send);
    int children = t - lag + 1 > 1 ? t - lag + 1 : 1, deep = (t + lag - 1) / lag;
    struct way way = {.load = {children, children, near ? 0 : children}};
    int up_deep = flight > lag * up ? deep : 1, down_deep = flight > lag * down ? deep : 1;
    int up_rest = t - up_deep * lag, down_rest = t - down_deep * lag;
    way.up = up_deep * (flight + level->recv) + (up_rest > 0 ? up_rest : 0) * up;
    way.down = down_deep * (flight + level->recv) + (down_rest > 0 ? down_rest : 0) * down;
    way.up += deep * (children + plant->inside) * plant->combined;
    return way;
}

/* The ranks under a last switch of fewer ranks are done earlier and have one longer way. */
static struct way postal_way(const struct plant *plant)
{
    const struct summand__model *model = plant->model;
    enum summand__reach reach = summand__reach_of(model, plant->ranks);
    int border = summand__border(model, plant->ranks);
    if (reach != SUMMAND__FAR || summand__reach_of(model, border) == SUMMAND__FAR)
        return postal_on(plant, reach);
    struct plant last = *plant;
    last.ranks = plant->ranks - border;
    struct way way = postal_on(plant, SUMMAND__NETWORK);
    struct way rest = postal_on(&last, SUMMAND__NETWORK);
    last.ranks = 2;
    struct way across = postal_on(&last, SUMMAND__FAR);
    way.up = larger(way.up, rest.up + across.up);
    way.down = larger(way.down, rest.down + across.down);
    return way;
}

static struct way one_way(const struct plant *plant)
{
    struct way none = {0};
    if (plant->ranks < 2)
        return none;
    if (plant->shape == SUMMAND__LINEAR)
        return linear_way(plant);
    if (plant->shape == SUMMAND__POSTAL)
        return postal_way(plant);
    return plant->shape == SUMMAND__CHAIN ? chain_way(plant) : branching_way(plant);
}

/* Two levels are one tree: a leader's children in its machine are done before others arrive. */
static struct way way_of(const struct plant *whole, const struct summand__tree *tree, int trees)
{
    struct plant plant = *whole;
    if (tree->machine <= 1)
        return one_way(whole);
    plant.shape = tree->inside;
    plant.radix = tree->inside_radix;
    plant.ranks = tree->machine < tree->ranks ? tree->machine : tree->ranks;
    plant.root = 0;
    plant.times = trees;
    struct way inside = one_way(&plant);
    struct summand__model network = summand__between_nodes(whole->model, 1);
    plant = *whole;
    plant.model = &network;
    plant.ranks = (tree->ranks - 1) / tree->machine + 1;
    plant.root = tree->root / tree->machine;
    plant.inside = inside.load.children * trees;
    struct way between = one_way(&plant);
    between.up += inside.up, between.down += inside.down;
    between.near_up = inside.up, between.near_down = inside.down;
    between.load.children += inside.load.children * trees;
    between.load.near = inside.load.children * trees;
    return between;
}

/* A segment more on a rank: what its processor or its card in the node does for it, whichever is
 * longer. Where messages wait for their receivers, no more of them are under way than the pipes
 * let, and each takes latency, card and processor together. */
static double slot_time(const struct plant *plant, const struct summand__stream *stream,
                        const struct load *load)
{
    const struct summand__model *model = plant->model;
    const struct summand__level *level = &model->level[summand__reach_of(model, plant->ranks)];
    const struct summand__level *near = &model->level[SUMMAND__WITHIN_NODE];
    double trees = stream->trees, both = stream->up && stream->down;
    double up = trees * level->send + load->children * (level->recv + plant->combined);
    double down = trees * level->recv + load->children * level->send;
    double work = (stream->up ? up : 0) + (stream->down ? down : 0);
    double busy = larger(plant->bytes * near->byte, near->gap);
    double busy_far = larger(plant->bytes * level->byte, level->gap);
    double far_children = load->children - load->near;
    if (far_children < 1 && load->between > 0)
        far_children = 1;
    double near_messages = model->fair_card > 0 ? 1 : load->near + both * trees;
    double own = larger(busy * near_messages, busy_far * (far_children + both * trees));
    double hidden = (load->children - 1) * (busy < level->recv ? busy : level->recv);
    bool waits = plant->bytes > model->eager || plant->bytes <= SUMMAND__PACED_BYTES;
    double turn = 0;
    if (waits)
        turn = (work + own + level->latency + level->handshake - (trees > 1 ? 0 : hidden)) /
               SUMMAND__UNDER_WAY;
    return larger(turn, larger(work, own));
}

/* What a segment costs the busiest card between nodes. */
static double card_time(const struct plant *plant, const struct summand__stream *stream,
                        const struct load *load)
{
    const struct summand__level *level =
        &plant->model->level[summand__reach_of(plant->model, plant->ranks)];
    double both = stream->up && stream->down && load->between > 0;
    return stream->trees * (load->between + both) * larger(plant->bytes * level->byte, level->gap);
}

/* Whether the levels' heads follow one another on one node. */
static bool staggered(const struct summand__tree *tree)
{
    return !spreads(tree->shape) && tree->shape != SUMMAND__CHAIN && tree->machine <= 1;
}

/* The busiest card's segments come all at once where the tree's levels lie on different nodes;
 * where they lie on one node they come one level after another, the first when its node is through.
 */
double summand__stream_time(const struct summand__model *model,
                            const struct summand__stream *stream)
{
    const struct summand__tree *tree = stream->tree;
    struct plant plant = {.model = model,
                          .shape = tree->shape,
                          .radix = tree->radix,
                          .ranks = tree->ranks,
                          .root = tree->root,
                          .slots = stream->segments > 1,
                          .times = 1,
                          .bytes = stream->segment,
                          .combined = stream->segment * model->reduce_byte};
    struct way way = way_of(&plant, tree, stream->trees);
    double time = (stream->up ? way.up : 0) + (stream->down ? way.down : 0);
    double near = (stream->up ? way.near_up : 0) + (stream->down ? way.near_down : 0);
    const struct summand__level *level = &model->level[summand__reach_of(model, tree->ranks)];
    if (stream->trees > way.load.children) /* two ranks: one is the leaf of both trees */
        way.load.near = way.load.near > 0 ? stream->trees : 0, way.load.children = stream->trees;
    if (stream->trees > 1) /* all trees end at the same root */
        time += (stream->trees - 1) * (plant.bytes * level->byte + level->recv + plant.combined);
    double more = stream->segments > 1 ? stream->segments - 1 : 0; /* the last one may be short */
    double card = card_time(&plant, stream, &way.load), crossing = time + more * card;
    if (card > 0 && model->fair_card > 0 && spreads(tree->shape)) /* measured on the play */
        crossing += more * (way.load.children * plant.combined);
    if (card > 0 && staggered(tree))
        crossing = near + level->send + level->latency + level->recv + (more + 1) * card;
    return larger(time + more * slot_time(&plant, stream, &way.load), crossing);
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

double summand__tree_estimate(const struct summand__call *call, size_t element,
                              const struct summand__model *model, const struct summand__tree *tree)
{
    struct summand__stream stream = {.tree = tree, .trees = 1};
    return summand__stream_estimate(call, call->count, element, model, &stream);
}

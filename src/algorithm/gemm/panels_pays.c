/* Who puts the pieces of a product between nodes: their holders, all at the beginning, or ranks in
 * chains, through rings of slots. Both are estimated on a model, from the pieces that there would
 * be.
 *
 * By their holders, a node's card has all bytes of its ranks on it from the beginning. A card that
 * serves one message after the other has carried panel j of the M of a holder after (j + 1) / M of
 * that time; on one that messages share evenly, what is needed first competes with the rest, and
 * all are there at its end. In chains each stage takes as long as its computation or as its bytes
 * on the busiest card, whichever is longer; before the first one the chains must fill: a rank
 * passes on what it gets, those of B after those of A, and each hop takes what the stage puts on
 * the card, and the latency. */
#include <math.h>
#include <stdlib.h>

#include "algorithm/gemm/panels.h"

/* In a ring ranks also wait for one another, which is not estimated: it took 1 to 6 % in
 * predictions for 8 to 32 ranks. */
#define RING_COSTS 0.95

/* More chains must gain that much: they put more on a card at a time, which has other work. */
#define MORE_CHAINS 0.98

enum { LOOKED_AT = 8 }; /* stages; the others are as these */

/* What a rank gets for a stage. */
struct piece {
    int from, to, side;
    bool held; /* `from` is its holder */
    double bytes;
};

struct estimate {
    struct summand__gemm_panels panels;
    const struct summand__model *model;
    int ranks;
    size_t stages, step; /* in all, and from one that is looked at to the next */
    struct piece *piece; /* of the stage that was looked at */
    size_t pieces, room;
    bool failed;                        /* out of memory */
    double *out, *in;                   /* bytes on cards: of nodes, or of ranks */
    double *near;                       /* bytes that a rank gets within its node */
    double *sent[2];                    /* bytes of ranks: in all, and so far */
    double *ready[SUMMAND__GEMM_SIDES]; /* s until a rank has its pieces of the first stage */
};

static int card_of(const struct estimate *e, int rank)
{
    return e->model->shared_card > 0 ? rank / (int)e->model->per_node : rank;
}

static bool is_near(const struct estimate *e, const struct piece *piece)
{
    int per_node = (int)e->model->per_node;
    return piece->from / per_node == piece->to / per_node;
}

static void add(struct estimate *e, const struct piece *piece)
{
    if (e->pieces == e->room) {
        size_t room = 2 * e->room + 64;
        struct piece *more = realloc(e->piece, room * sizeof *more);
        e->failed = e->failed || !more;
        if (!more)
            return;
        e->piece = more;
        e->room = room;
    }
    e->piece[e->pieces++] = *piece;
}

static void look_at_rank(struct estimate *e, int rank, size_t number)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(&e->panels);
    const double unit = (double)summand__product_size(shape->type);
    struct summand__gemm_need needs[SUMMAND__GEMM_SIDES];
    if (number >= summand__gemm_stages(shape, rank))
        return;
    struct summand__gemm_stage stage = summand__gemm_stage(shape, rank, number);
    summand__gemm_stage_needs(shape, &stage, needs);
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++) {
        const struct summand__gemm_operand *operand =
            summand__gemm_operand(shape, (enum summand__gemm_side)side);
        for (int h = 0; h < operand->count && !operand->shared; h++) {
            int holder = operand->holder[h].rank;
            size_t count = holder == rank ? 0 : summand__gemm_common(shape, &needs[side], h);
            if (!count)
                continue;
            int from = summand__gemm_source(&e->panels, rank, number, side, holder);
            add(e, &(struct piece){from, rank, side, from == holder, (double)count * unit});
        }
    }
}

static void look_at(struct estimate *e, size_t number)
{
    e->pieces = 0;
    for (int rank = 0; rank < e->ranks && !e->failed; rank++)
        look_at_rank(e, rank, number);
}

/* Inner elements of stages [first, end) of a job. */
static double width(const struct estimate *e, size_t first, size_t end)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(&e->panels);
    const size_t panels = (size_t)summand__gemm_panels(shape);
    double sum = 0;
    for (size_t s = first; s < end; s++) {
        int64_t k, count;
        summand__gemm_panel_range(shape, (int64_t)(s % panels), &k, &count);
        sum += (double)count;
    }
    return sum;
}

/* Of these stages, on the rank with the most operations. */
static double computing(const struct estimate *e, size_t first, size_t end)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(&e->panels);
    double most = 0;
    for (int j = 0; j < shape->jobs; j++) {
        double rows = (double)summand__share_extent(&shape->c.holder[shape->job[j].holder].rows);
        double elements = rows * (double)shape->job[j].count;
        most = elements > most ? elements : most;
    }
    return 2 * most * width(e, first, end) * e->model->flop;
}

static void clear(const struct estimate *e, double *of)
{
    for (int i = 0; i < e->ranks; i++)
        of[i] = 0;
}

static void clear_cards(struct estimate *e)
{
    clear(e, e->out);
    clear(e, e->in);
    clear(e, e->near);
}

static void load_cards(struct estimate *e, double times)
{
    for (size_t i = 0; i < e->pieces; i++) {
        const struct piece *piece = &e->piece[i];
        if (is_near(e, piece)) {
            e->near[piece->to] += piece->bytes * times;
            continue;
        }
        e->out[card_of(e, piece->from)] += piece->bytes * times;
        e->in[card_of(e, piece->to)] += piece->bytes * times;
    }
}

static double most_of(const struct estimate *e, const double *of)
{
    double most = 0;
    for (int i = 0; i < e->ranks; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

static double near_time(const struct estimate *e)
{
    return most_of(e, e->near) * e->model->level[SUMMAND__WITHIN_NODE].byte;
}

static double card_time(const struct estimate *e)
{
    double out = most_of(e, e->out), in = most_of(e, e->in);
    return (out > in ? out : in) * e->model->level[SUMMAND__NETWORK].byte;
}

/* Pieces are in the order of the ranks that get them, and so are chains, unless groups are not. */
static double filling(struct estimate *e)
{
    clear(e, e->ready[SUMMAND__GEMM_A]);
    clear(e, e->ready[SUMMAND__GEMM_B]);
    for (size_t i = 0; i < e->pieces; i++) {
        const struct piece *piece = &e->piece[i];
        const struct summand__level *level =
            &e->model->level[is_near(e, piece) ? SUMMAND__WITHIN_NODE : SUMMAND__NETWORK];
        double out = e->out[card_of(e, piece->from)], in = e->in[card_of(e, piece->to)];
        double carried = is_near(e, piece) ? piece->bytes : out > in ? out : in;
        double begin = piece->held ? 0 : e->ready[piece->side][piece->from];
        double end = begin + level->latency + level->send + level->recv + carried * level->byte;
        for (int side = piece->side; side < SUMMAND__GEMM_SIDES; side++)
            if (end > e->ready[side][piece->to])
                e->ready[side][piece->to] = end;
    }
    return most_of(e, e->ready[SUMMAND__GEMM_B]);
}

static size_t end_of(const struct estimate *e, size_t first)
{
    return first + e->step < e->stages ? first + e->step : e->stages;
}

static double chains_time(struct estimate *e)
{
    double sum = 0;
    for (size_t s = 0; s < e->stages; s += e->step) {
        look_at(e, s);
        clear_cards(e);
        load_cards(e, 1);
        double alike = width(e, s, end_of(e, s)) / width(e, s, s + 1);
        double moving = alike * fmax(card_time(e), near_time(e));
        sum += fmax(computing(e, s, end_of(e, s)), moving);
        if (!s)
            sum += filling(e);
    }
    return sum;
}

/* Until a source of the stage has sent these too: of its bytes so great a part. On an even card all
 * end together. */
static double sending(struct estimate *e, double times, double cards, double near)
{
    double most = 0;
    bool even = e->model->fair_card > 0;
    for (size_t i = 0; i < e->pieces; i++)
        e->sent[1][e->piece[i].from] += e->piece[i].bytes * times;
    for (size_t i = 0; i < e->pieces; i++) {
        const struct piece *piece = &e->piece[i];
        double part = e->sent[1][piece->from] / e->sent[0][piece->from];
        double time = is_near(e, piece) ? near * part : even ? cards : cards * part;
        most = fmax(most, time);
    }
    return most;
}

static double holders_time(struct estimate *e)
{
    double longest = 0;
    clear_cards(e);
    clear(e, e->sent[0]);
    clear(e, e->sent[1]);
    for (size_t s = 0; s < e->stages; s += e->step) {
        double alike = width(e, s, end_of(e, s)) / width(e, s, s + 1);
        look_at(e, s);
        load_cards(e, alike);
        for (size_t i = 0; i < e->pieces; i++)
            e->sent[0][e->piece[i].from] += e->piece[i].bytes * alike;
    }
    double cards = card_time(e), near = near_time(e);
    for (size_t s = 0; s < e->stages; s += e->step) {
        size_t end = end_of(e, s);
        double alike = width(e, s, end) / width(e, s, s + 1);
        look_at(e, s);
        double first = sending(e, 1, cards, near) + computing(e, s, e->stages);
        double last = sending(e, alike - 1, cards, near) + computing(e, end - 1, e->stages);
        longest = fmax(longest, fmax(first, last));
    }
    return longest;
}

static void set_stages(struct estimate *e)
{
    for (int rank = 0; rank < e->ranks; rank++) {
        size_t own = summand__gemm_stages(summand__gemm_shape_of(&e->panels), rank);
        e->stages = own > e->stages ? own : e->stages;
    }
    e->step = e->stages > LOOKED_AT ? (e->stages + LOOKED_AT - 1) / LOOKED_AT : 1;
}

double summand__gemm_time(const struct summand__gemm_shape *shape, int ranks,
                          const struct summand__model *model)
{
    const struct summand__call call = {
        .collective = SUMMAND__COLL_GEMM, .ranks = ranks, .gemm = shape};
    struct estimate e = {.panels = {.build = {.call = &call, .shape = shape, .rank = -1}},
                         .model = model,
                         .ranks = ranks};
    double **arrays[] = {&e.out, &e.in, &e.near, &e.sent[0], &e.sent[1], &e.ready[0], &e.ready[1]};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    double time = -1, *memory = calloc((size_t)ranks, ARRAYS * sizeof *memory);
    e.panels.member = calloc((size_t)ranks, sizeof *e.panels.member);
    for (int i = 0; i < ARRAYS && memory; i++)
        *arrays[i] = memory + (size_t)i * (size_t)ranks;
    if (memory && e.panels.member) {
        set_stages(&e);
        time = shape->chains ? chains_time(&e) : holders_time(&e);
    }
    free(e.panels.member);
    free(e.piece);
    free(memory);
    return e.failed ? -1 : time;
}

bool summand__gemm_chains(struct summand__gemm_shape *shape, int ranks,
                          const struct summand__model *model, bool direct)
{
    static const size_t tried[] = {1, 2, 4};
    enum { TRIED = sizeof tried / sizeof *tried };
    size_t best = !direct, first = 0;
    double least = INFINITY;
    for (int j = 1; j < shape->jobs; j++)
        if (shape->job[j].rank == shape->job[j - 1].rank)
            first = TRIED;
    if (direct && first < TRIED) {
        shape->chains = 0;
        least = RING_COSTS * summand__gemm_time(shape, ranks, model);
    }
    for (size_t i = first; i < TRIED && least >= 0; i++) {
        shape->chains = tried[i];
        double time = summand__gemm_time(shape, ranks, model);
        if (time < least) {
            least = MORE_CHAINS * time;
            best = tried[i];
        }
    }
    shape->chains = best;
    return least >= 0;
}

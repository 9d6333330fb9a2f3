/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses how pieces travel between nodes: holders put all of them at the beginning, or ranks pass
 * them on in chains, through rings of slots. Both are estimated on a model, from the pieces of the
 * product.
 *
 * Holders: from the beginning a node's card has all bytes of its ranks to send. If a card serves
 * one message after the other, panel j of the M panels of a holder has arrived after (j + 1) / M of
 * that time. If messages share a card evenly, early pieces compete with later ones, and all panels
 * arrive at the end.
 *
 * Chains: each stage takes as long as its computation, or as its bytes on the busiest card,
 * whichever is longer. Before the first stage the chains must fill. A rank passes on the pieces
 * that it gets, those of B after those of A. Each hop takes the latency and the time of the stage's
 * bytes on the card. */
#include <math.h>
#include <stdlib.h>

#include "matrix/gemm/panels.h"

/* In a ring ranks also wait for one another, which is not estimated: 1 to 6 % in simulations of 8
 * to 32 ranks. */
#define RING_COSTS 0.95

/* More chains must gain at least this factor: they put more at a time on a card that has other
 * work. */
#define MORE_CHAINS 0.98

enum { LOOKED_AT = 8 }; /* stages that are examined; the others are taken to be like these */

/* Numbers of chains to try; 0: holders put all pieces. */
static const size_t tried[] = {0, 1, 2, 4};
enum { TRIED = sizeof tried / sizeof *tried };

/* A piece that a rank gets for a stage. */
struct piece {
    int holder, to, side; /* ranks */
    int from[TRIED];
    double bytes;
};

/* An examined stage, which stands for several. */
struct look {
    size_t first, end;
    double alike; /* inner elements of all these stages, relative to those of the first */
    size_t piece, pieces;
};

struct estimate {
    struct summand__gemm_panels panels;
    const struct summand__model *model;
    int ranks, way; /* ranks, and the index in `tried` */
    struct look look[LOOKED_AT];
    int looks;
    struct piece *piece; /* of all examined stages */
    size_t pieces, room;
    bool failed;                        /* out of memory */
    size_t *found[SUMMAND__GEMM_SIDES]; /* the pieces of a stage for ranks whose needs differ from
                                           those of all ranks before */
    double *out, *in;                   /* bytes on cards: of nodes, or of ranks */
    double *near;                       /* bytes that a rank gets within its node */
    double *sent[2];                    /* bytes of ranks: in all, and so far */
    double *ready[SUMMAND__GEMM_SIDES]; /* seconds until a rank has its pieces of the first stage */
};

static int card_of(const struct estimate *e, int rank)
{
    return e->model->shared_card > 0 ? rank / (int)e->model->per_node : rank;
}

static int from(const struct estimate *e, const struct piece *piece)
{
    return piece->from[e->way];
}

static bool is_near(const struct estimate *e, const struct piece *piece)
{
    int per_node = (int)e->model->per_node;
    return from(e, piece) / per_node == piece->to / per_node;
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

/* Finds the holders' pieces for a need that no earlier rank has. */
static void find_pieces(struct estimate *e, int rank, int side)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(&e->panels);
    const struct summand__gemm_operand *operand =
        summand__gemm_operand(shape, (enum summand__gemm_side)side);
    const double unit = (double)summand__product_size(shape->type);
    e->found[side][rank] = e->pieces;
    for (int h = 0; h < operand->count && !operand->shared; h++) {
        size_t count = summand__gemm_common(shape, &e->panels.member[rank].needs[side], h);
        if (count)
            add(e, &(struct piece){.holder = operand->holder[h].rank,
                                   .to = rank,
                                   .side = side,
                                   .bytes = (double)count * unit});
    }
}

/* Repeats the pieces for a rank that has the same need as an earlier one. */
static void repeat_pieces(struct estimate *e, int rank, int side, int head)
{
    size_t first = e->found[side][head];
    for (size_t i = first; i < e->pieces && !e->failed; i++) {
        struct piece piece = e->piece[i];
        if (piece.to != head || piece.side != side)
            return;
        piece.to = rank;
        add(e, &piece);
    }
}

/* Sets the sources; own pieces do not move. */
static void set_sources(struct estimate *e, struct summand__gemm_shape *shape, struct look *look)
{
    size_t kept = look->piece;
    for (size_t i = look->piece; i < e->pieces; i++) {
        struct piece *piece = &e->piece[kept];
        *piece = e->piece[i];
        if (piece->holder == piece->to)
            continue;
        for (int way = 0; way < TRIED; way++) {
            shape->chains = tried[way];
            piece->from[way] = summand__gemm_source(&e->panels, piece->to, look->first, piece->side,
                                                    piece->holder);
        }
        kept++;
    }
    e->pieces = kept;
    look->pieces = kept - look->piece;
}

static void look_at(struct estimate *e, struct summand__gemm_shape *shape, struct look *look)
{
    const struct summand__gemm_member *members = e->panels.member;
    look->piece = e->pieces;
    summand__gemm_look(&e->panels, look->first);
    for (int rank = 0; rank < e->ranks && !e->failed; rank++)
        for (int side = 0; side < SUMMAND__GEMM_SIDES && members[rank].active; side++) {
            int head = members[rank].head[side];
            if (head == rank)
                find_pieces(e, rank, side);
            else
                repeat_pieces(e, rank, side, head);
        }
    if (!e->failed)
        set_sources(e, shape, look);
}

/* Inner elements of stages [first, end) of a job. */
static double width(const struct estimate *e, size_t first, size_t end)
{
    const struct summand__gemm_shape *shape = summand__gemm_shape_of(&e->panels);
    const size_t panels = (size_t)summand__gemm_panels(shape);
    double sum = 0;
    for (size_t s = first; s < end; s++) {
        int64_t k, count;
        summand__gemm_panel_range(shape, &shape->job[0], (int64_t)(s % panels), &k, &count);
        sum += (double)count;
    }
    return sum;
}

/* Seconds of these stages on the rank with the most operations. */
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

static void load_cards(struct estimate *e, const struct look *look, double times)
{
    for (size_t i = 0; i < look->pieces; i++) {
        const struct piece *piece = &e->piece[look->piece + i];
        if (is_near(e, piece)) {
            e->near[piece->to] += piece->bytes * times;
            continue;
        }
        e->out[card_of(e, from(e, piece))] += piece->bytes * times;
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

/* Seconds to fill the chains. Pieces are in the order of the receiving ranks, and so are chains,
 * unless the groups are not. */
static double filling(struct estimate *e)
{
    clear(e, e->ready[SUMMAND__GEMM_A]);
    clear(e, e->ready[SUMMAND__GEMM_B]);
    for (size_t i = 0; i < e->look[0].pieces; i++) {
        const struct piece *piece = &e->piece[i];
        const struct summand__level *level =
            &e->model->level[is_near(e, piece) ? SUMMAND__WITHIN_NODE : SUMMAND__NETWORK];
        int source = from(e, piece);
        double out = e->out[card_of(e, source)], in = e->in[card_of(e, piece->to)];
        double carried = is_near(e, piece) ? piece->bytes : out > in ? out : in;
        double begin = source == piece->holder ? 0 : e->ready[piece->side][source];
        double end = begin + level->latency + level->send + level->recv + carried * level->byte;
        for (int side = piece->side; side < SUMMAND__GEMM_SIDES; side++)
            if (end > e->ready[side][piece->to])
                e->ready[side][piece->to] = end;
    }
    return most_of(e, e->ready[SUMMAND__GEMM_B]);
}

static double chains_time(struct estimate *e)
{
    double sum = 0;
    for (int l = 0; l < e->looks; l++) {
        const struct look *look = &e->look[l];
        clear_cards(e);
        load_cards(e, look, 1);
        double moving = look->alike * fmax(card_time(e), near_time(e));
        sum += fmax(computing(e, look->first, look->end), moving);
        if (!l)
            sum += filling(e);
    }
    return sum;
}

/* Seconds until a source of the stage has sent this share of its bytes too. On an evenly shared
 * card all end together. */
static double sending(struct estimate *e, const struct look *look, double times, double cards,
                      double near)
{
    const struct piece *piece = &e->piece[look->piece];
    double most = 0;
    bool even = e->model->fair_card > 0;
    for (size_t i = 0; i < look->pieces; i++)
        e->sent[1][from(e, &piece[i])] += piece[i].bytes * times;
    for (size_t i = 0; i < look->pieces; i++) {
        double part = e->sent[1][from(e, &piece[i])] / e->sent[0][from(e, &piece[i])];
        double time = is_near(e, &piece[i]) ? near * part : even ? cards : cards * part;
        most = fmax(most, time);
    }
    return most;
}

static double holders_time(struct estimate *e)
{
    const size_t stages = e->look[e->looks - 1].end;
    double longest = 0;
    clear_cards(e);
    clear(e, e->sent[0]);
    clear(e, e->sent[1]);
    for (int l = 0; l < e->looks; l++) {
        const struct look *look = &e->look[l];
        load_cards(e, look, look->alike);
        for (size_t i = 0; i < look->pieces; i++) {
            const struct piece *piece = &e->piece[look->piece + i];
            e->sent[0][from(e, piece)] += piece->bytes * look->alike;
        }
    }
    double cards = card_time(e), near = near_time(e);
    for (int l = 0; l < e->looks; l++) {
        const struct look *look = &e->look[l];
        double first = sending(e, look, 1, cards, near) + computing(e, look->first, stages);
        double last =
            sending(e, look, look->alike - 1, cards, near) + computing(e, look->end - 1, stages);
        longest = fmax(longest, fmax(first, last));
    }
    return longest;
}

/* Examines some of the stages. */
static void look_around(struct estimate *e, struct summand__gemm_shape *shape)
{
    size_t stages = 0;
    for (int rank = 0; rank < e->ranks; rank++) {
        size_t own = summand__gemm_stages(shape, rank);
        stages = own > stages ? own : stages;
    }
    size_t step = stages > LOOKED_AT ? (stages + LOOKED_AT - 1) / LOOKED_AT : 1;
    for (size_t s = 0; s < stages && !e->failed; s += step) {
        struct look *look = &e->look[e->looks++];
        *look = (struct look){.first = s, .end = stages - s < step ? stages : s + step};
        look->alike = width(e, s, look->end) / width(e, s, s + 1);
        look_at(e, shape, look);
    }
}

/* The best of the tries from `first` on, or `else_best`. */
static size_t best_of(struct estimate *e, int first, size_t else_best, double *seconds)
{
    size_t best = else_best;
    double least = INFINITY;
    for (e->way = first; e->way < TRIED && e->looks; e->way++) {
        double time = tried[e->way] ? chains_time(e) : RING_COSTS * holders_time(e);
        if (time < least) {
            least = tried[e->way] ? MORE_CHAINS * time : time;
            best = tried[e->way];
            *seconds = time;
        }
    }
    return best;
}

bool summand__gemm_chains(struct summand__gemm_shape *shape, int ranks,
                          const struct summand__model *model, bool direct)
{
    const struct summand__call call = {
        .collective = SUMMAND__COLL_GEMM, .ranks = ranks, .gemm = shape};
    struct estimate e = {.panels = {.build = {.call = &call, .shape = shape, .rank = -1}},
                         .model = model,
                         .ranks = ranks};
    shape->chains = !direct;
    for (int j = 1; j < shape->jobs; j++)
        if (shape->job[j].rank == shape->job[j - 1].rank)
            return true;
    double **arrays[] = {&e.out, &e.in, &e.near, &e.sent[0], &e.sent[1], &e.ready[0], &e.ready[1]};
    enum { ARRAYS = sizeof arrays / sizeof *arrays };
    double *memory = calloc((size_t)ranks, ARRAYS * sizeof *memory);
    size_t *found = calloc((size_t)ranks, SUMMAND__GEMM_SIDES * sizeof *found);
    e.panels.member = calloc((size_t)ranks, sizeof *e.panels.member);
    e.failed = !memory || !found || !e.panels.member;
    for (int i = 0; i < ARRAYS && !e.failed; i++)
        *arrays[i] = memory + (size_t)i * (size_t)ranks;
    for (int side = 0; side < SUMMAND__GEMM_SIDES && !e.failed; side++)
        e.found[side] = found + (size_t)side * (size_t)ranks;
    if (!e.failed)
        look_around(&e, shape);
    if (!e.failed)
        shape->chains = best_of(&e, !direct, !direct, &shape->seconds);
    free(e.panels.member);
    free(e.piece);
    free(memory);
    free(found);
    return !e.failed;
}

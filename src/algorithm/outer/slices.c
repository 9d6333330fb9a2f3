/* Slices: every rank gets of all factors only the slices that its block of the result takes.
 *
 * How: blocks of rows, or of a grid of pr x pc ranks. Each rank sends every other one the slices of
 *   its own pairs that this one's block takes, all at once; one product over all pairs makes the
 *   block. For a whole result, blocks of rows are then gathered.
 * When: results in blocks; whole ones where all pairs are too many for every rank, and their
 *   elements too few to be worth an all-reduce of the result.
 * Cost: p - 1 messages twice from each rank, (L - K) (N / pr + M / pc) elements to each, and
 *   2 N M L / p operations; for a whole result that of an allgather of N M elements.
 * Restrictions: memory for L (N / pr + M / pc) + K (N + M) elements. A whole result wants its rows
 *   one behind the other on all ranks and, where it is updated, alike there.
 * Source: the "all-scatter" of the future work of Enderlin et al. (ETH); with whole factors their
 *   generalized Rabenseifner (rabenseifner.c). */
#include "algorithm/estimate.h"
#include "algorithm/outer/build.h"

/* Of all layers together: what a rank's block takes of a pair. */
struct need {
    size_t a, b;
};

/* A whole result is made by rows. */
static struct summand__outer_block block_of(const struct summand__call *call, int l, int rank)
{
    struct summand__outer_shape rows = *call->outer;
    if (rows.result == SUMMAND__OUTER_ALL)
        rows.result = SUMMAND__OUTER_ROWS;
    return summand__outer_block_of(&rows, &call->outer->layer[l], rank, 0, call->ranks);
}

static struct need need_of(const struct summand__call *call, int rank)
{
    struct need need = {0, 0};
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__outer_block block = block_of(call, l, rank);
        need.a += block.rows;
        need.b += block.columns;
    }
    return need.a && need.b ? need : (struct need){0, 0};
}

/* Of each factor the slices of all pairs that this rank takes; and its own pairs, cut for others:
 * for each block all pairs, one block behind the other. */
struct side {
    enum summand__outer_place which;
    uint32_t all, own;
    bool whole;   /* all ranks take the same slices: they are sent from where they are needed */
    size_t width; /* that this rank takes */
};

static size_t width_of(const struct side *side, struct need need)
{
    return side->which == SUMMAND__OUTER_A ? need.a : need.b;
}

/* Which of the blocks of a factor a rank takes: those before it, in elements of a pair. */
static size_t cut_before(const struct summand__call *call, const struct side *side, int rank)
{
    size_t before = 0;
    for (int l = 0; l < call->outer->layers; l++) {
        struct summand__outer_block block = block_of(call, l, rank);
        before += side->which == SUMMAND__OUTER_A ? block.row : block.column;
    }
    return before;
}

/* This rank's own pairs in the slices of a rank's block, from element `to` of the place on. */
static void pack(const struct summand__outer_build *build, const struct side *side, int rank,
                 uint32_t place, size_t to, size_t pitch)
{
    for (int l = 0; l < build->shape->layers; l++) {
        struct summand__outer_block block = block_of(build->call, l, rank);
        bool a = side->which == SUMMAND__OUTER_A;
        size_t count = a ? block.rows : block.columns;
        summand__outer_pack(build, l, side->which, a ? block.row : block.column, count, place, to,
                            pitch);
        to += count;
    }
}

/* Ranks of a row or column of the grid get the same slices, which are packed for the first of them:
 * where ranks get nothing, once more for the next one behind. */
static bool is_first(const struct summand__call *call, const struct side *side, int rank)
{
    bool a = side->which == SUMMAND__OUTER_A;
    int columns = call->outer->result == SUMMAND__OUTER_BLOCKS ? call->outer->grid_columns : 1;
    int before = a ? (rank % columns ? rank - 1 : -1) : rank - columns;
    return width_of(side, need_of(call, rank)) &&
           (before < 0 || !width_of(side, need_of(call, before)));
}

/* No other rank takes the slices that this one does. */
static bool is_alone(const struct summand__call *call, const struct side *side)
{
    bool grid = call->outer->result == SUMMAND__OUTER_BLOCKS;
    bool a = side->which == SUMMAND__OUTER_A;
    return a ? !grid || call->outer->grid_columns == 1 : grid && call->outer->grid_rows == 1;
}

static void prepare(const struct summand__outer_build *build, struct side *side)
{
    const struct summand__call *call = build->call;
    const struct summand__outer_shape *shape = build->shape;
    struct need need = need_of(call, call->rank);
    size_t pairs = summand__outer_pairs(call, call->rank), total = 0;
    for (int l = 0; l < shape->layers; l++)
        total += side->which == SUMMAND__OUTER_A ? shape->layer[l].rows : shape->layer[l].columns;
    side->width = width_of(side, need);
    side->whole = side->width == total;
    side->all = summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->unit,
                                   shape->pairs[call->ranks] * side->width);
    side->own = summand__add_place(build->schedule, SUMMAND__TEMPORARY, build->unit,
                                   side->whole ? 0 : pairs * total);
    if (side->width)
        pack(build, side, call->rank, side->all, shape->pairs[call->rank] * side->width,
             side->width);
    for (int r = 0; r < call->ranks && !side->whole; r++)
        if (is_first(call, side, r) && !(r == call->rank && is_alone(call, side)))
            pack(build, side, r, side->own, pairs * cut_before(call, side, r),
                 width_of(side, need_of(call, r)));
}

/* What this rank sends another one. */
static struct summand__region sent(const struct summand__outer_build *build,
                                   const struct side *side, int to)
{
    const struct summand__call *call = build->call;
    size_t pairs = summand__outer_pairs(call, call->rank);
    size_t width = width_of(side, need_of(call, to));
    return side->whole
               ? summand__region((enum summand__place)side->all,
                                 build->shape->pairs[call->rank] * side->width, pairs * width)
               : summand__region((enum summand__place)side->own, pairs * cut_before(call, side, to),
                                 pairs * width);
}

static void exchange(const struct summand__outer_build *build, const struct side side[2])
{
    const struct summand__call *call = build->call;
    const size_t *pairs = build->shape->pairs;
    summand__round(build->schedule);
    for (int distance = 1; distance < call->ranks; distance++) {
        int to = (call->rank + distance) % call->ranks;
        int from = (call->rank + call->ranks - distance) % call->ranks;
        for (int s = 0; s < 2; s++) {
            summand__recv(build->schedule, from,
                          summand__region((enum summand__place)side[s].all,
                                          pairs[from] * side[s].width,
                                          (pairs[from + 1] - pairs[from]) * side[s].width));
            summand__send(build->schedule, to, sent(build, &side[s], to));
        }
    }
    summand__round(build->schedule);
}

static void multiply(const struct summand__outer_build *build, const struct side side[2])
{
    const struct summand__call *call = build->call;
    struct summand__outer_factors factors = {.place_a = side[0].all,
                                             .place_b = side[1].all,
                                             .pitch_a = side[0].width,
                                             .pitch_b = side[1].width,
                                             .count = build->shape->pairs[call->ranks]};
    for (int l = 0; l < build->shape->layers; l++) {
        struct summand__outer_block block = block_of(call, l, call->rank);
        bool whole = build->shape->result == SUMMAND__OUTER_ALL;
        size_t ldg = build->shape->layer[l].ldg;
        summand__outer_product(build, &factors, summand__outer_place(l, SUMMAND__OUTER_G),
                               whole ? block.row * ldg : 0, ldg, block.rows, block.columns, true,
                               true);
        factors.a += block.rows;
        factors.b += block.columns;
    }
}

static void build(const struct summand__algorithm *algorithm, const struct summand__call *call,
                  struct summand__schedule *schedule)
{
    (void)algorithm;
    struct summand__outer_build all = summand__outer_begin(call, schedule);
    struct side side[2] = {{.which = SUMMAND__OUTER_A}, {.which = SUMMAND__OUTER_B}};
    for (int s = 0; s < 2; s++)
        prepare(&all, &side[s]);
    exchange(&all, side);
    multiply(&all, side);
    for (int l = 0; l < call->outer->layers && call->outer->result == SUMMAND__OUTER_ALL; l++) {
        struct summand__call spread = summand__outer_spread(call, l, false);
        summand__outer_embed(&all, &call->outer->spread, &spread,
                             summand__outer_place(l, SUMMAND__OUTER_G), 0);
    }
}

static struct summand__cost slices_cost(const struct summand__call *call)
{
    struct summand__cost cost = {.depth = 0};
    size_t takers[2] = {0, 0}, total = 0;
    for (int r = 0; r < call->ranks; r++) {
        struct need need = need_of(call, r);
        takers[0] += need.a > 0;
        takers[1] += need.b > 0;
        total += need.a + need.b;
    }
    for (int r = 0; r < call->ranks; r++) {
        struct need need = need_of(call, r);
        size_t pairs = summand__outer_pairs(call, r);
        if (!pairs)
            continue;
        cost.messages += takers[0] + takers[1] - (need.a > 0) - (need.b > 0);
        cost.elements += pairs * (total - need.a - need.b);
    }
    cost.depth = cost.messages > 0;
    return cost;
}

static struct summand__cost cost(const struct summand__algorithm *algorithm,
                                 const struct summand__call *call, bool depth)
{
    (void)algorithm;
    struct summand__cost cost = slices_cost(call);
    if (call->outer->result != SUMMAND__OUTER_ALL)
        return cost;
    return summand__outer_add(cost,
                              summand__outer_layers_cost(call, &call->outer->spread, false, depth));
}

static double estimate(const struct summand__algorithm *algorithm, const struct summand__call *call,
                       size_t element, const struct summand__model *model)
{
    (void)algorithm;
    (void)element;
    const struct summand__outer_shape *shape = call->outer;
    /* The largest blocks are those of the last rank of the grid. */
    bool grid = shape->result == SUMMAND__OUTER_BLOCKS;
    int last = grid ? shape->grid_rows * shape->grid_columns - 1 : call->ranks - 1;
    struct need need = need_of(call, last);
    double pairs = (double)shape->pairs[call->ranks];
    int partners = 2 * call->ranks - 1; /* two messages from each, of bytes from others alone */
    double bytes = pairs * (double)((need.a + need.b) * summand__outer_factor_size(shape->type)) *
                   (1 - 1.0 / call->ranks) * partners / (partners - 1 + (partners == 1));
    double time = bytes > 0 ? summand__direct_time(model, partners, partners, bytes).gather : 0;
    time += summand__outer_copy_seconds(
        shape, pairs / call->ranks * (double)(shape->width + need.a + need.b), model);
    for (int l = 0; l < shape->layers; l++) {
        struct summand__outer_block block = block_of(call, l, last);
        time +=
            summand__outer_seconds(shape, (double)block.rows, (double)block.columns, pairs, model);
        if (shape->result != SUMMAND__OUTER_ALL || call->ranks == 1)
            continue;
        struct summand__call spread = summand__outer_spread(call, l, false);
        time += summand__estimate_of(shape->spread.algorithm, &spread,
                                     summand__outer_result_size(shape->type), model);
    }
    return time;
}

static bool applicable(const struct summand__call *call)
{
    const struct summand__outer_shape *shape = call->outer;
    return shape &&
           (shape->result == SUMMAND__OUTER_ROWS || shape->result == SUMMAND__OUTER_BLOCKS ||
            (summand__outer_spreads(call) && shape->spread.algorithm));
}

const struct summand__algorithm summand__outer_slices = {
    .name = "outer-slices",
    .description =
        "each rank receives slices of the factors for its block; a whole result is gathered",
    .source = "Enderlin et al., ETH (future work)",
    .promises = SUMMAND__PAIR_ORDER | SUMMAND__SAME_BITS,
    .applicable = applicable,
    .build = {[SUMMAND__COLL_OUTER] = build},
    .cost = cost,
    .estimate = estimate,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* Cuts a product into boxes, and estimates whether that is faster than panels.
 *
 * All grids of boxes are compared by volumes alone: operations, elements that a rank gets, parts.
 * The best grids, and those that leave A or B in place, are then assigned to ranks. Their times
 * follow from the data that move between these ranks. Panels are timed in the same way, unless
 * their chains already were (panels_pays.c). */
#include <math.h>
#include <stdlib.h>

#include "matrix/gemm/boxes.h"

/* Boxes must gain at least this factor, because their bits differ and estimates are inexact. */
#define GAIN 0.9

enum { SOME = 8, LEAST = 512, RING = 3 };

/* Of each rank, or of each card. */
struct load {
    double *operations; /* seconds of local products */
    double *near;       /* bytes that it copies to others of its node */
    double *out, *in;   /* bytes on cards */
    double *parts;      /* the same of results */
    double *added;      /* bytes of results that it adds up */
};
enum { LOADS = 6 };

struct timing {
    const struct summand__gemm_shape *shape;
    const struct summand__model *model;
    int ranks;
    double unit;
    struct load load;
};

static int card_of(const struct timing *t, int rank)
{
    return t->model->shared_card > 0 ? rank / (int)t->model->per_node : rank;
}

static void move(struct timing *t, int from, int to, double elements, bool part)
{
    double bytes = elements * t->unit;
    int per_node = (int)t->model->per_node;
    if (from == to)
        return;
    if (from / per_node == to / per_node)
        t->load.near[from] += bytes;
    else if (part)
        t->load.parts[card_of(t, to)] += bytes;
    else {
        t->load.out[card_of(t, from)] += bytes;
        t->load.in[card_of(t, to)] += bytes;
    }
}

static double most_of(const struct timing *t, const double *of)
{
    double most = 0;
    for (int i = 0; i < t->ranks; i++)
        most = of[i] > most ? of[i] : most;
    return most;
}

static double sum_of(const struct timing *t, const double *of)
{
    double sum = 0;
    for (int i = 0; i < t->ranks; i++)
        sum += of[i];
    return sum;
}

/* A product takes the longer of its operations and its memory reads. */
static double multiplying(const struct summand__model *model, double rows, double columns,
                          double inner, double unit)
{
    return fmax(2 * rows * columns * inner * model->flop,
                (rows + columns) * inner * unit * model->copy_byte);
}

static void load_pieces(struct timing *t, const struct summand__gemm_job *job)
{
    const struct summand__gemm_shape *shape = t->shape;
    for (int side = 0; side < SUMMAND__GEMM_SIDES; side++) {
        const struct summand__gemm_operand *operand =
            summand__gemm_operand(shape, (enum summand__gemm_side)side);
        struct summand__gemm_need need =
            summand__gemm_needs(shape, job, 0, (enum summand__gemm_side)side);
        need.k = job->holder < 0 ? job->k : 0;
        need.inner = job->holder < 0 ? job->inner : summand__gemm_inner(shape);
        for (int h = 0; h < operand->count && !operand->shared; h++)
            if (operand->holder[h].rank != job->rank)
                move(t, operand->holder[h].rank, job->rank,
                     (double)summand__gemm_common(shape, &need, h), false);
    }
}

static void load_results(struct timing *t, const struct summand__gemm_job *job, double rows)
{
    const struct summand__gemm_operand *c = &t->shape->c;
    for (int h = 0; h < c->count && job->holder < 0; h++) {
        struct summand__gemm_part part;
        if (!summand__gemm_part_of(t->shape, job, h, &part))
            continue;
        double elements = (double)part.rows * (double)part.columns;
        move(t, job->rank, c->holder[h].rank, elements, true);
        t->load.added[c->holder[h].rank] += elements * t->unit;
    }
    if (job->holder >= 0 && !c->shared && c->holder[job->holder].rank != job->rank) {
        move(t, job->rank, c->holder[job->holder].rank, rows * (double)job->count, true);
        t->load.added[c->holder[job->holder].rank] += rows * (double)job->count * t->unit;
    }
}

static double seconds_of(const struct timing *t)
{
    const struct summand__model *model = t->model;
    const struct summand__level *network = &model->level[SUMMAND__NETWORK],
                                *within = &model->level[SUMMAND__WITHIN_NODE];
    const struct load *load = &t->load;
    double stages = (double)summand__gemm_panels(t->shape);
    double computing = most_of(t, load->operations), near = most_of(t, load->near) * within->byte;
    double added = most_of(t, load->added) * model->reduce_byte;
    if (model->per_node >= t->ranks) {
        double alone = computing + near + added;
        double all = sum_of(t, load->operations) + sum_of(t, load->near) * within->byte +
                     sum_of(t, load->added) * model->reduce_byte;
        return (model->processors > 0 ? fmax(alone, all / model->processors) : alone) +
               2 * within->latency;
    }
    double cards = fmax(most_of(t, load->out), most_of(t, load->in)) * network->byte;
    double moving = fmax(cards, near), parts = most_of(t, load->parts) * network->byte;
    return fmax(computing, moving) + fmin(computing, moving) / (stages + !stages) + parts + added +
           2 * network->latency;
}

/* The time of a shape with its jobs; negative: out of memory. */
static double time_of(const struct summand__gemm_shape *shape, int ranks,
                      const struct summand__model *model)
{
    double *memory = calloc((size_t)ranks * LOADS, sizeof *memory);
    double *next = memory;
    if (!memory)
        return -1;
    struct timing t = {.shape = shape,
                       .model = model,
                       .ranks = ranks,
                       .unit = (double)summand__product_size(shape->type)};
    double **loads[] = {&t.load.operations, &t.load.near,  &t.load.out,
                        &t.load.in,         &t.load.parts, &t.load.added};
    for (int i = 0; i < LOADS; i++, next += ranks)
        *loads[i] = next;
    for (int j = 0; j < shape->jobs; j++) {
        const struct summand__gemm_job *job = &shape->job[j];
        bool box = job->holder < 0;
        double rows =
            (double)(box ? job->rows : summand__share_extent(&shape->c.holder[job->holder].rows));
        double inner = (double)(box ? job->inner : summand__gemm_inner(shape));
        t.load.operations[job->rank] += multiplying(model, rows, (double)job->count, inner, t.unit);
        load_pieces(&t, job);
        load_results(&t, job, rows);
    }
    double seconds = seconds_of(&t);
    free(memory);
    return seconds;
}

static double part(int64_t extent, int parts)
{
    return (double)(extent / parts + (extent % parts > 0));
}

/* The time by volumes alone, independent of the holders. */
static double volume_time(const struct summand__gemm_shape *shape,
                          const struct summand__gemm_boxes *boxes,
                          const struct summand__gemm_terms *terms)
{
    const struct summand__model *model = terms->model;
    const struct summand__level *level =
        &model->level[terms->one_node ? SUMMAND__WITHIN_NODE : SUMMAND__NETWORK];
    double sharing = !terms->one_node && model->shared_card > 0 ? model->per_node : 1;
    double unit = (double)summand__product_size(shape->type);
    double rows = part(shape->rows, boxes->rows), columns = part(shape->columns, boxes->columns),
           inner = part(summand__gemm_inner(shape), boxes->inner);
    double all = (double)shape->rows * (double)shape->columns;
    double pieces = rows * inner * !shape->a.shared + columns * inner * !shape->b.shared;
    double parts = all * boxes->inner / shape->c.count;
    return multiplying(model, rows, columns, inner, unit) +
           (pieces + parts) * unit * level->byte * sharing + parts * unit * model->reduce_byte +
           boxes->inner * level->latency;
}

/* Sets the panels of the boxes, and slots. */
static void set_panels(const struct summand__gemm_shape *shape, struct summand__gemm_boxes *boxes,
                       const struct summand__gemm_terms *terms)
{
    size_t unit = summand__product_size(shape->type);
    size_t inner = (size_t)part(summand__gemm_inner(shape), boxes->inner);
    size_t each =
        (size_t)(part(shape->rows, boxes->rows) + part(shape->columns, boxes->columns)) * unit + 1;
    size_t memory = summand__gemm_memory(terms), most = memory / each / RING;
    size_t some = inner / SOME > LEAST ? inner / SOME : LEAST;
    bool fits = inner <= memory / each;
    boxes->panel = terms->panel ? terms->panel : fits && terms->one_node ? 0 : some;
    if (!fits && (!boxes->panel || boxes->panel > most))
        boxes->panel = most + !most;
    boxes->slots = fits ? 0 : RING;
}

static void best_by_volume(const struct summand__gemm_shape *shape,
                           const struct summand__gemm_terms *terms, int holders,
                           struct summand__gemm_boxes *best)
{
    double least = INFINITY;
    for (int rows = 1; rows <= holders && rows <= shape->rows; rows++)
        for (int columns = 1; columns <= holders / rows && columns <= shape->columns; columns++) {
            struct summand__gemm_boxes boxes = {rows, columns, holders / rows / columns, 0, 0, 0};
            double time = volume_time(shape, &boxes, terms);
            if (time >= least)
                continue;
            least = time;
            *best = boxes;
        }
}

/* The grid of a matrix's holders: the columns of the first row, and the rows if all rows have as
 * many. */
static void grid_of(const struct summand__gemm_operand *operand, int *rows, int *columns)
{
    *columns = 0;
    for (int h = 0; h < operand->count; h++)
        *columns += operand->holder[h].rows.first == operand->holder[0].rows.first;
    *rows = *columns ? operand->count / *columns : 1;
    *columns += !*columns;
}

/* The boxes that leave A or B in place. */
static struct summand__gemm_boxes stationary(const struct summand__gemm_shape *shape,
                                             enum summand__gemm_side side)
{
    const struct summand__gemm_operand *operand = summand__gemm_operand(shape, side);
    int rows, columns;
    grid_of(operand, &rows, &columns);
    int inner = summand__gemm_inner_rows(shape, side) ? rows : columns, outer = rows * columns;
    outer /= inner;
    return side == SUMMAND__GEMM_A ? (struct summand__gemm_boxes){outer, 1, inner, 0, 0, 0}
                                   : (struct summand__gemm_boxes){1, outer, inner, 0, 0, 0};
}

/* The number of ranks that hold something. */
static int holders_of(const struct summand__gemm_shape *shape, int ranks)
{
    int count = 0;
    for (int rank = 0; rank < ranks; rank++)
        count += summand__gemm_holder(&shape->a, rank) >= 0 ||
                 summand__gemm_holder(&shape->b, rank) >= 0 ||
                 summand__gemm_holder(&shape->c, rank) >= 0;
    return count;
}

static bool grids_equal(const struct summand__gemm_boxes *a, const struct summand__gemm_boxes *b)
{
    return a->rows == b->rows && a->columns == b->columns && a->inner == b->inner;
}

/* True if boxes could gain even without any communication. This saves assigning boxes, which takes
 * seconds on thousands of ranks. */
static bool could_gain(const struct summand__gemm_shape *shape, int holders,
                       const struct summand__gemm_terms *terms)
{
    double operations = 2 * (double)shape->rows * (double)shape->columns *
                        (double)summand__gemm_inner(shape) * terms->model->flop;
    return operations / holders < GAIN * shape->seconds;
}

/* False when out of memory. */
static bool try_boxes(struct summand__gemm_shape *shape, struct summand__gemm_boxes boxes,
                      const struct summand__gemm_terms *terms, double *least)
{
    struct summand__gemm_shape cut = *shape;
    if (grids_equal(&boxes, &shape->boxes) && *least < INFINITY)
        return true; /* these boxes were tried before */
    set_panels(shape, &boxes, terms);
    cut.boxes = boxes;
    bool good = summand__gemm_deal_boxes(&cut, terms->ranks);
    double time = good ? time_of(&cut, terms->ranks, terms->model) : -1;
    double room = (double)cut.results * (double)summand__product_size(shape->type);
    summand__gemm_release(&cut);
    if (time >= 0 && time < *least && room <= (double)summand__gemm_memory(terms)) {
        *least = time;
        shape->boxes = boxes;
        shape->boxes.seconds = time / GAIN;
    }
    return time >= 0;
}

bool summand__gemm_cut_boxes(struct summand__gemm_shape *shape,
                             const struct summand__gemm_terms *terms)
{
    struct summand__gemm_boxes best = {1, 1, 1, 0, 0, 0};
    double least = INFINITY;
    if (!(shape->seconds > 0))
        shape->seconds = time_of(shape, terms->ranks, terms->model);
    if (shape->seconds < 0)
        return false;
    int holders = holders_of(shape, terms->ranks);
    if (terms->only_faster && !could_gain(shape, holders, terms))
        return true;
    best_by_volume(shape, terms, holders, &best);
    shape->boxes = best;
    return try_boxes(shape, best, terms, &least) &&
           try_boxes(shape, stationary(shape, SUMMAND__GEMM_A), terms, &least) &&
           try_boxes(shape, stationary(shape, SUMMAND__GEMM_B), terms, &least);
}

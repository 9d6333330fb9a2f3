#include "train/pipeline.h"

#include <string.h>

#include "algorithm/outer/kernels.h"
#include "train/pipeline_kernels.h"
#include "train/update.h"

enum { ARRIVED, RETURNED, FREE_AHEAD, FREE_BEHIND }; /* counters */
enum { BATCHES_OF_ERRORS = 2 };                      /* in the ring of errors */

/* Samples that pass together. */
struct piece {
    size_t number, first, count;
    size_t update; /* of which it is a part */
    size_t group;  /* samples of that */
    bool begins, ends;
};

struct stage {
    const struct train_pipeline *p;
    struct summand__schedule *schedule;
    int g, first, last;
    size_t pieces, depth;   /* pieces in flight, at most */
    size_t updates;         /* that the steps so far have made */
    int64_t credited[2];    /* the most that was waited for */
    uint32_t ahead, behind; /* windows: what comes from the stage before, from the one behind */
    uint32_t sums, errors, raw;
    size_t more_floats; /* of a version but the first one */
    /* Floats in front of layer l: a layer's rows lie together, slot by slot, so that those of a
     * batch lie one behind the other. */
    size_t x_at[TRAIN_LAYERS_MOST + 1], d_at[TRAIN_LAYERS_MOST + 1], w_at[TRAIN_LAYERS_MOST + 1];
    struct train_stage_places *places;
};

static size_t cut(size_t n, size_t by)
{
    return (n + by - 1) / by;
}

static size_t pieces_of(const struct train_pipeline *p)
{
    size_t whole = p->samples / p->batch;
    return whole * cut(p->batch, p->piece) + cut(p->samples % p->batch, p->piece);
}

/* Slots of a ring of pieces, of which `depth` may be on their way: those of a batch are wanted
 * until its last piece has gone back, as its gradient is one product, and lie one behind the other.
 */
static size_t slots_for(const struct train_pipeline *p, size_t depth)
{
    size_t each = cut(p->batch, p->piece);
    return each * cut(depth + each - 1, each);
}

/* Of what a stage puts into the next one's window. In sync a stage may begin a batch while the next
 * one improves its weights by the batch before. */
static size_t slots_ahead(const struct train_pipeline *p)
{
    size_t each = cut(p->batch, p->piece);
    return p->delay == TRAIN_SYNC ? 2 * each : slots_for(p, (size_t)p->stages);
}

static size_t slots_behind(const struct train_pipeline *p)
{
    return BATCHES_OF_ERRORS * cut(p->batch, p->piece);
}

static struct piece piece_at(const struct train_pipeline *p, size_t number)
{
    size_t each = cut(p->batch, p->piece), within = number % each;
    struct piece piece = {.number = number, .update = number / each};
    size_t left = p->samples - piece.update * p->batch;
    piece.group = left < p->batch ? left : p->batch;
    piece.first = piece.update * p->batch + within * p->piece;
    piece.count = piece.group - within * p->piece;
    piece.count = piece.count < p->piece ? piece.count : p->piece;
    piece.begins = within == 0;
    piece.ends = within + 1 == cut(piece.group, p->piece);
    return piece;
}

size_t train_pipeline_delay(enum train_delay delay, int stages)
{
    return delay == TRAIN_SYNC ? 0 : delay == TRAIN_2BW ? 1 : (size_t)stages - 1;
}

/* The version that a piece sees: updates that have gone into it. */
static size_t version_of(const struct stage *s, const struct piece *piece)
{
    size_t behind =
        s->p->delay == TRAIN_STASHED ? s->depth - 1 : train_pipeline_delay(s->p->delay, 0);
    return piece->update > behind ? piece->update - behind : 0;
}

static size_t width(const struct stage *s, int l)
{
    return s->p->shape->widths[l];
}

/* The widest row that is put from a stage to another one. */
static size_t widest_border(const struct train_pipeline *p)
{
    size_t widest = 0;
    for (int g = 1; g < p->stages; g++) {
        size_t ld = train_ld(p->shape->widths[p->first[g] - 1] + 1);
        widest = ld > widest ? ld : widest;
    }
    return widest;
}

/* Outputs of layer l, the last stage's put into our window, with the 1 behind each row: of `rows`
 * samples from the piece on. */
static struct summand__tile x_rows(const struct stage *s, const struct piece *piece, int l,
                                   size_t rows, size_t count)
{
    size_t ld = train_ld(width(s, l) + 1);
    if (s->g && l < s->first)
        return summand__tile(s->ahead, piece->number % slots_ahead(s->p) * s->p->piece * ld, rows,
                             count, ld);
    return summand__tile(s->places->x,
                         s->x_at[l] + piece->number % s->places->slots * s->p->piece * ld, rows,
                         count, ld);
}

static struct summand__tile x_tile(const struct stage *s, const struct piece *piece, int l,
                                   size_t count)
{
    return x_rows(s, piece, l, piece->count, count);
}

/* Errors of layer l, those of the next stage's border in our window; others are of one batch. */
static struct summand__tile d_rows(const struct stage *s, const struct piece *piece, int l,
                                   size_t rows)
{
    size_t n = width(s, l), within = piece->number % cut(s->p->batch, s->p->piece);
    if (s->g + 1 < s->p->stages && l == s->last)
        return summand__tile(s->behind, piece->number % slots_behind(s->p) * s->p->piece * n, rows,
                             n, n);
    return summand__tile(s->errors, s->d_at[l] + within * s->p->piece * n, rows, n, n);
}

static struct summand__tile d_tile(const struct stage *s, const struct piece *piece, int l)
{
    return d_rows(s, piece, l, piece->count);
}

/* Without momentum decay is of the weights themselves. */
static bool decays_alone(const struct train_pipeline *p)
{
    return p->decay != 0 && p->momentum == 0;
}

/* Versions of a layer that the stage keeps. Nothing goes back through layer 1, and in `stashed` a
 * batch begins in stage 0 with the newest version there: so no other one is wanted, and the largest
 * layer of many networks is not copied for each batch. */
static size_t versions_of(const struct stage *s, int l)
{
    return l == 1 && s->p->delay == TRAIN_STASHED && !decays_alone(s->p) ? 1 : s->places->versions;
}

/* Behind the first version of all layers lie the others, of those layers that have more. */
static struct summand__tile w_tile(const struct stage *s, size_t version, int l, size_t rows)
{
    size_t n = width(s, l);
    return summand__tile(s->places->weights,
                         version % versions_of(s, l) * s->more_floats + s->w_at[l], rows, n,
                         train_ld(n));
}

static void map(const struct stage *s, const struct summand__kernel *kernel,
                struct summand__tile from, struct summand__tile with, struct summand__tile to)
{
    summand__compute(s->schedule, kernel, from, with, to, true);
}

/* Credits of all starts that a slot's next use needs, but for those of earlier starts. */
static int64_t credits_for(size_t number, size_t slots, size_t pieces)
{
    if (number >= slots)
        return (int64_t)(number - slots + 1);
    if (pieces <= number)
        return 0;
    size_t before = number + (pieces - 1 - number) / slots * slots;
    return (int64_t)before + 1 - (int64_t)pieces;
}

/* Puts rows, each of `ld` floats, into a slot of another stage's window once it is free. */
static void pass_on(struct stage *s, const struct piece *piece, bool ahead,
                    struct summand__region from, size_t ld)
{
    size_t slots = ahead ? slots_ahead(s->p) : slots_behind(s->p);
    int peer = ahead ? s->g + 1 : s->g - 1;
    int64_t credits = credits_for(piece->number, slots, s->pieces);
    summand__round(s->schedule); /* what is put is not written in the same round */
    if (credits > s->credited[ahead]) {
        s->credited[ahead] = credits;
        summand__wait_counter(s->schedule, ahead ? FREE_AHEAD : FREE_BEHIND, credits);
    }
    size_t at = piece->number % slots * s->p->piece * ld;
    uint32_t window = ahead ? s->ahead : s->behind;
    summand__put(s->schedule, peer, from,
                 summand__region((enum summand__place)window, at, from.count));
    summand__notify(s->schedule, peer, ahead ? ARRIVED : RETURNED);
    summand__round(s->schedule);
}

static struct summand__region rows_of(const struct summand__tile *tile)
{
    return summand__region((enum summand__place)tile->place, tile->first,
                           tile->shape.rows * tile->shape.pitch);
}

static void take_samples(const struct stage *s, const struct piece *piece)
{
    size_t n = width(s, 0);
    const struct summand__kernel *kernel =
        s->p->bytes ? &train_kernel_take : summand__kernel_named("pack");
    map(s, kernel, summand__tile(s->places->samples, piece->first * n, piece->count, n, n),
        (struct summand__tile){0}, x_tile(s, piece, 0, n));
}

static void score(const struct stage *s, const struct piece *piece)
{
    const struct train_shape *shape = s->p->shape;
    int l = s->last;
    size_t n = width(s, l), rows = piece->count;
    struct summand__tile x = x_tile(s, piece, l, n);
    struct summand__tile y = summand__tile(s->places->targets, piece->first * n, rows, n, n);
    struct summand__tile raw = summand__tile(s->raw, 0, rows, n, n), d = d_tile(s, piece, l);
    map(s, train_kernel_score(shape->loss), x, y,
        summand__tile(s->places->scores, 2 * piece->first, rows, 2, 2));
    map(s, &train_kernel_off, x, y, shape->loss->is_softmax ? d : raw);
    if (!shape->loss->is_softmax)
        map(s, train_kernel_derive(shape->last), x, raw, d);
}

static void forward(struct stage *s, const struct piece *piece)
{
    const struct train_shape *shape = s->p->shape;
    size_t version = version_of(s, piece);
    if (!s->g)
        take_samples(s, piece);
    else
        summand__wait_counter(s->schedule, ARRIVED, (int64_t)piece->number + 1);
    for (int l = s->first; l <= s->last; l++) {
        size_t terms = width(s, l - 1) + 1, n = width(s, l);
        struct summand__tile z = summand__tile(s->sums, 0, piece->count, n, n);
        map(s, train_kernel_product(s->p->arithmetic, TRAIN_FORWARD),
            x_tile(s, piece, l - 1, terms), w_tile(s, version, l, terms), z);
        map(s,
            l < shape->layers ? train_kernel_apply(shape->hidden)
                              : train_kernel_outputs(shape->loss, shape->last),
            z, (struct summand__tile){0}, x_tile(s, piece, l, n));
    }
    if (s->g + 1 < s->p->stages) {
        struct summand__tile x = x_tile(s, piece, s->last, width(s, s->last));
        pass_on(s, piece, true, rows_of(&x), x.shape.pitch);
    } else {
        score(s, piece);
    }
}

/* Errors of the layer before. */
static void back(struct stage *s, const struct piece *piece, int l)
{
    size_t inputs = width(s, l - 1);
    struct summand__tile raw = summand__tile(s->raw, 0, piece->count, inputs, inputs);
    map(s, train_kernel_product(s->p->arithmetic, TRAIN_BACK), d_tile(s, piece, l),
        w_tile(s, version_of(s, piece), l, inputs), raw);
    map(s, train_kernel_derive(s->p->shape->hidden), x_tile(s, piece, l - 1, inputs), raw,
        s->first < l ? d_tile(s, piece, l - 1)
                     : summand__tile(s->errors, s->d_at[l - 1], piece->count, inputs, inputs));
}

static void scaled(const struct stage *s, const struct summand__kernel *kernel, double alpha,
                   struct summand__tile from, struct summand__tile to)
{
    const struct summand__computation what = {.kernel = kernel, .alpha = alpha, .beta = 1};
    summand__compute_as(s->schedule, &what, from, (struct summand__tile){0}, to);
}

/* The same without the last row, the biases. */
static struct summand__tile unbiased(struct summand__tile tile)
{
    tile.shape.rows--;
    return tile;
}

/* target = alpha (sum of a batch's gradients) + beta target. */
static void add_gradient(const struct stage *s, const struct piece *begin, int l, double alpha,
                         double beta, struct summand__tile target)
{
    const struct summand__computation step = {
        .kernel = train_kernel_product(s->p->arithmetic, TRAIN_GRADIENT),
        .alpha = alpha,
        .beta = beta};
    summand__compute_as(s->schedule, &step,
                        x_rows(s, begin, l - 1, begin->group, width(s, l - 1) + 1),
                        d_rows(s, begin, l, begin->group), target);
}

/* The next version of the weights, by a batch of which `begin` is the first piece; as
 * train_update_begin and _end make it. */
static void improve(const struct stage *s, const struct piece *begin, int l)
{
    const struct train_pipeline *p = s->p;
    size_t rows = width(s, l - 1) + 1, n = width(s, l);
    struct summand__tile old = w_tile(s, s->updates, l, rows);
    struct summand__tile next = w_tile(s, s->updates + 1, l, rows);
    struct summand__tile velocity =
        summand__tile(s->places->velocity, s->w_at[l], rows, n, train_ld(n));
    if (versions_of(s, l) > 1)
        map(s, summand__kernel_named("pack"), old, (struct summand__tile){0}, next);
    if (p->momentum == 0) {
        if (decays_alone(p))
            scaled(s, &train_kernel_decay, (double)train_kept(p->rate, p->decay), unbiased(old),
                   unbiased(next));
        add_gradient(s, begin, l, (double)-(float)(p->rate / (double)begin->group), 1, next);
        return;
    }
    add_gradient(s, begin, l, (double)(1 / (float)begin->group), (double)(float)p->momentum,
                 velocity);
    if (p->decay != 0)
        scaled(s, &train_kernel_pull, (double)(float)p->decay, unbiased(old), unbiased(velocity));
    scaled(s, &train_kernel_step, (double)(float)p->rate, velocity, next);
}

/* A batch is over: its slots may be filled again. */
static void end_batch(struct stage *s, const struct piece *end)
{
    size_t pieces = end->number % cut(s->p->batch, s->p->piece) + 1;
    struct piece begin = piece_at(s->p, end->number + 1 - pieces);
    for (int l = s->last; l >= s->first; l--)
        improve(s, &begin, l);
    for (size_t i = 0; i < pieces; i++) {
        if (s->g)
            summand__notify(s->schedule, s->g - 1, FREE_AHEAD);
        if (s->g + 1 < s->p->stages)
            summand__notify(s->schedule, s->g + 1, FREE_BEHIND);
    }
    s->updates++;
}

static void backward(struct stage *s, const struct piece *piece)
{
    /* Layer 1 alone uses a batch's errors when all of them are there. */
    if (s->g + 1 < s->p->stages && (s->last > 1 || piece->ends))
        summand__wait_counter(s->schedule, RETURNED, (int64_t)piece->number + 1);
    for (int l = s->last; l >= s->first && l > 1; l--)
        back(s, piece, l);
    if (s->g) {
        size_t n = width(s, s->first - 1);
        pass_on(s, piece, false,
                summand__region((enum summand__place)s->errors, s->d_at[s->first - 1],
                                piece->count * n),
                n);
    }
    if (piece->ends)
        end_batch(s, piece);
}

static uint32_t temporary(const struct stage *s, size_t floats)
{
    return summand__add_place(s->schedule, SUMMAND__TEMPORARY, sizeof(float), floats);
}

/* Windows first, as they must have the same numbers on all ranks. */
static void add_windows(struct stage *s)
{
    const struct train_pipeline *p = s->p;
    size_t row = p->piece * widest_border(p);
    int before = (s->g + p->stages - 1) % p->stages, behind = (s->g + 1) % p->stages;
    if (p->stages == 1)
        return;
    s->ahead =
        summand__add_place(s->schedule, SUMMAND__WINDOW, sizeof(float), slots_ahead(p) * row);
    s->behind =
        summand__add_place(s->schedule, SUMMAND__WINDOW, sizeof(float), slots_behind(p) * row);
    size_t from_before = s->g ? s->pieces : 0, from_behind = behind ? s->pieces : 0;
    summand__add_counter(s->schedule, before, from_before); /* ARRIVED */
    summand__add_counter(s->schedule, behind, from_behind); /* RETURNED */
    summand__add_counter(s->schedule, behind, from_behind); /* FREE_AHEAD */
    summand__add_counter(s->schedule, before, from_before); /* FREE_BEHIND */
}

static void add_places(struct stage *s)
{
    const struct train_pipeline *p = s->p;
    size_t errors = 0, widest = 0, weights = 0, outputs = 0;
    s->places->slots = p->delay == TRAIN_SYNC ? cut(p->batch, p->piece) : slots_for(p, s->depth);
    for (int l = s->first - 1; l <= s->last; l++) {
        size_t n = width(s, l), rows = s->places->slots * p->piece;
        widest = n + 1 > widest ? n + 1 : widest;
        s->d_at[l] = errors;
        errors += (l < s->first ? p->piece : cut(p->batch, p->piece) * p->piece) * n;
        s->x_at[l] = outputs;
        outputs += l >= s->first || !s->g ? rows * train_ld(n + 1) : 0;
        s->w_at[l] = weights;
        weights += l >= s->first ? (width(s, l - 1) + 1) * train_ld(n) : 0;
    }
    s->places->versions = p->delay == TRAIN_SYNC ? 1 : p->delay == TRAIN_2BW ? 2 : s->depth;
    if (decays_alone(p) && s->places->versions == 1)
        s->places->versions = 2; /* nothing is computed in its own place */
    for (int l = s->first; l <= s->last; l++)
        s->more_floats += versions_of(s, l) > 1 ? (width(s, l - 1) + 1) * train_ld(width(s, l)) : 0;
    s->places->weights = summand__add_place(s->schedule, SUMMAND__UPDATED, sizeof(float),
                                            weights + (s->places->versions - 1) * s->more_floats);
    if (p->momentum != 0)
        s->places->velocity =
            summand__add_place(s->schedule, SUMMAND__UPDATED, sizeof(float), weights);
    s->places->x = summand__add_place(s->schedule, SUMMAND__UPDATED, sizeof(float), outputs);
    s->errors = temporary(s, errors);
    s->raw = temporary(s, p->piece * widest);
    s->sums = temporary(s, p->piece * widest);
    if (!s->g)
        s->places->samples = summand__add_place(
            s->schedule, SUMMAND__INPUT, p->bytes ? 1 : sizeof(float), p->samples * width(s, 0));
    if (s->g + 1 < p->stages)
        return;
    s->places->targets = summand__add_place(s->schedule, SUMMAND__INPUT, sizeof(float),
                                            p->samples * width(s, s->last));
    s->places->scores =
        summand__add_place(s->schedule, SUMMAND__RESULT, sizeof(float), 2 * p->samples);
}

static struct stage make_stage(const struct train_pipeline *p, int g,
                               struct summand__schedule *schedule,
                               struct train_stage_places *places)
{
    struct stage s = {.p = p,
                      .schedule = schedule,
                      .g = g,
                      .first = p->first[g],
                      .last = p->first[g + 1] - 1,
                      .pieces = pieces_of(p),
                      .depth = (size_t)(p->stages - g),
                      .credited = {INT64_MIN, INT64_MIN},
                      .places = places};
    *places = (struct train_stage_places){
        .samples = UINT32_MAX, .targets = UINT32_MAX, .scores = UINT32_MAX, .velocity = UINT32_MAX};
    return s;
}

void train_pipeline_build(const struct train_pipeline *pipeline, int g,
                          struct summand__schedule *schedule, struct train_stage_places *places)
{
    struct stage s = make_stage(pipeline, g, schedule, places);
    add_windows(&s);
    add_places(&s);
    for (size_t ahead = 0, done = 0; done < s.pieces; done++) {
        for (; ahead < s.pieces && ahead - done < s.depth; ahead++) {
            struct piece piece = piece_at(pipeline, ahead);
            if (version_of(&s, &piece) > s.updates)
                break;
            forward(&s, &piece);
        }
        struct piece piece = piece_at(pipeline, done);
        backward(&s, &piece);
    }
    for (int l = s.first; l <= s.last; l++)
        if (s.updates % versions_of(&s, l))
            map(&s, summand__kernel_named("pack"),
                w_tile(&s, s.updates, l, s.p->shape->widths[l - 1] + 1), (struct summand__tile){0},
                w_tile(&s, 0, l, s.p->shape->widths[l - 1] + 1));
    summand__round(schedule);
}

void train_pipeline_fill(const struct train_pipeline *pipeline, int g, size_t slots, float *x)
{
    int first = pipeline->first[g], last = pipeline->first[g + 1] - 1;
    for (int l = g ? first : first - 1; l <= last; l++) {
        size_t n = pipeline->shape->widths[l], ld = train_ld(n + 1);
        for (size_t i = 0; i < slots * pipeline->piece; i++, x += ld)
            x[n] = 1;
    }
}

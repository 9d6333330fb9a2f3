/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/pipeline.h"

#include <string.h>

#include "compute/kernels.h"
#include "outer/algorithm/kernels.h"
#include "train/network.h"
#include "train/pipeline_kernels.h"
#include "train/pipeline_stage.h"

static struct summand__tile x_tile(const struct train_stage *s, const struct train_piece *piece,
                                   int l, size_t count)
{
    return train_stage_outputs(s, piece, l, piece->count, count);
}

static struct summand__tile d_tile(const struct train_stage *s, const struct train_piece *piece,
                                   int l)
{
    return train_stage_errors(s, piece, l, piece->count);
}

/* The version that a piece sees: its number of updates. */
static size_t version_of(const struct train_stage *s, const struct train_piece *piece)
{
    size_t behind = s->p->delay == TRAIN_STASHED ? s->depth - 1
                                                 : train_pipeline_delay(s->p->delay, s->p->stages);
    return piece->update > behind ? piece->update - behind : 0;
}

static void map(const struct train_stage *s, const struct summand__kernel *kernel,
                struct summand__tile from, struct summand__tile with, struct summand__tile to)
{
    summand__compute(s->schedule, kernel, from, with, to, true);
}

/* Puts rows, each of `ld` floats, into a slot of another stage's window once it is free. */
static void pass_on(struct train_stage *s, const struct train_piece *piece, bool ahead,
                    struct summand__region from, size_t ld)
{
    size_t slots = ahead ? train_slots_ahead(s->p) : train_slots_behind(s->p);
    int peer = ahead ? s->g + 1 : s->g - 1;
    int64_t credits = train_credits_for(piece->number, slots, s->pieces);
    summand__round(s->schedule); /* data that are put must not be written in the same round */
    if (credits > s->credited[ahead]) {
        s->credited[ahead] = credits;
        summand__wait_counter(s->schedule, ahead ? TRAIN_FREE_AHEAD : TRAIN_FREE_BEHIND, credits);
    }
    size_t at = piece->number % slots * s->p->piece * ld;
    uint32_t window = ahead ? s->ahead : s->behind;
    summand__put(s->schedule, peer, from,
                 summand__region((enum summand__place)window, at, from.count));
    summand__notify(s->schedule, peer, ahead ? TRAIN_ARRIVED : TRAIN_RETURNED);
    summand__round(s->schedule);
}

static struct summand__region rows_of(const struct summand__tile *tile)
{
    return summand__region((enum summand__place)tile->place, tile->first,
                           tile->shape.rows * tile->shape.pitch);
}

static void take_samples(const struct train_stage *s, const struct train_piece *piece)
{
    size_t n = train_stage_width(s, 0);
    const struct summand__kernel *kernel =
        s->p->bytes ? &train_kernel_take : summand__kernel_named("pack");
    map(s, kernel, summand__tile(s->places->samples, piece->first * n, piece->count, n, n),
        (struct summand__tile){0}, x_tile(s, piece, 0, n));
}

static void score(const struct train_stage *s, const struct train_piece *piece)
{
    const struct summand__net_shape *shape = s->p->shape;
    int l = s->last;
    size_t n = train_stage_width(s, l), rows = piece->count;
    struct summand__tile x = x_tile(s, piece, l, n);
    struct summand__tile y = summand__tile(s->places->targets, piece->first * n, rows, n, n);
    struct summand__tile raw = summand__tile(s->raw, 0, rows, n, n), d = d_tile(s, piece, l);
    map(s, train_kernel_score(shape->loss), x, y,
        summand__tile(s->places->scores, 2 * piece->first, rows, 2, 2));
    map(s, &train_kernel_off, x, y, shape->loss->is_softmax ? d : raw);
    if (!shape->loss->is_softmax)
        map(s, train_kernel_derive(shape->last), x, raw, d);
}

static void forward(struct train_stage *s, const struct train_piece *piece)
{
    const struct summand__net_shape *shape = s->p->shape;
    size_t version = version_of(s, piece);
    /* Stage 1 gets its weights from the rank of its inputs, which arrive after them. */
    if (train_pipeline_keeper(s->p, s->g) != s->g && s->g > 1 && version >= s->shown) {
        s->shown = version + 1;
        summand__wait_counter(s->schedule, TRAIN_MADE, (int64_t)s->shown);
    }
    if (!s->g)
        take_samples(s, piece);
    else
        summand__wait_counter(s->schedule, TRAIN_ARRIVED, (int64_t)piece->number + 1);
    for (int l = s->first; l <= s->last; l++) {
        size_t terms = train_stage_width(s, l - 1) + 1, n = train_stage_width(s, l);
        struct summand__tile z = summand__tile(s->sums, 0, piece->count, n, n);
        map(s, train_kernel_product(s->p->arithmetic, TRAIN_FORWARD),
            x_tile(s, piece, l - 1, terms), train_stage_weights(s, version, l, terms), z);
        map(s,
            l < shape->layers ? train_kernel_apply(shape->hidden)
                              : train_kernel_outputs(shape->loss, shape->last),
            z, (struct summand__tile){0}, x_tile(s, piece, l, n));
    }
    if (s->g + 1 < s->p->stages) {
        struct summand__tile x = x_tile(s, piece, s->last, train_stage_width(s, s->last));
        pass_on(s, piece, true, rows_of(&x), x.shape.pitch);
    } else {
        score(s, piece);
    }
}

/* Errors of the layer before. */
static void back(struct train_stage *s, const struct train_piece *piece, int l)
{
    size_t inputs = train_stage_width(s, l - 1);
    struct summand__tile raw = summand__tile(s->raw, 0, piece->count, inputs, inputs);
    map(s, train_kernel_product(s->p->arithmetic, TRAIN_BACK), d_tile(s, piece, l),
        train_stage_weights(s, version_of(s, piece), l, inputs), raw);
    map(s, train_kernel_derive(s->p->shape->hidden), x_tile(s, piece, l - 1, inputs), raw,
        s->first < l ? d_tile(s, piece, l - 1)
                     : summand__tile(s->errors, s->d_at[l - 1], piece->count, inputs, inputs));
}

static void scaled(const struct train_stage *s, const struct summand__kernel *kernel, double alpha,
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
static void add_gradient(const struct train_stage *s, const struct train_piece *begin, int l,
                         double alpha, double beta, struct summand__tile target)
{
    const struct summand__computation step = {
        .kernel = train_kernel_product(s->p->arithmetic, TRAIN_GRADIENT),
        .alpha = alpha,
        .beta = beta};
    summand__compute_as(s->schedule, &step, train_stage_inputs_of(s, begin, l, l > s->last),
                        train_stage_errors_of(s, begin, l, l > s->last), target);
}

/* Makes the next version of the weights by a batch whose first piece is `begin`, as
 * train_update_begin and _end do. */
static void improve(const struct train_stage *s, const struct train_piece *begin, int l)
{
    const struct train_pipeline *p = s->p;
    size_t rows = train_stage_width(s, l - 1) + 1, n = train_stage_width(s, l);
    struct summand__tile old = train_stage_weights(s, s->updates, l, rows);
    struct summand__tile next = train_stage_weights(s, s->updates + 1, l, rows);
    struct summand__tile velocity =
        summand__tile(s->places->velocity, s->w_at[l], rows, n, summand__net_ld(n));
    if (train_stage_versions(s, l) > 1)
        map(s, summand__kernel_named("pack"), old, (struct summand__tile){0}, next);
    if (p->momentum == 0) {
        if (train_decays_alone(p))
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

/* Versions that batches see in stages other than 0. */
static size_t versions_shared(const struct train_stage *s)
{
    size_t behind = train_pipeline_delay(s->p->delay, s->p->stages);
    return s->pieces > behind ? s->pieces - behind : 1;
}

/* Sends inputs and errors for a batch's gradients to stage 0. Its ring has one slot per stage, so
 * it needs no credits: the batch saw a version that was made after the earlier batch in the same
 * slot had been read. */
static void send_sources(const struct train_stage *s, const struct train_piece *begin)
{
    summand__round(s->schedule);
    for (int l = s->last; l >= s->first; l--) {
        struct summand__tile x = train_stage_inputs_of(s, begin, l, false),
                             d = train_stage_errors_of(s, begin, l, false);
        struct summand__tile x_to = train_stage_inputs_of(s, begin, l, true),
                             d_to = train_stage_errors_of(s, begin, l, true);
        summand__put(s->schedule, 0, rows_of(&x), rows_of(&x_to));
        summand__put(s->schedule, 0, rows_of(&d), rows_of(&d_to));
    }
    summand__notify(s->schedule, 0, TRAIN_SENT + (uint32_t)s->g - 1);
    summand__round(s->schedule);
}

/* Puts the newest weights of all other stages to them. With one slot per stage no credits are
 * needed: a version replaces one that no batch in flight sees. */
static void share_version(const struct train_stage *s, size_t version)
{
    summand__round(s->schedule);
    for (int g = 1; g < s->p->stages; g++) {
        int first = s->p->first[g], last = s->p->first[g + 1] - 1;
        size_t from = train_stage_weights(s, version, first, 1).first;
        size_t floats = s->w_at[last] + train_stage_floats(s, last) - s->w_at[first];
        size_t to = version % (size_t)s->p->stages * s->version_floats;
        summand__put(s->schedule, g,
                     summand__region((enum summand__place)s->places->weights, from, floats),
                     summand__region((enum summand__place)s->versions, to, floats));
        summand__notify(s->schedule, g, TRAIN_MADE);
    }
    summand__round(s->schedule);
}

/* The next version of all weights that the stage keeps. */
static void improve_all(struct train_stage *s, const struct train_piece *begin)
{
    bool last = s->p->delay == TRAIN_LAST;
    for (int g = 1; last && g < s->p->stages; g++)
        summand__wait_counter(s->schedule, TRAIN_SENT + (uint32_t)g - 1,
                              (int64_t)begin->update + 1);
    for (int l = train_pipeline_last_kept(s->p, s->g); l >= s->first; l--)
        improve(s, begin, l);
    if (last && begin->update + 1 < versions_shared(s))
        share_version(s, begin->update + 1);
}

/* A batch is over: its slots may be filled again. */
static void end_batch(struct train_stage *s, const struct train_piece *end)
{
    size_t pieces = end->number % train_pieces_each(s->p) + 1;
    struct train_piece begin = train_piece_at(s->p, end->number + 1 - pieces);
    if (train_pipeline_keeper(s->p, s->g) == s->g)
        improve_all(s, &begin);
    else
        send_sources(s, &begin);
    s->updates++;
    for (size_t i = 0; i < pieces; i++) {
        if (s->g)
            summand__notify(s->schedule, s->g - 1, TRAIN_FREE_AHEAD);
        if (s->g + 1 < s->p->stages)
            summand__notify(s->schedule, s->g + 1, TRAIN_FREE_BEHIND);
    }
}

static void backward(struct train_stage *s, const struct train_piece *piece)
{
    /* Only layer 1 uses a batch's errors once all of them are there; in `last` the wait for stage
     * 1's later data suffices. */
    bool later = s->last == 1 && (!piece->ends || s->p->delay == TRAIN_LAST);
    if (s->g + 1 < s->p->stages && !later)
        summand__wait_counter(s->schedule, TRAIN_RETURNED, (int64_t)piece->number + 1);
    for (int l = s->last; l >= s->first && l > 1; l--)
        back(s, piece, l);
    if (s->g) {
        size_t n = train_stage_width(s, s->first - 1);
        pass_on(s, piece, false,
                summand__region((enum summand__place)s->errors, s->d_at[s->first - 1],
                                piece->count * n),
                n);
    }
    if (piece->ends)
        end_batch(s, piece);
}

static uint32_t temporary(const struct train_stage *s, size_t floats)
{
    return summand__add_place(s->schedule, SUMMAND__TEMPORARY, sizeof(float), floats);
}

/* If stage 0 computes all gradients: windows for versions of the other stages' weights, and for
 * inputs and errors of their layers. */
static void add_windows_of_last(struct train_stage *s)
{
    const struct train_pipeline *p = s->p;
    for (int g = 1; g < p->stages; g++) {
        size_t floats = 0;
        for (int l = p->first[g]; l < p->first[g + 1]; l++) {
            floats += train_stage_floats(s, l);
            s->source_at[l] = s->source_floats;
            s->source_floats += p->batch * (summand__net_ld(train_stage_width(s, l - 1) + 1) +
                                            train_stage_width(s, l));
        }
        s->version_floats = floats > s->version_floats ? floats : s->version_floats;
    }
    size_t slots = (size_t)p->stages;
    s->versions =
        summand__add_place(s->schedule, SUMMAND__WINDOW, sizeof(float), slots * s->version_floats);
    s->sources =
        summand__add_place(s->schedule, SUMMAND__WINDOW, sizeof(float), slots * s->source_floats);
    summand__add_counter(s->schedule, s->g ? 0 : 1, s->g ? versions_shared(s) : 0); /* TRAIN_MADE */
    for (int g = 1; g < p->stages; g++)
        summand__add_counter(s->schedule, s->g ? 0 : g, s->g ? 0 : s->pieces); /* TRAIN_SENT */
}

/* Adds windows first, because they must have the same numbers on all ranks. */
static void add_windows(struct train_stage *s)
{
    const struct train_pipeline *p = s->p;
    size_t row = p->piece * train_widest_border(p);
    int before = (s->g + p->stages - 1) % p->stages, behind = (s->g + 1) % p->stages;
    if (p->stages == 1)
        return;
    s->ahead =
        summand__add_place(s->schedule, SUMMAND__WINDOW, sizeof(float), train_slots_ahead(p) * row);
    s->behind = summand__add_place(s->schedule, SUMMAND__WINDOW, sizeof(float),
                                   train_slots_behind(p) * row);
    size_t from_before = s->g ? s->pieces : 0, from_behind = behind ? s->pieces : 0;
    summand__add_counter(s->schedule, before, from_before); /* TRAIN_ARRIVED */
    summand__add_counter(s->schedule, behind, from_behind); /* TRAIN_RETURNED */
    summand__add_counter(s->schedule, behind, from_behind); /* TRAIN_FREE_AHEAD */
    summand__add_counter(s->schedule, before, from_before); /* TRAIN_FREE_BEHIND */
    if (p->delay == TRAIN_LAST)
        add_windows_of_last(s);
}

/* Adds weights, and velocities with momentum, if the stage keeps them. */
static void add_weights(struct train_stage *s)
{
    const struct train_pipeline *p = s->p;
    bool keeps = train_pipeline_keeper(p, s->g) == s->g;
    int last = keeps ? train_pipeline_last_kept(p, s->g) : s->last;
    s->places->versions = p->delay == TRAIN_SYNC ? 1 : p->delay == TRAIN_2BW ? 2 : s->depth;
    if (train_decays_alone(p) && s->places->versions == 1)
        s->places->versions = 2; /* nothing is computed in place */
    for (int l = s->first; l <= last; l++) {
        size_t floats = train_stage_floats(s, l);
        s->w_at[l] = s->all_floats;
        s->more_at[l] = s->more_floats;
        s->all_floats += floats;
        s->more_floats += train_stage_versions(s, l) > 1 ? floats : 0;
    }
    if (!keeps)
        return;
    s->places->weights =
        summand__add_place(s->schedule, SUMMAND__UPDATED, sizeof(float),
                           s->all_floats + (s->places->versions - 1) * s->more_floats);
    if (p->momentum != 0)
        s->places->velocity =
            summand__add_place(s->schedule, SUMMAND__UPDATED, sizeof(float), s->all_floats);
}

static void add_places(struct train_stage *s)
{
    const struct train_pipeline *p = s->p;
    size_t errors = 0, widest = 0, outputs = 0;
    s->places->slots = p->delay == TRAIN_SYNC ? train_pieces_each(p) : train_slots_for(p, s->depth);
    for (int l = s->first - 1; l <= s->last; l++) {
        size_t n = train_stage_width(s, l), rows = s->places->slots * p->piece;
        widest = n + 1 > widest ? n + 1 : widest;
        s->d_at[l] = errors;
        errors += (l < s->first ? p->piece : train_pieces_each(p) * p->piece) * n;
        s->x_at[l] = outputs;
        outputs += l >= s->first || !s->g ? rows * summand__net_ld(n + 1) : 0;
    }
    add_weights(s);
    s->places->x = summand__add_place(s->schedule, SUMMAND__UPDATED, sizeof(float), outputs);
    s->errors = temporary(s, errors);
    s->raw = temporary(s, p->piece * widest);
    s->sums = temporary(s, p->piece * widest);
    if (!s->g)
        s->places->samples =
            summand__add_place(s->schedule, SUMMAND__INPUT, p->bytes ? 1 : sizeof(float),
                               p->samples * train_stage_width(s, 0));
    if (s->g + 1 < p->stages)
        return;
    s->places->targets = summand__add_place(s->schedule, SUMMAND__INPUT, sizeof(float),
                                            p->samples * train_stage_width(s, s->last));
    s->places->scores =
        summand__add_place(s->schedule, SUMMAND__RESULT, sizeof(float), 2 * p->samples);
}

static struct train_stage make_stage(const struct train_pipeline *p, int g,
                                     struct summand__schedule *schedule,
                                     struct train_stage_places *places)
{
    struct train_stage s = {.p = p,
                            .schedule = schedule,
                            .g = g,
                            .first = p->first[g],
                            .last = p->first[g + 1] - 1,
                            .pieces = train_pieces_of(p),
                            .depth = (size_t)(p->stages - g),
                            .credited = {INT64_MIN, INT64_MIN},
                            .places = places};
    *places = (struct train_stage_places){.samples = UINT32_MAX,
                                          .targets = UINT32_MAX,
                                          .scores = UINT32_MAX,
                                          .weights = UINT32_MAX,
                                          .velocity = UINT32_MAX};
    return s;
}

/* Copies the newest weights to the place that the next start reads. */
static void settle(const struct train_stage *s)
{
    int last = train_pipeline_last_kept(s->p, s->g);
    for (int l = s->first; l <= last; l++) {
        size_t rows = train_stage_width(s, l - 1) + 1;
        if (s->updates % train_stage_versions(s, l))
            map(s, summand__kernel_named("pack"), train_stage_weights(s, s->updates, l, rows),
                (struct summand__tile){0}, train_stage_weights(s, 0, l, rows));
    }
}

void train_pipeline_build(const struct train_pipeline *pipeline, int g,
                          struct summand__schedule *schedule, struct train_stage_places *places)
{
    struct train_stage s = make_stage(pipeline, g, schedule, places);
    add_windows(&s);
    add_places(&s);
    if (pipeline->delay == TRAIN_LAST && !g)
        share_version(&s, 0);
    for (size_t ahead = 0, done = 0; done < s.pieces; done++) {
        for (; ahead < s.pieces && ahead - done < s.depth; ahead++) {
            struct train_piece piece = train_piece_at(pipeline, ahead);
            if (version_of(&s, &piece) > s.updates)
                break;
            forward(&s, &piece);
        }
        struct train_piece piece = train_piece_at(pipeline, done);
        backward(&s, &piece);
    }
    if (train_pipeline_keeper(pipeline, g) == g)
        settle(&s);
    summand__round(schedule);
}

void train_pipeline_fill(const struct train_pipeline *pipeline, int g, size_t slots, float *x)
{
    int first = pipeline->first[g], last = pipeline->first[g + 1] - 1;
    for (int l = g ? first : first - 1; l <= last; l++) {
        size_t n = pipeline->shape->widths[l], ld = summand__net_ld(n + 1);
        for (size_t i = 0; i < slots * pipeline->piece; i++, x += ld)
            x[n] = 1;
    }
}

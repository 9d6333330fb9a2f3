/* SPDX-License-Identifier: BSD-3-Clause */
#include "train/pipeline_stage.h"

size_t train_stage_width(const struct train_stage *s, int l)
{
    return s->p->shape->widths[l];
}

size_t train_stage_floats(const struct train_stage *s, int l)
{
    return (train_stage_width(s, l - 1) + 1) * summand__net_ld(train_stage_width(s, l));
}

/* Outputs of layer l, with the 1 after each row: `rows` samples from the piece on. Those of the
 * previous stage's last layer lie in our window. */
struct summand__tile train_stage_outputs(const struct train_stage *s,
                                         const struct train_piece *piece, int l, size_t rows,
                                         size_t count)
{
    size_t ld = summand__net_ld(train_stage_width(s, l) + 1);
    if (s->g && l < s->first)
        return summand__tile(s->ahead, piece->number % train_slots_ahead(s->p) * s->p->piece * ld,
                             rows, count, ld);
    return summand__tile(s->places->x,
                         s->x_at[l] + piece->number % s->places->slots * s->p->piece * ld, rows,
                         count, ld);
}

/* Errors of layer l; those at the next stage's border lie in our window, others are of one
 * batch. */
struct summand__tile train_stage_errors(const struct train_stage *s,
                                        const struct train_piece *piece, int l, size_t rows)
{
    size_t n = train_stage_width(s, l), within = piece->number % train_pieces_each(s->p);
    if (s->g + 1 < s->p->stages && l == s->last)
        return summand__tile(s->behind, piece->number % train_slots_behind(s->p) * s->p->piece * n,
                             rows, n, n);
    return summand__tile(s->errors, s->d_at[l] + within * s->p->piece * n, rows, n, n);
}

/* True if decay applies to the weights themselves: without momentum. */
bool train_decays_alone(const struct train_pipeline *p)
{
    return p->decay != 0 && p->momentum == 0;
}

/* Versions of a layer that the stage keeps. Nothing goes back through layer 1, and in `stashed` a
 * batch begins in stage 0 with the newest version there: so no other one is wanted, and the largest
 * layer of many networks is not copied for each batch. Of the layers of other stages, which stage 0
 * improves for them, the newest version is all. */
size_t train_stage_versions(const struct train_stage *s, int l)
{
    if (l > s->last)
        return train_decays_alone(s->p) ? 2 : 1;
    bool newest = train_pipeline_whole(s->p->delay);
    return l == 1 && newest && !train_decays_alone(s->p) ? 1 : s->places->versions;
}

/* After the first version of all layers come the others, for layers that have more. The versions
 * that stage 0 keeps for a stage arrive in its window. */
struct summand__tile train_stage_weights(const struct train_stage *s, size_t version, int l,
                                         size_t rows)
{
    size_t n = train_stage_width(s, l), ld = summand__net_ld(n);
    if (train_pipeline_keeper(s->p, s->g) != s->g)
        return summand__tile(s->versions,
                             version % (size_t)s->p->stages * s->version_floats + s->w_at[l], rows,
                             n, ld);
    size_t number = version % train_stage_versions(s, l);
    size_t at = number ? s->all_floats + (number - 1) * s->more_floats + s->more_at[l] : s->w_at[l];
    return summand__tile(s->places->weights, at, rows, n, ld);
}

/* The inputs of a layer's gradient: its inputs, with the 1 after each row, and its errors. `there`:
 * as they lie in the window of stage 0, which computes all gradients. */
struct summand__tile train_stage_inputs_of(const struct train_stage *s,
                                           const struct train_piece *begin, int l, bool there)
{
    size_t n = train_stage_width(s, l - 1) + 1;
    if (!there)
        return train_stage_outputs(s, begin, l - 1, begin->group, n);
    return summand__tile(s->sources,
                         begin->update % (size_t)s->p->stages * s->source_floats + s->source_at[l],
                         begin->group, n, summand__net_ld(n));
}

struct summand__tile train_stage_errors_of(const struct train_stage *s,
                                           const struct train_piece *begin, int l, bool there)
{
    size_t n = train_stage_width(s, l);
    if (!there)
        return train_stage_errors(s, begin, l, begin->group);
    struct summand__tile x = train_stage_inputs_of(s, begin, l, true);
    return summand__tile(s->sources, x.first + s->p->batch * x.shape.pitch, begin->group, n, n);
}

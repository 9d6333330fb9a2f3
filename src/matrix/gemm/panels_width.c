/* SPDX-License-Identifier: BSD-3-Clause */
/* Chooses the width of panels, holders or chains, and the number of slots.
 *
 * Panels are as wide as the memory for slots allows. Within a node one panel is enough, because the
 * same processors copy and compute. Between nodes each part of the inner dimension has several
 * panels, which overlap. The pieces of one rank leave one after another, those of other ranks at
 * the same time. Computation hides all but a piece of the first panel and the last columns of
 * helpers. If it is faster, ranks pass pieces on in chains, with a ring of slots. If holders put
 * all pieces at the beginning, the last panels compete with the first ones. With a ring but no
 * chains, only the card that sends the current panel would have work. */
#include "matrix/gemm/boxes.h"

enum { SOME = 8, LEAST = 512, FIRST = 4, BACK = 192, RING = 3, STEP = 64 };

static bool set_panels(struct summand__gemm_shape *shape, const struct summand__gemm_terms *terms)
{
    size_t inner = (size_t)shape->inner;
    size_t memory = summand__gemm_memory(terms);
    size_t unit = summand__product_size(shape->type);
    size_t each = inner ? shape->slot / inner * unit + 1 : 1; /* bytes of one inner element */
    size_t most = memory / each / RING;
    size_t narrow = most > STEP ? most / STEP * STEP : most + !most;
    bool fits = inner <= memory / each;
    size_t some = inner / (SOME * (size_t)terms->parts);
    size_t panel = terms->one_node ? inner : some > LEAST ? some : LEAST;
    shape->panel = terms->panel ? terms->panel : fits || panel < narrow ? panel : narrow;
    shape->back = terms->one_node ? 0 : BACK;
    shape->ramp = terms->one_node || shape->panel < LEAST ? 1 : FIRST;
    if (!terms->one_node && !summand__gemm_chains(shape, terms->ranks, terms->model, fits))
        return false;
    if (shape->chains && fits && !terms->panel && panel > narrow)
        shape->panel = narrow;
    shape->slots = fits && !shape->chains ? 0 : RING;
    return true;
}

bool summand__gemm_lay_out(struct summand__gemm_shape *shape,
                           const struct summand__gemm_terms *terms)
{
    if (!summand__gemm_prepare(shape))
        return false;
    bool good = set_panels(shape, terms);
    summand__gemm_release(shape);
    return good && summand__gemm_prepare(shape) &&
           (!terms->parts_add || summand__gemm_cut_boxes(shape, terms));
}

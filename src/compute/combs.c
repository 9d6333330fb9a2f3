/* SPDX-License-Identifier: BSD-3-Clause */
#include "compute/combs.h"

#include <stdlib.h>

#include "base/extreme.h"

static struct summand__comb *append(struct summand__combs *combs)
{
    if (combs->length == combs->capacity) {
        size_t capacity = combs->capacity ? 2 * combs->capacity : 8;
        struct summand__comb *more = realloc(combs->comb, capacity * sizeof *more);
        combs->failed = combs->failed || !more;
        if (!more)
            return NULL;
        combs->comb = more;
        combs->capacity = capacity;
    }
    return &combs->comb[combs->length++];
}

/* True if the run is the comb's next tooth. Two teeth may be any distance apart. */
static bool prolongs(const struct summand__comb *comb, const struct summand__comb *run)
{
    return comb->width == run->width &&
           (comb->teeth == 1 || (run->from == comb->from + comb->teeth * comb->from_step &&
                                 run->to == comb->to + comb->teeth * comb->to_step));
}

static void add_run(struct summand__combs *combs, const struct summand__comb *run)
{
    struct summand__comb *last = combs->length ? &combs->comb[combs->length - 1] : NULL;
    if (!run->width)
        return;
    combs->total += run->width;
    combs->runs++;
    if (last && prolongs(last, run)) {
        last->from_step = last->teeth == 1 ? run->from - last->from : last->from_step;
        last->to_step = last->teeth == 1 ? run->to - last->to : last->to_step;
        last->teeth++;
        return;
    }
    struct summand__comb *next = append(combs);
    if (next)
        *next = *run;
}

void summand__combs_within(struct summand__combs *combs, const struct summand__share *from,
                           const struct summand__share *to, enum summand__view view, int64_t begin,
                           int64_t end)
{
    struct summand__overlap overlap;
    struct summand__comb run = {.teeth = 1};
    size_t position = 0;
    *combs = (struct summand__combs){.comb = NULL};
    for (int64_t index = begin;
         !combs->failed && index < end && summand__overlap_next(from, to, index, &overlap) &&
         overlap.index < end;
         index = overlap.index + overlap.count) {
        if (overlap.count > end - overlap.index)
            overlap.count = end - overlap.index;
        size_t a = view == SUMMAND__VIEW_RECEIVER ? position : (size_t)overlap.from;
        size_t b = view == SUMMAND__VIEW_SENDER ? position : (size_t)overlap.to;
        size_t width = (size_t)overlap.count;
        position += width;
        if (run.width && a == run.from + run.width && b == run.to + run.width) {
            run.width += width;
            continue;
        }
        add_run(combs, &run);
        run = (struct summand__comb){.from = a, .to = b, .width = width, .teeth = 1};
        run.from_step = run.to_step = width;
    }
    add_run(combs, &run);
}

/* Adds the comb's indices number `first` to `end - 1`: the rest of a tooth, whole teeth, and the
 * begin of the last one. */
static void add_part(struct summand__combs *combs, const struct summand__comb *comb, size_t first,
                     size_t end)
{
    while (first < end && !combs->failed) {
        size_t tooth = first / comb->width, within = first % comb->width;
        bool whole = !within && end - first >= comb->width;
        struct summand__comb part = *comb, *next;
        part.from += tooth * comb->from_step + within;
        part.to += tooth * comb->to_step + within;
        part.teeth = whole ? (end - first) / comb->width : 1;
        part.width = whole ? comb->width : summand__lesser(comb->width - within, end - first);
        next = append(combs);
        if (next)
            *next = part;
        combs->total += part.teeth * part.width;
        combs->runs += part.teeth;
        first += part.teeth * part.width;
    }
}

void summand__combs_slice(struct summand__combs *slice, const struct summand__combs *combs,
                          size_t begin, size_t count, enum summand__view view)
{
    size_t position = 0;
    *slice = (struct summand__combs){.comb = NULL};
    for (size_t i = 0; i < combs->length && position < begin + count; i++) {
        const struct summand__comb *comb = &combs->comb[i];
        size_t all = comb->teeth * comb->width;
        if (begin < position + all)
            add_part(slice, comb, begin > position ? begin - position : 0,
                     summand__lesser(all, begin + count - position));
        position += all;
    }
    for (size_t i = 0; i < slice->length; i++) {
        slice->comb[i].from -= view == SUMMAND__VIEW_RECEIVER ? begin : 0;
        slice->comb[i].to -= view == SUMMAND__VIEW_SENDER ? begin : 0;
    }
}

void summand__combs_make(struct summand__combs *combs, const struct summand__share *from,
                         const struct summand__share *to, enum summand__view view)
{
    summand__combs_within(combs, from, to, view, 0, INT64_MAX);
}

void summand__combs_free(struct summand__combs *combs)
{
    free(combs->comb);
    *combs = (struct summand__combs){.comb = NULL};
}

size_t summand__combs_pieces(const struct summand__combs *combs)
{
    size_t pieces = 0;
    for (size_t i = 0; i < combs->length; i++)
        pieces += summand__comb_pieces(&combs->comb[i]);
    return pieces;
}

struct summand__comb summand__comb_run(const struct summand__comb *comb, size_t k)
{
    return (struct summand__comb){.from = comb->from + k * comb->from_step,
                                  .to = comb->to + k * comb->to_step,
                                  .width = 1,
                                  .teeth = comb->width,
                                  .from_step = 1,
                                  .to_step = 1};
}

struct summand__comb summand__comb_piece(const struct summand__comb *comb, size_t k)
{
    return comb->width == 1 ? *comb : summand__comb_run(comb, k);
}

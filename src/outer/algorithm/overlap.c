/* SPDX-License-Identifier: BSD-3-Clause */
#include "outer/algorithm/overlap.h"

#include <stdlib.h>
#include <string.h>

static size_t elements_of(const struct summand__step *step)
{
    return step->action == SUMMAND__SEND ? step->from.count
           : summand__receives(step)     ? step->to.count
                                         : 0;
}

/* The rows that are computed once `part` of the elements has moved; `row` of them are computed
 * before. A product reads all pairs' columns of b once, so too few rows do not pay. It takes a
 * worthwhile number of rows or none, whichever is closer. */
static size_t rows_after(double part, size_t rows, size_t row)
{
    const size_t least = SUMMAND__OUTER_LEAST_ROWS;
    size_t end = part < 1 ? (size_t)(part * (double)rows) : rows;
    size_t more = end > row ? end - row : 0;
    if (end < rows && more < least)
        end = 2 * more < least ? row : row + least;
    return end < rows ? end : rows;
}

void summand__outer_beside(const struct summand__outer_build *build, size_t begin,
                           const struct summand__outer_rows *rows)
{
    struct summand__schedule *whole = build->schedule;
    size_t length = whole->failed ? 0 : whole->length - begin, total = 0, moved = 0, row = 0;
    struct summand__step *steps = length ? malloc(length * sizeof *steps) : NULL;
    whole->failed = whole->failed || (length && !steps);
    if (steps) {
        memcpy(steps, whole->steps + begin, length * sizeof *steps);
        whole->length = begin;
    }
    for (size_t i = 0; steps && i < length; i++)
        total += elements_of(&steps[i]);
    for (size_t i = 0; steps && i < length; i++) {
        size_t end = steps[i].action == SUMMAND__ROUND && moved
                         ? rows_after((double)moved / (double)total, rows->rows, row)
                         : row;
        if (end > row)
            rows->multiply(build, rows->context, row, end - row);
        row = end;
        moved += elements_of(&steps[i]);
        *summand__append(whole, SUMMAND__ROUND, -1) = steps[i];
    }
    if (row < rows->rows)
        rows->multiply(build, rows->context, row, rows->rows - row);
    free(steps);
}

void summand__outer_overlap(const struct summand__outer_build *build,
                            const struct summand__outer_part *part,
                            const struct summand__call *call, uint32_t place, size_t at,
                            const struct summand__outer_rows *rows)
{
    size_t begin = build->schedule->length;
    summand__outer_embed(build, part, call, place, at);
    summand__outer_beside(build, begin, rows);
}

double summand__outer_both(const struct summand__call *call, double messages, double products,
                           const struct summand__model *model)
{
    if (model->per_node >= call->ranks || messages <= 0)
        return messages + products;
    const struct summand__level *level = &model->level[SUMMAND__NETWORK];
    double busy = products + (call->ranks - 1) * (level->send + level->recv);
    return messages > busy ? messages : busy;
}

static double work_seconds(const struct summand__outer_work *work, size_t row, size_t end,
                           const struct summand__model *model)
{
    return end > row ? work->seconds(work->context, row, end - row, model) : 0;
}

double summand__outer_stage(const struct summand__call *call, int phases,
                            const struct summand__outer_phase *phase,
                            const struct summand__outer_work *work,
                            const struct summand__model *model)
{
    double all = 0, moved = 0, gone = 0, time = 0;
    size_t row = 0;
    for (int i = 0; i < phases; i++) {
        all += phase[i].seconds;
        moved += phase[i].moved;
    }
    if (model->per_node >= call->ranks || !work->rows)
        return all + work_seconds(work, 0, work->rows, model);
    for (int i = 0; i < phases; i++)
        for (size_t round = 0; round < phase[i].rounds && phase[i].seconds > 0; round++) {
            double step = phase[i].seconds / (double)phase[i].rounds;
            gone += phase[i].moved / (double)phase[i].rounds;
            size_t end = rows_after(moved > 0 ? gone / moved + 1e-9 : 1, work->rows, row);
            double products = work_seconds(work, row, end, model);
            time += products > step ? products : step;
            row = end;
        }
    return time + work_seconds(work, row, work->rows, model);
}

double summand__outer_ahead(const struct summand__call *call, double takers, size_t elements,
                            size_t parts, const struct summand__model *model)
{
    const struct summand__outer_shape *shape = call->outer;
    double idle = call->ranks - takers, each = (double)parts;
    double bytes = (double)shape->pairs[call->ranks] / call->ranks * (double)elements / each *
                   (double)summand__outer_factor_size(shape->type);
    double queue = idle * each + takers - 1, sent = takers * each;
    if (model->fair_card <= 0 || call->ranks <= model->per_node || idle <= 0 || queue <= 0 ||
        bytes > model->eager)
        return 0;
    double more = sent + (each - sent / queue) * (takers - 1) - each * (call->ranks - 1);
    return more > 0 ? more * bytes * model->level[SUMMAND__NETWORK].byte : 0;
}

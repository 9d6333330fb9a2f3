/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/verify/shapes.h"

static size_t links_of(enum summand__operand_part part, const struct summand__rectangle *shape)
{
    return part == SUMMAND__ROW || part == SUMMAND__ROW_J         ? shape->count
           : part == SUMMAND__COLUMN || part == SUMMAND__COLUMN_I ? shape->rows
                                                                  : 1;
}

size_t summand__chain_length(const struct summand__computation *computation)
{
    return links_of(computation->kernel->from, &computation->from);
}

size_t summand__part_element(enum summand__operand_part part,
                             const struct summand__rectangle *shape, size_t i, size_t j, size_t k)
{
    size_t row = part == SUMMAND__ELEMENT || part == SUMMAND__ROW ? i
                 : part == SUMMAND__ROW_J                         ? j
                                                                  : k;
    size_t column = part == SUMMAND__ROW || part == SUMMAND__ROW_J ? k
                    : part == SUMMAND__COLUMN_I                    ? i
                                                                   : j;
    return row * shape->pitch + column;
}

/* True if the operand has the part that all elements of the result depend on. */
static bool part_fits(enum summand__operand_part part, const struct summand__rectangle *shape,
                      const struct summand__rectangle *to, size_t links)
{
    switch (part) {
    case SUMMAND__ELEMENT:
        return shape->rows == to->rows && shape->count == to->count;
    case SUMMAND__ROW:
        return shape->rows == to->rows && shape->count == links;
    case SUMMAND__COLUMN:
        return shape->rows == links && shape->count == to->count;
    case SUMMAND__COLUMN_I:
        return shape->rows == links && shape->count == to->rows;
    case SUMMAND__ROW_J:
        return shape->rows == to->count && shape->count == links;
    default:
        return true;
    }
}

/* True if rows do not overlap and the step declares all of them. */
static bool is_declared(const struct summand__rectangle *shape, struct summand__region region)
{
    if (!shape->rows || !shape->count)
        return !region.count;
    if (shape->rows == 1 || region.count < shape->count)
        return region.count == shape->count;
    size_t between = region.count - shape->count; /* avoids a product that might overflow */
    return shape->pitch >= shape->count && between / (shape->rows - 1) == shape->pitch &&
           between % (shape->rows - 1) == 0;
}

bool summand__computation_fits(const struct summand__computation *computation,
                               const struct summand__step *step)
{
    const struct summand__kernel *kernel = computation->kernel;
    const struct summand__rectangle *from = &computation->from, *to = &computation->to;
    if (!is_declared(from, step->from) || !is_declared(&computation->with, step->with) ||
        !is_declared(to, step->to))
        return false;
    if (kernel->meaning == SUMMAND__PACK)
        return from->rows * from->count == to->rows * to->count;
    if (kernel->meaning == SUMMAND__TURN)
        return from->rows == to->count && from->count == to->rows;
    size_t links = summand__chain_length(computation);
    return part_fits(kernel->from, from, to, links) &&
           part_fits(kernel->with, &computation->with, to, links);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "sum/elements.h"

#include <string.h>

struct summand__line summand__line_of(const void *origin, MPI_Count stride, MPI_Count count,
                                      size_t width)
{
    const ptrdiff_t step = count > 1 ? (ptrdiff_t)stride * (ptrdiff_t)width : 0;
    return (struct summand__line){.first = (const char *)origin -
                                           (step < 0 ? (ptrdiff_t)(count - 1) * step : 0),
                                  .step = step,
                                  .width = width};
}

void summand__gather(const struct summand__line *line, size_t from, size_t n, void *to)
{
    const char *element = line->first + (ptrdiff_t)from * line->step;
    char *out = to;
    if (line->step == (ptrdiff_t)line->width)
        memcpy(out, element, n * line->width);
    else if (line->width == 4)
        for (size_t i = 0; i < n; i++, element += line->step, out += 4)
            memcpy(out, element, 4);
    else if (line->width == 8)
        for (size_t i = 0; i < n; i++, element += line->step, out += 8)
            memcpy(out, element, 8);
    else
        for (size_t i = 0; i < n; i++, element += line->step, out += 16)
            memcpy(out, element, 16);
}

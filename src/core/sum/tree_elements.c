/* SPDX-License-Identifier: BSD-3-Clause */
/* The index tree over strided and over complex elements: trees of blocks, whose values are combined
 * like their leaves. */
#include <string.h>

#include "kernel/forest.h"
#include "shape/dyadic.h"
#include "sum/elements.h"
#include "sum/store.h"

enum { BLOCK = SUMMAND__BLOCK_REALS / 2 }; /* elements; a power of two */

struct lines {
    struct summand__line x, y;
    enum summand_kind kind;
    bool complex, two;
};

static struct lines lines_of(const summand_term *term, bool complex, size_t real)
{
    const size_t width = (complex ? 2 : 1) * real;
    struct lines lines = {.kind = term->kind, .complex = complex};
    lines.two = summand__sums_two(term);
    if (!term->count)
        return lines;
    lines.x = summand__line_of(term->x, term->stride_x, term->count, width);
    if (lines.two)
        lines.y = summand__line_of(term->y, term->stride_y, term->count, width);
    return lines;
}

static double absolute_f64(double x)
{
    return __builtin_fabs(x);
}

static float absolute_f32(float x)
{
    return __builtin_fabsf(x);
}

#define T double
#define FN(name) name##_f64
#define FIELD f64
#include "sum/tree_elements.inc.h"
#undef T
#undef FN
#undef FIELD

#define T float
#define FN(name) name##_f32
#define FIELD f32
#include "sum/tree_elements.inc.h"

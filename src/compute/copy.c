/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels that move elements. */
#include "compute/copy.h"

#include <string.h>

#include "base/extreme.h"
#include "kernel/stream.h"

/* Copies `rows` rows of `bytes` bytes, at these distances at each end. Rows are often single
 * elements. */
static void copy_rows(char *to, size_t to_pitch, const char *from, size_t from_pitch, size_t bytes,
                      size_t rows)
{
    if (bytes == sizeof(double))
        for (size_t i = 0; i < rows; i++, to += to_pitch, from += from_pitch)
            memcpy(to, from, sizeof(double));
    else if (bytes == sizeof(float))
        for (size_t i = 0; i < rows; i++, to += to_pitch, from += from_pitch)
            memcpy(to, from, sizeof(float));
    else
        for (size_t i = 0; i < rows; i++, to += to_pitch, from += from_pitch)
            summand__copy_bytes(to, from, bytes);
}

/* Row lengths are not multiples of each other: copied piece by piece. */
static void copy_pieces(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    const struct summand__rectangle *from = &work->from.shape, *to = &work->to.shape;
    size_t end = (first + rows) * to->count, n;
    for (size_t element = first * to->count; element < end; element += n) {
        size_t i = element / to->count, j = element % to->count;
        size_t k = element / from->count, l = element % from->count;
        n = summand__lesser(to->count - j, from->count - l);
        copy_rows((char *)work->to.data + (i * to->pitch + j) * unit, 0,
                  (const char *)work->from.data + (k * from->pitch + l) * unit, 0, n * unit, 1);
    }
}

/* The operand's rows are at least as long as the result's; their length is a multiple. */
static void copy_cut(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    const struct summand__rectangle *from = &work->from.shape, *to = &work->to.shape;
    size_t each = from->count / to->count, n;
    for (size_t i = first; i < first + rows; i += n) {
        size_t within = i % each;
        n = summand__lesser(each - within, first + rows - i);
        copy_rows((char *)work->to.data + i * to->pitch * unit, to->pitch * unit,
                  (const char *)work->from.data +
                      (i / each * from->pitch + within * to->count) * unit,
                  to->count * unit, to->count * unit, n);
    }
}

/* The result's rows are longer. */
static void copy_joined(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    const struct summand__rectangle *from = &work->from.shape, *to = &work->to.shape;
    size_t each = to->count / from->count;
    for (size_t i = first; i < first + rows; i++)
        copy_rows((char *)work->to.data + i * to->pitch * unit, from->count * unit,
                  (const char *)work->from.data + i * each * from->pitch * unit, from->pitch * unit,
                  from->count * unit, each);
}

int summand__run_pack(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    const struct summand__rectangle *from = &work->from.shape, *to = &work->to.shape;
    if (from->count == to->count)
        copy_rows((char *)work->to.data + first * to->pitch * unit, to->pitch * unit,
                  (const char *)work->from.data + first * from->pitch * unit, from->pitch * unit,
                  to->count * unit, rows);
    else if (from->count % to->count == 0)
        copy_cut(work, unit, first, rows);
    else if (to->count % from->count == 0)
        copy_joined(work, unit, first, rows);
    else
        copy_pieces(work, unit, first, rows);
    return 0;
}

/* Transposes some columns at a time: their rows of the operand stay in the first-level cache from
 * one row of the result to the next. Squares of a cache line were slower: page accesses dominate
 * the time. */
int summand__run_transpose(const struct summand__work *work, size_t unit, size_t first, size_t rows)
{
    enum { STRIP = 32 };
    size_t count = work->to.shape.count, pitch = work->from.shape.pitch * unit;
    for (size_t strip = 0; strip < count; strip += STRIP)
        for (size_t i = first; i < first + rows; i++)
            copy_rows((char *)work->to.data + (i * work->to.shape.pitch + strip) * unit, unit,
                      (const char *)work->from.data + i * unit + strip * pitch, pitch, unit,
                      summand__lesser(STRIP, count - strip));
    return 0;
}

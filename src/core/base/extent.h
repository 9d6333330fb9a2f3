/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that callers describe by counts and strides: only this file multiplies unchecked
 * numbers. */
#ifndef SUMMAND_BASE_EXTENT_H
#define SUMMAND_BASE_EXTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Elements from the first to the last one of `count` lines of `line` elements, which begin `stride`
 * elements apart; 0 if there are none. -1 if their bytes, `unit` per element, exceed PTRDIFF_MAX,
 * so no array has them. */
static inline int64_t summand__span(int64_t count, int64_t stride, int64_t line, size_t unit)
{
    int64_t span, bytes;
    if (count <= 0 || line <= 0)
        return 0;
    return __builtin_mul_overflow(count - 1, stride, &span) ||
                   __builtin_add_overflow(span, line, &span) ||
                   __builtin_mul_overflow(span, unit, &bytes) || bytes > PTRDIFF_MAX
               ? -1
               : span;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory that callers describe by counts and strides: only this file multiplies unchecked
 * numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No program has as many bytes: processes on x86-64 have 2^47 bytes of addresses, if they ask for
 * no more. Arguments that describe more are refused. */
#define SUMMAND__MOST_BYTES (INT64_C(1) << 47)

/* Elements from the first to the last one of `count` lines of `line` elements, which begin `stride`
 * elements apart; 0 if there are none. -1 if they have more than SUMMAND__MOST_BYTES, `unit` per
 * element. */
static inline int64_t summand__span(int64_t count, int64_t stride, int64_t line, size_t unit)
{
    int64_t span, bytes;
    if (count <= 0 || line <= 0)
        return 0;
    return __builtin_mul_overflow(count - 1, stride, &span) ||
                   __builtin_add_overflow(span, line, &span) ||
                   __builtin_mul_overflow(span, unit, &bytes) || bytes > SUMMAND__MOST_BYTES
               ? -1
               : span;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/operator.h"

/* Bytes that are copied and then combined while they are in the first-level cache. */
enum { NEAR = 8192 };

void summand__combine_by_copy(const struct summand__operator *operator, const void * left,
                              const void *right, void *out, size_t count)
{
    size_t extent = operator->extent, most = NEAR / extent ? NEAR / extent : 1;
    if (right == out) {
        operator->reduce(operator->context, left, out, count);
        return;
    }
    for (size_t done = 0, n; done < count; done += n) {
        size_t at = done * extent;
        n = count - done < most ? count - done : most;
        operator->copy(operator->context, (const char *)right + at, (char *)out + at, n);
        operator->reduce(operator->context, (const char *)left + at, (char *)out + at, n);
    }
}

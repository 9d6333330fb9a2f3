/* SPDX-License-Identifier: BSD-3-Clause */
/* The operations on elements of a schedule: combine, copy, pack into messages. */
#pragma once

#include <stddef.h>

struct summand__operator {
    size_t extent;       /* bytes between consecutive elements */
    const void *context; /* first argument of the functions below */

    /* inout = in op inout, element by element: `in` is the left operand. */
    void (*reduce)(const void *context, const void *in, void *inout, size_t count);
    void (*copy)(const void *context, const void *from, void *to, size_t count);

    /* out = left op right; `out` may be `right`, and otherwise overlaps neither. NULL: `copy` and
     * `reduce` do it, in more passes. */
    void (*combine)(const void *context, const void *left, const void *right, void *out,
                    size_t count);

    /* Like `copy`, but bypasses the caches; for results that the schedule does not read again.
     * Received results bypass them too. NULL: results do not bypass the caches. */
    void (*copy_last)(const void *context, const void *from, void *to, size_t count);

    /* The packed form in messages: at most `packed` bytes per element, self-describing, so a
     * message may be shorter than its bound. `pack` NULL: messages have the form in memory. */
    size_t packed;
    size_t (*pack)(const void *context, const void *from, size_t count, void *bytes);
    void (*unpack)(const void *context, const void *bytes, void *to, size_t count);
};

/* Does the work of `combine`: copies the right operand and reduces the left one into the copy. */
void summand__combine_by_copy(const struct summand__operator *operator, const void * left,
                              const void *right, void *out, size_t count);

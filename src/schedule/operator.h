/* What a schedule's elements are: how two are combined, copied and put on the wire. */
#ifndef SUMMAND_SCHEDULE_OPERATOR_H
#define SUMMAND_SCHEDULE_OPERATOR_H

#include <stddef.h>

struct summand__operator {
    size_t extent;       /* bytes between consecutive elements */
    const void *context; /* handed to the functions below */

    /* inout = in op inout, element by element: `in` is the left operand. */
    void (*reduce)(const void *context, const void *in, void *inout, size_t count);
    void (*copy)(const void *context, const void *from, void *to, size_t count);

    /* out = left op right; `out` may be `right`, and overlaps neither otherwise. NULL: by `copy`
     * and `reduce`, in more passes. */
    void (*combine)(const void *context, const void *left, const void *right, void *out,
                    size_t count);

    /* As `copy`, for results that the schedule does not read again: they bypass the caches, and so
     * do those that are received. NULL: they do not. */
    void (*copy_last)(const void *context, const void *from, void *to, size_t count);

    /* The wire form, where it is not the form in memory (pack NULL): at most `packed` bytes per
     * element, self-describing, so that a message may be shorter than its bound. */
    size_t packed;
    size_t (*pack)(const void *context, const void *from, size_t count, void *bytes);
    void (*unpack)(const void *context, const void *bytes, void *to, size_t count);
};

/* What `combine` does, by copying the right operand and reducing the left one into the copy. */
void summand__combine_by_copy(const struct summand__operator *operator, const void * left,
                              const void *right, void *out, size_t count);

#endif

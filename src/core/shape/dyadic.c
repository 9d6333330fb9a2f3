/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape/dyadic.h"

/* The number of set bits. The compiler's builtin would be a library call on an unknown processor.
 */
static unsigned bits_set(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    x = (x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(x * UINT64_C(0x0101010101010101) >> 56);
}

unsigned summand__dyadic_count(uint64_t start, uint64_t count)
{
    if (!count)
        return 0;
    /* The levels stop rising at `middle`, which follows from the top bit in which the ends differ.
     * The distances from `start` to `middle` and from there to `end` have a subtree per set bit. */
    uint64_t end = start + count;
    unsigned top = 63u - (unsigned)__builtin_clzll(start ^ end);
    uint64_t middle = end >> top << top;
    return bits_set(middle - start) + bits_set(end - middle);
}

unsigned summand__dyadic_nodes(uint64_t start, uint64_t count, struct summand__dyadic_node *nodes)
{
    unsigned n = 0;
    uint64_t end = start + count;
    for (uint64_t position = start; position < end;) {
        unsigned level = summand__dyadic_level(position, end);
        nodes[n++] = (struct summand__dyadic_node){position, level};
        position += (uint64_t)1 << level;
    }
    return n;
}

#include "shape/dyadic.h"

unsigned summand__dyadic_count(uint64_t start, uint64_t count)
{
    if (!count)
        return 0;
    /* The top bit in which the ends differ is where the levels stop to rise: up to `middle` the
     * distance to it has a subtree per set bit, and so has the distance behind it. */
    uint64_t end = start + count;
    unsigned top = 63u - (unsigned)__builtin_clzll(start ^ end);
    uint64_t middle = end >> top << top;
    return (unsigned)(__builtin_popcountll(middle - start) + __builtin_popcountll(end - middle));
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

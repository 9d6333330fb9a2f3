/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/index_tree/messages.h"

#include <math.h>

/* The right children are start, start + lowbit(start), ... below end; algorithm 2 walks them, one
 * step per message. Adding the lowest bit to an index clears the lowest bit of its negative. So the
 * walk visits -start with more and more low bits cleared, while it exceeds -end. It ends when the
 * highest bit in which the two differ is cleared. The number of steps is the number of set bits of
 * -start up to that bit. */
unsigned summand__messages_of_range(uint64_t start, uint64_t end)
{
    if (start == 0 || start >= end)
        return 0;
    uint64_t from = -start, to = -end;
    int highest = 63 - __builtin_clzll(from ^ to);
    return (unsigned)__builtin_popcountll(from << (63 - highest));
}

uint64_t summand__messages(const uint64_t *starts, int ranks)
{
    uint64_t messages = 0;
    for (int i = 1; i < ranks; i++)
        messages += summand__messages_of_range(starts[i], starts[i + 1]);
    return messages;
}

double summand__messages_bound(uint64_t n, int ranks)
{
    if (n <= (uint64_t)ranks)
        return n ? (double)(n - 1) : 0;
    return (ranks - 1) * (log2((double)(n - 1) / ranks) + 1);
}

uint64_t summand__most_elements(const uint64_t *starts, int ranks)
{
    uint64_t most = 0;
    for (int i = 0; i < ranks; i++)
        if (starts[i + 1] - starts[i] > most)
            most = starts[i + 1] - starts[i];
    return most;
}

uint64_t summand__fewest_elements(const uint64_t *starts, int ranks)
{
    uint64_t fewest = UINT64_MAX;
    for (int i = 0; i < ranks; i++)
        if (starts[i + 1] - starts[i] < fewest)
            fewest = starts[i + 1] - starts[i];
    return fewest;
}

double summand__score(const uint64_t *starts, int ranks, double t_send, double t_add)
{
    return t_send * (double)summand__messages(starts, ranks) +
           t_add * (double)summand__most_elements(starts, ranks);
}

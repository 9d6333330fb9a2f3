/* SPDX-License-Identifier: BSD-3-Clause */
/* Random regular graphs: a regular ring lattice whose edges are switched at random. */
#include "gossip/topology.h"

#include <stdlib.h>

static int64_t *find(int64_t *list, int64_t degree, int64_t node)
{
    for (int64_t k = 0; k < degree; k++)
        if (list[k] == node)
            return &list[k];
    return NULL;
}

/* Replaces a-b and c-d by a-d and c-b, unless that makes a loop or a double edge. */
static void try_switch(int64_t *lists, int64_t n, int64_t degree, struct summand__random *random)
{
    int64_t a = (int64_t)summand__random_below(random, (uint64_t)n);
    int64_t c = (int64_t)summand__random_below(random, (uint64_t)n);
    int64_t *b_of_a = &lists[a * degree + (int64_t)summand__random_below(random, (uint64_t)degree)];
    int64_t *d_of_c = &lists[c * degree + (int64_t)summand__random_below(random, (uint64_t)degree)];
    int64_t b = *b_of_a, d = *d_of_c;
    if (a == c || b == d || a == d || c == b || find(&lists[a * degree], degree, d) ||
        find(&lists[c * degree], degree, b))
        return;
    *b_of_a = d;
    *d_of_c = b;
    *find(&lists[b * degree], degree, a) = c;
    *find(&lists[d * degree], degree, c) = a;
}

int64_t *summand__regular_lists(int64_t n, int64_t degree, uint64_t seed)
{
    int64_t *lists = malloc((size_t)(n * degree) * sizeof *lists);
    if (!lists)
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < degree / 2; k++) {
            lists[i * degree + 2 * k] = (i + k + 1) % n;
            lists[i * degree + 2 * k + 1] = (i + n - k - 1) % n;
        }
        if (degree % 2)
            lists[i * degree + degree - 1] = (i + n / 2) % n;
    }
    struct summand__random random = {summand__stream(seed, 0x72656775u)};
    for (int64_t attempt = 0; attempt < 20 * n * degree; attempt++)
        try_switch(lists, n, degree, &random);
    return lists;
}

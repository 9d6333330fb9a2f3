/* SPDX-License-Identifier: BSD-3-Clause */
#include "lab/index_tree/distribution.h"

static void even_lower(double alpha, uint64_t n, int ranks, uint64_t *starts)
{
    (void)alpha;
    uint64_t p = (uint64_t)ranks, share = n / p, rest = n % p;
    for (uint64_t i = 0; i <= p; i++)
        starts[i] = i * share + (i < rest ? i : rest);
}

/* (1.4) is printed with "i < N - (N mod p)"; its text and its message counts mean p - (N mod p). */
static void even_upper(double alpha, uint64_t n, int ranks, uint64_t *starts)
{
    (void)alpha;
    uint64_t p = (uint64_t)ranks, share = n / p, shorter = p - n % p;
    for (uint64_t i = 0; i <= p; i++)
        starts[i] = i * share + (i < shorter ? 0 : i - shorter);
}

/* With fewer elements than ranks, 2^floor(log2(N/p)) is below one: the first n ranks get one
 * element each. */
static void power2(double alpha, uint64_t n, int ranks, uint64_t *starts)
{
    (void)alpha;
    uint64_t p = (uint64_t)ranks, share = 1;
    while (share <= n / p / 2)
        share *= 2;
    for (uint64_t i = 0; i < p; i++)
        starts[i] = n < p && i > n ? n : i * share;
    starts[p] = n;
}

/* Algorithm 3 as printed always sets proposedIndex to parent(initialIndex) and would not end; it
 * means the parent of the proposed index. Starts stay ascending: if the ancestor for a higher start
 * is at or below a lower start, it is a nearer ancestor of that start too. */
static uint64_t round_down(uint64_t start, double most)
{
    uint64_t index = start;
    while (index) {
        uint64_t parent = index & (index - 1);
        if (!((double)(start - parent) <= most))
            break;
        index = parent;
    }
    return index;
}

static void optimized(double alpha, uint64_t n, int ranks, uint64_t *starts)
{
    even_upper(alpha, n, ranks, starts);
    double most = alpha * ((double)n / ranks);
    for (int i = 1; i < ranks; i++)
        starts[i] = round_down(starts[i], most);
}

/* Table 3.3 of the thesis, as its author computed it: from even-lower, each share bounded against
 * the start before, which has moved already. */
static void balanced(double alpha, uint64_t n, int ranks, uint64_t *starts)
{
    even_lower(alpha, n, ranks, starts);
    double share = (double)n / ranks;
    for (int i = 1; i < ranks; i++) {
        uint64_t before = starts[i - 1], index = starts[i];
        while (index > before && (double)(index - before) >= (1 - alpha) * share &&
               (double)(index - before) <= (1 + alpha) * share) {
            starts[i] = index;
            index &= index - 1;
        }
    }
}

const struct summand__distribution_row summand__distributions[SUMMAND__DISTRIBUTIONS] = {
    [SUMMAND__EVEN_LOWER] = {"even-lower", "N/p each, the first N mod p ranks one more", false,
                             even_lower},
    [SUMMAND__EVEN_UPPER] = {"even-upper", "N/p each, the last N mod p ranks one more", false,
                             even_upper},
    [SUMMAND__POWER2] = {"power2", "a power of two each, the rest on the last rank", false, power2},
    [SUMMAND__OPTIMIZED] = {"optimized", "even-upper, starts moved to rounder indices within alpha",
                            true, optimized},
    [SUMMAND__BALANCED] = {"balanced", "even-lower, starts moved while shares are N/p (1 +- alpha)",
                           true, balanced},
};

const char *const summand__distribution_names[SUMMAND__DISTRIBUTIONS + 1] = {
    "even-lower", "even-upper", "power2", "optimized", "balanced", 0};

void summand__distribution(enum summand__distribution_kind kind, double alpha, uint64_t n,
                           int ranks, uint64_t *starts)
{
    summand__distributions[kind].fill(alpha, n, ranks, starts);
}

int summand__rank_of_index(const uint64_t *starts, int ranks, uint64_t x)
{
    int low = 0, high = ranks; /* starts[low] <= x < starts[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (starts[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

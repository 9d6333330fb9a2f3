/* SPDX-License-Identifier: BSD-3-Clause */
/* A share of one round, for one type. The includer sets REAL and the name WALK. */
static void WALK(const struct summand__bulk *bulk, const struct summand__permutation *permutation,
                 struct share *share)
{
    REAL *values = bulk->values;
    uint64_t order[2][BLOCK];
    REAL before = (REAL)share->before;
    double low = INFINITY, high = -INFINITY;
    int64_t k = share->begin;
    size_t count = 0, next = (size_t)(share->end - k < BLOCK ? share->end - k : BLOCK);
    summand__permutation_run(permutation, (uint64_t)k, next, order[0]);
    for (int turn = 0; k < share->end; k += (int64_t)count, turn ^= 1) {
        count = next;
        const uint64_t *now = order[turn];
        for (size_t b = 0; b < count; b++)
            __builtin_prefetch(&values[now[b]], 1, 0);
        /* Computes the order of the next block while this block's values arrive. */
        int64_t left = share->end - k - (int64_t)count;
        next = (size_t)(left < BLOCK ? left : BLOCK);
        summand__permutation_run(permutation, (uint64_t)k + count, next, order[turn ^ 1]);
        REAL least = values[now[0]] / 2 + before / 2, most = least;
        for (size_t b = 0; b < count; b++) {
            REAL old = values[now[b]], value = old / 2 + before / 2;
            values[now[b]] = value;
            before = old;
            least = value < least ? value : least;
            most = value > most ? value : most;
        }
        if (share->watch && !(++share->blocks % TELL))
            share->watch(share->context,
                         (double)(k - share->begin) / (double)(share->end - share->begin));
        low = fmin(low, (double)least);
        high = fmax(high, (double)most);
    }
    share->low = low;
    share->high = high;
}

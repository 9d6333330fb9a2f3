/* SPDX-License-Identifier: BSD-3-Clause */
/* Check words (kernel/lanes_check.h) over the vector operations of an instruction set. A lane v is
 * low + 2^32 high: two products of 32 bits each, so that 8 of them fit into a sum.
 *
 * Cost per vector of lanes: two products, five other operations. */
#include "kernel/lanes_check.h"

enum { CHECK_GROUP = 8 /* rows whose products are added before they are cut */ };

/* Of each column: the sum of lanes, and what has the weights 1, 2^32 and 2^64. */
struct check_sums {
    int64_t sum[SUMMAND__CHECK_COLUMNS], low[SUMMAND__CHECK_COLUMNS];
    int64_t middle[SUMMAND__CHECK_COLUMNS], high[SUMMAND__CHECK_COLUMNS];
};

/* Adds rows of 8 lanes. Sums of high products begin at 2^63, so that they are not negative; returns
 * how many did. */
LANES_INLINE uint64_t check_rows(const int64_t *lanes, size_t rows, const uint32_t *keys,
                                 struct check_sums *sums)
{
    const vec ones = v_set(UINT32_MAX);
    for (size_t k = 0; k < SUMMAND__CHECK_COLUMNS; k += WIDTH) {
        vec sum = v_load(sums->sum + k), low = v_load(sums->low + k);
        vec middle = v_load(sums->middle + k), high = v_load(sums->high + k);
        for (size_t i = 0; i < rows; i += CHECK_GROUP) {
            const size_t end = rows - i < CHECK_GROUP ? rows : i + CHECK_GROUP;
            vec a = v_set(0), b = v_set(INT64_MIN);
            for (size_t r = i; r < end; r++) {
                const vec v = v_load(lanes + r * SUMMAND__CHECK_COLUMNS + k);
                sum = v_add(sum, v);
                a = v_add(a, v_mul32u(v, keys[r]));
                b = v_add(b, v_mul32(v_srl(v, 32), (int)keys[r]));
            }
            low = v_add(low, v_and(a, ones));
            middle = v_add(middle, v_add(v_srl(a, 32), v_and(b, ones)));
            high = v_add(high, v_srl(b, 32));
        }
        v_store(sums->sum + k, sum);
        v_store(sums->low + k, low);
        v_store(sums->middle + k, middle);
        v_store(sums->high + k, high);
    }
    return (rows + CHECK_GROUP - 1) / CHECK_GROUP;
}

static struct summand__lanes_check check_lanes(const int64_t *lanes, size_t n)
{
    const size_t rows = n / SUMMAND__CHECK_COLUMNS, rest = n % SUMMAND__CHECK_COLUMNS;
    int64_t last[SUMMAND__CHECK_COLUMNS] = {0};
    struct check_sums sums = {{0}, {0}, {0}, {0}};
    struct summand__lanes_check check = {0, 0};
    uint64_t columns[SUMMAND__CHECK_COLUMNS];
    uint64_t begun = check_rows(lanes, rows, summand__check_keys, &sums);
    if (rest) {
        memcpy(last, lanes + rows * SUMMAND__CHECK_COLUMNS, rest * sizeof *lanes);
        begun += check_rows(last, 1, summand__check_keys + rows, &sums);
    }
    for (int k = 0; k < SUMMAND__CHECK_COLUMNS; k++) {
        /* Modulo 2^61 - 1, 2^64 is 8, and 2^32 2^63 is 2^34. */
        const uint64_t middle = (uint64_t)sums.middle[k];
        columns[k] = (uint64_t)sums.low[k] + 8 * (uint64_t)sums.high[k] + (middle >> 29) +
                     ((middle & ((1 << 29) - 1)) << 32) + SUMMAND__CHECK_PRIME - (begun << 34);
        check.sum += (uint64_t)sums.sum[k];
    }
    check.word = summand__check_join(columns);
    return check;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Check words of lanes (kernel/lanes.h): those of a sum are the sums of the ranks' ones.
 *
 * Lane j has the weight key[j / 8] base^(j mod 8), modulo 2^61 - 1. `word` is the sum of weight
 * times lane, modulo 2^61 - 1, and `sum` the sum of the lanes modulo 2^64. Damage of one lane
 * always shows in `sum`, and tells by `word` which lane it is; of other damage some is taken for
 * that of a lane, one case in 2^28 for each lane. Other damage stays unseen if its
 * weighted sum and its sum are both 0: for damage that does not know the keys, one case in 2^28 (a
 * key has 29 bits), and only among those whose sum is 0. The modulus is prime: so high bits count
 * like low ones. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct summand__lanes_check {
    uint64_t sum, word;
};

enum {
    SUMMAND__CHECK_COLUMNS = 8,
    SUMMAND__CHECK_ROWS = 2304, /* of columns: 72 lanes of each number of a block */
    SUMMAND__CHECK_LANES = 3    /* in which check words travel; their sums do not overflow */
};

#define SUMMAND__CHECK_PRIME ((UINT64_C(1) << 61) - 1)

__extension__ typedef unsigned __int128 summand__check_u128;

static inline uint64_t summand__check_modulo(summand__check_u128 x)
{
    const uint64_t once = (uint64_t)(x & SUMMAND__CHECK_PRIME) +
                          (uint64_t)(x >> 61 & SUMMAND__CHECK_PRIME) + (uint64_t)(x >> 122);
    const uint64_t twice = (once & SUMMAND__CHECK_PRIME) + (once >> 61);
    return twice >= SUMMAND__CHECK_PRIME ? twice - SUMMAND__CHECK_PRIME : twice;
}

extern const uint32_t summand__check_keys[SUMMAND__CHECK_ROWS];

/* Sum of base^k times column k, modulo the prime. Columns are below 2^63. */
uint64_t summand__check_join(const uint64_t columns[SUMMAND__CHECK_COLUMNS]);

/* Of a lane, modulo the prime. */
uint64_t summand__check_weight(size_t lane);

/* The check words of a rank's share, as lanes. `mark`: anything that all shares must have in
 * common.
 */
void summand__check_write(struct summand__lanes_check check, uint64_t mark, int64_t *to);

/* What the sums of shares have, less what their lanes' `check` and `ranks` times the mark demand:
 * all zeros if nothing is damaged. `from`: the sums of what check_write wrote. */
struct summand__lanes_check summand__check_damage(struct summand__lanes_check check, uint64_t ranks,
                                                  uint64_t mark, const int64_t *from);

/* Which of n lanes has this damage, if it is one: then the lane less `damage.sum` is right. Else n.
 */
size_t summand__check_locate(const int64_t *lanes, size_t n, struct summand__lanes_check damage);

/* SPDX-License-Identifier: BSD-3-Clause */
/* What check words of lanes say of sums. */
#include "kernel/lanes_check.h"

typedef summand__check_u128 u128;
__extension__ typedef __int128 i128;

#define PRIME SUMMAND__CHECK_PRIME

static uint64_t modulo_signed(i128 x)
{
    const uint64_t size = summand__check_modulo((u128)(x < 0 ? -x : x));
    return x < 0 && size ? PRIME - size : size;
}

/* The word in two lanes, so that the sums over any ranks fit. */
enum { HALF = 31 };

void summand__check_write(struct summand__lanes_check check, uint64_t mark, int64_t *to)
{
    const uint64_t word = summand__check_modulo((u128)check.word + mark);
    to[0] = (int64_t)check.sum;
    to[1] = (int64_t)(word & ((UINT64_C(1) << HALF) - 1));
    to[2] = (int64_t)(word >> HALF);
}

struct summand__lanes_check summand__check_damage(struct summand__lanes_check check, uint64_t ranks,
                                                  uint64_t mark, const int64_t *from)
{
    const i128 word = from[1] + (i128)from[2] * ((i128)1 << HALF);
    const uint64_t demanded = summand__check_modulo((u128)ranks * mark + check.word);
    return (struct summand__lanes_check){check.sum - (uint64_t)from[0],
                                         modulo_signed((i128)demanded - modulo_signed(word))};
}

size_t summand__check_locate(const int64_t *lanes, size_t n, struct summand__lanes_check damage)
{
    const int64_t most = INT64_C(1) << 62; /* of any sum of shares */
    size_t found = n;
    for (size_t j = 0; j < n && damage.sum; j++) {
        const int64_t right = (int64_t)((uint64_t)lanes[j] - damage.sum);
        const uint64_t by = modulo_signed((i128)lanes[j] - right);
        if (right < -most || right > most ||
            summand__check_modulo((u128)by * summand__check_weight(j)) != damage.word)
            continue;
        if (found < n)
            return n;
        found = j;
    }
    return found;
}

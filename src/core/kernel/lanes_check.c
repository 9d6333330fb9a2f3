/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/lanes_check.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

#define PRIME SUMMAND__CHECK_PRIME

/* Keys of 29 bits: SplitMix64 (Steele, Lea, Flood 2014) of 1, 2, 3 ... */
#define MIX_1(z) (((z) ^ (z) >> 30) * UINT64_C(0xbf58476d1ce4e5b9))
#define MIX_2(z) (((z) ^ (z) >> 27) * UINT64_C(0x94d049bb133111eb))
#define KEY(i) (uint32_t)(MIX_2(MIX_1(UINT64_C(0x9e3779b97f4a7c15) * ((i) + 1))) >> 35 | 1)
#define KEYS_4(i) KEY(i), KEY((i) + 1), KEY((i) + 2), KEY((i) + 3)
#define KEYS_16(i) KEYS_4(i), KEYS_4((i) + 4), KEYS_4((i) + 8), KEYS_4((i) + 12)
#define KEYS_64(i) KEYS_16(i), KEYS_16((i) + 16), KEYS_16((i) + 32), KEYS_16((i) + 48)
#define KEYS_256(i) KEYS_64(i), KEYS_64((i) + 64), KEYS_64((i) + 128), KEYS_64((i) + 192)
#define KEYS_768(i) KEYS_256(i), KEYS_256((i) + 256), KEYS_256((i) + 512)

const uint32_t summand__check_keys[SUMMAND__CHECK_ROWS] = {KEYS_768(0), KEYS_768(768),
                                                           KEYS_768(1536)};

/* Powers of a number that was drawn. */
static const uint64_t power[SUMMAND__CHECK_COLUMNS] = {
    0x1,
    0x1d3ccbbc87c4cbe5,
    0x1c78717329431fb3,
    0x7074134aea4c6c6,
    0x14159e70ebc0b7eb,
    0x168d901154de7604,
    0xb64e2e08859bc6a,
    0xc86353148b38b98,
};

static uint64_t modulo(u128 x)
{
    const uint64_t once =
        (uint64_t)(x & PRIME) + (uint64_t)(x >> 61 & PRIME) + (uint64_t)(x >> 122);
    const uint64_t twice = (once & PRIME) + (once >> 61);
    return twice >= PRIME ? twice - PRIME : twice;
}

static uint64_t modulo_signed(i128 x)
{
    const uint64_t size = modulo((u128)(x < 0 ? -x : x));
    return x < 0 && size ? PRIME - size : size;
}

uint64_t summand__check_join(const uint64_t columns[SUMMAND__CHECK_COLUMNS])
{
    u128 sum = 0; /* below 8 2^124 */
    for (int k = 0; k < SUMMAND__CHECK_COLUMNS; k++)
        sum += (u128)columns[k] * power[k];
    return modulo(sum);
}

/* The word in two lanes, so that the sums over any ranks fit. */
enum { HALF = 31 };

void summand__check_write(struct summand__lanes_check check, uint64_t mark, int64_t *to)
{
    const uint64_t word = modulo((u128)check.word + mark);
    to[0] = (int64_t)check.sum;
    to[1] = (int64_t)(word & ((UINT64_C(1) << HALF) - 1));
    to[2] = (int64_t)(word >> HALF);
}

struct summand__lanes_check summand__check_damage(struct summand__lanes_check check, uint64_t ranks,
                                                  uint64_t mark, const int64_t *from)
{
    const i128 word = from[1] + (i128)from[2] * ((i128)1 << HALF);
    const uint64_t demanded = modulo((u128)ranks * mark + check.word);
    return (struct summand__lanes_check){check.sum - (uint64_t)from[0],
                                         modulo_signed((i128)demanded - modulo_signed(word))};
}

static uint64_t weight(size_t lane)
{
    return modulo((u128)summand__check_keys[lane / SUMMAND__CHECK_COLUMNS] *
                  power[lane % SUMMAND__CHECK_COLUMNS]);
}

size_t summand__check_locate(const int64_t *lanes, size_t n, struct summand__lanes_check damage)
{
    const int64_t most = INT64_C(1) << 62; /* of any sum of shares */
    size_t found = n;
    for (size_t j = 0; j < n && damage.sum; j++) {
        const int64_t right = (int64_t)((uint64_t)lanes[j] - damage.sum);
        const uint64_t by = modulo_signed((i128)lanes[j] - right);
        if (right < -most || right > most || modulo((u128)by * weight(j)) != damage.word)
            continue;
        if (found < n)
            return n;
        found = j;
    }
    return found;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/lanes_check.h"

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

uint64_t summand__check_join(const uint64_t columns[SUMMAND__CHECK_COLUMNS])
{
    summand__check_u128 sum = 0; /* below 8 2^124 */
    for (int k = 0; k < SUMMAND__CHECK_COLUMNS; k++)
        sum += (summand__check_u128)columns[k] * power[k];
    return summand__check_modulo(sum);
}

uint64_t summand__check_weight(size_t lane)
{
    return summand__check_modulo(
        (summand__check_u128)summand__check_keys[lane / SUMMAND__CHECK_COLUMNS] *
        power[lane % SUMMAND__CHECK_COLUMNS]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The packed form: 4 bytes of header, then the limbs that the value needs, lowest first, each 8
 * bytes little-endian. byte 0  version, 0xA1       byte 2  index of the first limb (0 when there is
 * none) byte 1  the deciding flag   byte 3  number of limbs There is one form per value: no zero
 * limb at the low end, no redundant sign limb at the high end, no limbs beside a NaN or an
 * infinity. */
#include "exact/limbs.h"

enum { VERSION = 0xA1, HEADER = 4 };

static void put(unsigned char *bytes, uint64_t limb)
{
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(limb >> 8 * i);
}

static uint64_t get(const unsigned char *bytes)
{
    uint64_t limb = 0;
    for (int i = 0; i < 8; i++)
        limb |= (uint64_t)bytes[i] << 8 * i;
    return limb;
}

static uint64_t sign_of(uint64_t limb)
{
    return (uint64_t)0 - (limb >> 63);
}

size_t summand_exact_pack(const summand_exact *acc, void *bytes)
{
    unsigned char *out = bytes;
    const uint32_t special = summand__exact_special(acc->flags);
    unsigned low = acc->low, high = special & SUMMAND__SEEN_SPECIAL ? low : acc->high;
    while (low < high && !acc->limb[low])
        low++;
    while (high > low + 1 && acc->limb[high - 1] == sign_of(acc->limb[high - 2]))
        high--;
    out[0] = VERSION;
    out[1] = (unsigned char)special;
    out[2] = (unsigned char)(high > low ? low : 0);
    out[3] = (unsigned char)(high - low);
    out += HEADER;
    for (; low < high; low++, out += 8)
        put(out, acc->limb[low]);
    return (size_t)(out - (unsigned char *)bytes);
}

static bool header_is_sound(const unsigned char *in, size_t size)
{
    if (size < HEADER || in[0] != VERSION || in[1] > SUMMAND__SEEN_ALL ||
        summand__exact_special(in[1]) != in[1] || size < HEADER + 8 * (size_t)in[3])
        return false;
    if (in[3])
        return in[1] == SUMMAND__SEEN_OTHER && in[2] + in[3] <= SUMMAND_EXACT_LIMBS;
    return !in[2];
}

size_t summand_exact_unpack(summand_exact *acc, const void *bytes, size_t size)
{
    const unsigned char *in = bytes;
    summand_exact_init(acc);
    if (!header_is_sound(in, size))
        return 0;
    const unsigned low = in[2], count = in[3];
    for (unsigned i = 0; i < count; i++)
        acc->limb[low + i] = get(in + HEADER + 8 * i);
    const uint64_t *limb = acc->limb + low;
    if (count && (!limb[0] || (count > 1 && limb[count - 1] == sign_of(limb[count - 2]))))
        return 0;
    acc->flags = in[1];
    acc->low = (uint16_t)low;
    acc->high = (uint16_t)(low + count);
    return HEADER + 8 * (size_t)count;
}

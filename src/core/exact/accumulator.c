/* SPDX-License-Identifier: BSD-3-Clause */
/* The accumulator as one long integer: a two's complement number in the limbs [low, high). Limbs
 * outside of the window are not initialised: those below are zero and those above copies of the
 * sign. So the cost of making, copying and merging depends on the limbs in use, not on all 67. */
#include "exact/limbs.h"

void summand_exact_init(summand_exact *acc)
{
    acc->flags = 0;
    acc->low = acc->high = 0;
}

static uint64_t sign_of(uint64_t limb)
{
    return (uint64_t)0 - (limb >> 63);
}

/* Makes the window include [low, high). */
static void widen(summand_exact *acc, unsigned low, unsigned high)
{
    while (acc->low > low)
        acc->limb[--acc->low] = 0;
    if (acc->high < high) {
        const uint64_t sign = sign_of(acc->limb[acc->high - 1]);
        while (acc->high < high)
            acc->limb[acc->high++] = sign;
    }
}

/* limb += added + carry; returns the carry. */
static inline uint64_t add_limb(uint64_t *limb, uint64_t added, uint64_t carry)
{
    const summand__u128 sum = (summand__u128)*limb + added + carry;
    *limb = (uint64_t)sum;
    return (uint64_t)(sum >> 64);
}

/* After limbs below `from` were added with a carry: adds the sign of the addend to the others.
 * `before` and `added` made the last limb so far. */
static inline void add_sign(summand_exact *acc, unsigned from, uint64_t sign, uint64_t carry,
                            uint64_t before, uint64_t added)
{
    for (; from < acc->high; from++) {
        if (carry == (sign & 1))
            return; /* from here on 0 or -1 + 1 is added */
        before = acc->limb[from];
        added = sign;
        carry = add_limb(acc->limb + from, sign, carry);
    }
    const uint64_t after = acc->limb[from - 1];
    if (((before ^ after) & (added ^ after)) >> 63 && from < SUMMAND_EXACT_LIMBS)
        acc->limb[acc->high++] = sign_of(before);
}

/* Adds `part`, a two's complement integer of `count` limbs whose first one has index `at`. */
static void add_limbs(summand_exact *acc, unsigned at, const uint64_t *part, unsigned count)
{
    if (acc->low == acc->high) {
        acc->low = (uint16_t)at;
        acc->high = (uint16_t)(at + count);
        for (unsigned i = 0; i < count; i++)
            acc->limb[at + i] = part[i];
        return;
    }
    const uint64_t top = part[count - 1];
    widen(acc, at, at + count);
    uint64_t carry = 0, before = 0;
    for (unsigned i = 0; i < count; i++) {
        before = acc->limb[at + i];
        carry = add_limb(acc->limb + at + i, part[i], carry);
    }
    add_sign(acc, at + count, sign_of(top), carry, before, top);
}

void summand__exact_deposit(summand_exact *acc, summand__i128 v, unsigned position)
{
    if (!v)
        return;
    const unsigned shift = position & 63, at = position >> 6;
    const summand__u128 low = (summand__u128)v << shift;
    const int64_t top = (int64_t)(v >> 64);
    const uint64_t part[3] = {(uint64_t)low, (uint64_t)(low >> 64),
                              (uint64_t)(top >> 1 >> (63 - shift))};
    uint64_t *const limb = acc->limb + at;
    if (acc->low == acc->high) {
        acc->low = (uint16_t)at;
        acc->high = (uint16_t)(at + 3);
        memcpy(limb, part, sizeof part);
        return;
    }
    if (acc->low > at || acc->high < at + 3)
        widen(acc, at, at + 3);
    uint64_t carry = add_limb(limb, part[0], 0);
    carry = add_limb(limb + 1, part[1], carry);
    const uint64_t before = limb[2];
    carry = add_limb(limb + 2, part[2], carry);
    add_sign(acc, at + 3, sign_of(part[2]), carry, before, part[2]);
}

void summand_exact_merge(summand_exact *acc, const summand_exact *other)
{
    acc->flags |= other->flags;
    if (other->high > other->low)
        add_limbs(acc, other->low, other->limb + other->low, (unsigned)other->high - other->low);
}

void summand_exact_negate(summand_exact *acc)
{
    const uint32_t infinities = SUMMAND__SEEN_PLUS_INF | SUMMAND__SEEN_MINUS_INF;
    const uint32_t which = acc->flags & infinities;
    if (which && which != infinities)
        acc->flags ^= infinities;
    if (acc->flags & SUMMAND__SEEN_MINUS_ZERO)
        acc->flags = (acc->flags & ~(uint32_t)SUMMAND__SEEN_MINUS_ZERO) | SUMMAND__SEEN_OTHER;
    if (acc->low == acc->high)
        return;
    const uint64_t top = acc->limb[acc->high - 1];
    unsigned char carry = 1;
    for (unsigned i = acc->low; i < acc->high; i++) {
        acc->limb[i] = ~acc->limb[i] + carry;
        carry = carry && !acc->limb[i];
    }
    /* -2^k in the whole window has no opposite of that width. */
    if (top >> 63 && acc->limb[acc->high - 1] >> 63 && acc->high < SUMMAND_EXACT_LIMBS)
        acc->limb[acc->high++] = 0;
}

/* The accumulator as one long integer: a two's complement number in the limbs [low, high). Limbs
 * outside of the window are not initialised: those below are zero and those above copies of the
 * sign. So making, copying and merging cost what the value needs, not 67 limbs. */
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

/* Adds `part`, a two's complement integer of `count` limbs whose first one has index `at`. */
static void add_limbs(summand_exact *acc, unsigned at, const uint64_t *part, unsigned count)
{
    if (acc->low == acc->high) {
        acc->low = (uint16_t)at;
        acc->high = (uint16_t)(at + count);
        memcpy(acc->limb + at, part, count * sizeof *part);
        return;
    }
    const uint64_t part_sign = sign_of(part[count - 1]);
    widen(acc, at, at + count);
    uint64_t before = 0, added = 0, after = 0;
    unsigned char carry = 0;
    unsigned i = at;
    for (const unsigned high = acc->high; i < high; i++) {
        if (i >= at + count && carry == (part_sign & 1))
            return; /* from here on 0 or -1 + 1 is added */
        before = acc->limb[i];
        added = i < at + count ? part[i - at] : part_sign;
        const summand__u128 sum = (summand__u128)before + added + carry;
        acc->limb[i] = after = (uint64_t)sum;
        carry = (unsigned char)(sum >> 64);
    }
    if (((before ^ after) & (added ^ after)) >> 63 && acc->high < SUMMAND_EXACT_LIMBS)
        acc->limb[acc->high++] = sign_of(before);
}

void summand__exact_deposit(summand_exact *acc, summand__i128 v, unsigned position)
{
    if (!v)
        return;
    const unsigned shift = position & 63;
    const summand__u128 low = (summand__u128)v << shift;
    const int64_t top = (int64_t)(v >> 64);
    const uint64_t part[3] = {(uint64_t)low, (uint64_t)(low >> 64),
                              (uint64_t)(shift ? top >> (64 - shift) : top >> 63)};
    const unsigned count = part[2] != sign_of(part[1]) ? 3 : part[1] != sign_of(part[0]) ? 2 : 1;
    add_limbs(acc, position >> 6, part, count);
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

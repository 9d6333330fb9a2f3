/* SPDX-License-Identifier: BSD-3-Clause */
#include "comm/fabric/number_set.h"

static uint64_t bit(int i)
{
    return UINT64_C(1) << i % 64;
}

void summand__number_set_begin(struct summand__number_set *set, int count)
{
    *set = (struct summand__number_set){.free = {0}};
    for (int i = 0; i < count && i < SUMMAND__MOST_NUMBERS; i++)
        set->free[i / 64] |= bit(i);
}

void summand__number_set_offer(struct summand__number_set *set, uint64_t of, int words,
                               uint64_t *offered)
{
    for (int w = 0; w < words; w++) {
        offered[w] = set->free[w] & of;
        set->free[w] &= ~offered[w];
    }
}

void summand__number_set_take_back(struct summand__number_set *set, const uint64_t *offered,
                                   int words, int taken)
{
    for (int w = 0; w < words; w++)
        set->free[w] |= offered[w];
    if (taken >= 0)
        set->free[taken / 64] &= ~bit(taken);
}

int summand__number_set_lowest(const uint64_t *words, int count)
{
    for (int w = 0; w < count; w++)
        if (words[w])
            return 64 * w + __builtin_ctzll(words[w]);
    return -1;
}

void summand__number_set_leave(struct summand__number_set *set, int number, bool clean)
{
    (clean ? set->left : set->dead)[number / 64] |= bit(number);
}

bool summand__number_set_any_left(const struct summand__number_set *set)
{
    uint64_t any = 0;
    for (int w = 0; w < SUMMAND__NUMBER_WORDS; w++)
        any |= set->left[w];
    return any;
}

bool summand__number_set_idle(const struct summand__number_set *set, int number)
{
    int w = number / 64;
    return number >= SUMMAND__MOST_NUMBERS ||
           ((set->free[w] | set->left[w] | set->dead[w]) & bit(number)) != 0;
}

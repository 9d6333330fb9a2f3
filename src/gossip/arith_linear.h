/* SPDX-License-Identifier: BSD-3-Clause */
/* Operations word by word, for all forms: included once per type, with WORD (the type) and FIELD
 * (its member of the word) set. */
#include "gossip/arith.h"

/* Sets the whole word, because it is hashed, sent and saved. */
static inline void put(union summand__word *word, WORD value)
{
    word->bits = 0;
    word->FIELD = value;
}

static void total(union summand__word *sum, const union summand__word *own,
                  const union summand__word *flows, int n, int width)
{
    if (width == 3) { /* one scalar: kept in registers */
        WORD value = own[0].FIELD, weight = own[1].FIELD, check = own[2].FIELD;
        for (const union summand__word *f = flows; f < flows + 3 * (long)n; f += 3) {
            value += f[0].FIELD;
            weight += f[1].FIELD;
            check += f[2].FIELD;
        }
        put(&sum[0], value);
        put(&sum[1], weight);
        put(&sum[2], check);
        return;
    }
    for (int k = 0; k < width; k++)
        sum[k] = own[k];
    for (int j = 0; j < n; j++)
        for (int k = 0; k < width; k++)
            sum[k].FIELD += flows[(long)j * width + k].FIELD;
}

static void add(union summand__word *mass, const union summand__word *other, int width)
{
    for (int k = 0; k < width; k++)
        mass[k].FIELD += other[k].FIELD;
}

static void subtract(union summand__word *mass, const union summand__word *other, int width)
{
    for (int k = 0; k < width; k++)
        mass[k].FIELD -= other[k].FIELD;
}

static void negate(union summand__word *mass, const union summand__word *other, int width)
{
    for (int k = 0; k < width; k++)
        put(&mass[k], -other[k].FIELD);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The floating-point forms: included once per type, with REAL (the type), FIELD (its member of the
 * word) and FORM (the name of the table row) set. */
#define WORD REAL
#include "gossip/arith_linear.h"

#include <math.h>

static void load(union summand__word *mass, const double *values, double weight, int width)
{
    REAL sum = (REAL)0;
    for (int k = 0; k < width; k++)
        mass[k].bits = 0;
    for (int k = 0; k < width - 2; k++) {
        mass[k].FIELD = (REAL)values[k];
        sum += mass[k].FIELD;
    }
    mass[width - 2].FIELD = (REAL)weight;
    mass[width - 1].FIELD = sum + mass[width - 2].FIELD;
}

static void half(union summand__word *part, const union summand__word *mass, int width)
{
    for (int k = 0; k < width; k++)
        put(&part[k], mass[k].FIELD / 2);
}

static bool bad(const union summand__word *mass, double tau, int width)
{
    REAL sum = mass[0].FIELD;
    for (int k = 1; k < width - 1; k++)
        sum += mass[k].FIELD;
    return !(fabs((double)(sum - mass[width - 1].FIELD)) <= tau);
}

static double value(union summand__word word)
{
    return (double)word.FIELD;
}

#define QUOTED(name) #name
#define NAME(name) QUOTED(name)
#define ROW_OF(form) summand__arith_##form
#define ROW(form) ROW_OF(form)
const struct summand__arith ROW(FORM) = {.name = NAME(FORM),
                                         .bits = 8 * sizeof(REAL),
                                         .keeps = sizeof(REAL) == sizeof(double),
                                         .resolution = RESOLUTION,
                                         .load = load,
                                         .total = total,
                                         .half = half,
                                         .add = add,
                                         .subtract = subtract,
                                         .negate = negate,
                                         .bad = bad,
                                         .value = value};

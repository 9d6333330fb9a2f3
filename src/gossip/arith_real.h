/* The floating-point forms: included once per type, with REAL (the type), FIELD (its member of the
 * word) and FORM (the name of the table row) set. */
#include "gossip/arith.h"

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

static void total(union summand__word *sum, const union summand__word *own,
                  const union summand__word *flows, int n, int width)
{
    if (width == 3) { /* one scalar: kept in registers */
        REAL value = own[0].FIELD, weight = own[1].FIELD, check = own[2].FIELD;
        for (const union summand__word *f = flows; f < flows + 3 * (long)n; f += 3) {
            value += f[0].FIELD;
            weight += f[1].FIELD;
            check += f[2].FIELD;
        }
        sum[0].FIELD = value;
        sum[1].FIELD = weight;
        sum[2].FIELD = check;
        return;
    }
    for (int k = 0; k < width; k++)
        sum[k] = own[k];
    for (int j = 0; j < n; j++)
        for (int k = 0; k < width; k++)
            sum[k].FIELD += flows[(long)j * width + k].FIELD;
}

static void half(union summand__word *part, const union summand__word *mass, int width)
{
    for (int k = 0; k < width; k++)
        part[k].FIELD = mass[k].FIELD / 2;
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
        mass[k].FIELD = -other[k].FIELD;
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
                                         .resolution = RESOLUTION,
                                         .load = load,
                                         .total = total,
                                         .half = half,
                                         .add = add,
                                         .subtract = subtract,
                                         .negate = negate,
                                         .bad = bad,
                                         .value = value};

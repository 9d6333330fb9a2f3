/* SPDX-License-Identifier: BSD-3-Clause */
#include "gossip/operands.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NONE = -100000, FIXED_BITS = 54, SHIFT = FIXED_BITS - SUMMAND__DIGIT_BITS };

static void operand_of(const struct summand__operands *o, const double *element, summand_exact *acc)
{
    summand_exact_init(acc);
    if (!element)
        summand__digits_add_product(acc, 1, o->weight, o->unit);
    else if (o->weighted)
        summand__digits_add_product(acc, *element, o->weight, o->unit);
    else
        summand__digits_add(acc, *element);
}

/* 2^exponent is above |value|. */
static int exponent_of(double value)
{
    int exponent;
    frexp(value, &exponent);
    return value == 0 ? NONE : exponent;
}

static int weight_exponent(const struct summand__operands *o)
{
    return o->weighted ? exponent_of(o->weight) - o->unit : 0;
}

void summand__operand_extent(const struct summand__operands *o, const double *element,
                             int64_t *extent)
{
    summand_exact acc;
    int low, top, power = element ? exponent_of(*element) : 0;
    for (int k = 0; k < SUMMAND__EXTENTS; k++)
        extent[k] = NONE;
    if (o->result == SUMMAND__GOSSIP_EXTREMUM || power == NONE)
        return;
    operand_of(o, element, &acc);
    if (summand__digits_range(&acc, &low, &top)) {
        extent[SUMMAND__EXTENT_LOW] = -low;
        extent[SUMMAND__EXTENT_TOP] = top;
    }
    extent[SUMMAND__EXTENT_EXPONENT] = power + weight_exponent(o);
    extent[SUMMAND__EXTENT_SQUARE] = 2 * power + weight_exponent(o);
}

static struct summand__span span_of(const struct summand__operands *o, const int64_t *extent,
                                    int word)
{
    struct summand__span s = {
        .word = word, .words = 1, .zero = extent[SUMMAND__EXTENT_EXPONENT] == NONE};
    int most = o->weighted ? SUMMAND__GOSSIP_MOST / 2 - 1 : SUMMAND__GOSSIP_MOST - 1;
    if (!o->digits) {
        s.exponent = (int)extent[SUMMAND__EXTENT_EXPONENT];
        if (s.exponent == NONE) /* all 0; or an extremum, which is passed on without arithmetic */
            s.exponent = 0;
        return s;
    }
    int top = (int)extent[SUMMAND__EXTENT_TOP], low = (int)-extent[SUMMAND__EXTENT_LOW];
    if (top == NONE)
        top = low = SUMMAND__ORIGIN / SUMMAND__DIGIT_BITS;
    s.cut = top - low + 1 > most;
    s.words = s.cut ? most : top - low + 1;
    s.place = top - s.words + 1;
    s.exponent = summand__digit_exponent(top + 1);
    return s;
}

int summand__operands_lay_out(struct summand__operands *o, int n, const int64_t *extents)
{
    struct summand__span weights = {0};
    int word = 0, k = 0;
    if (o->weighted) {
        weights = span_of(o, extents, 0);
        word = weights.words;
    }
    for (; k < n && k < SUMMAND__GOSSIP_MOST; k++) {
        const int64_t *extent = extents + (k + 1) * SUMMAND__EXTENTS;
        struct summand__span s = span_of(o, extent, word);
        if (word + s.words + o->squares > SUMMAND__GOSSIP_MOST)
            break;
        int square = (int)extent[SUMMAND__EXTENT_SQUARE];
        o->span[k] = s;
        o->square[k] = square == NONE ? 0 : square + (square & 1);
        word += s.words + o->squares;
    }
    o->span[k] = weights;
    o->count = k;
    o->words = word;
    return k;
}

static void load_span(const struct summand__operands *o, const struct summand__span *s,
                      const double *element, double *values)
{
    summand_exact acc;
    int64_t digit[SUMMAND__GOSSIP_MOST];
    if (!o->digits) {
        double x = element ? *element : 1;
        int power, weight_power = 0;
        double mantissa = frexp(x, &power);
        if (o->weighted)
            mantissa *= frexp(o->weight, &weight_power);
        values[s->word] = ldexp(mantissa, power + weight_power - o->unit - s->exponent);
        return;
    }
    operand_of(o, element, &acc);
    summand__digits_get(&acc, s->place, s->words, digit);
    for (int w = 0; w < s->words; w++)
        values[s->word + w] = ldexp((double)digit[w], -SUMMAND__DIGIT_BITS);
}

void summand__operands_load(const struct summand__operands *o, const double *x, double *values)
{
    if (o->weighted)
        load_span(o, &o->span[o->count], NULL, values);
    for (int k = 0; k < o->count; k++) {
        const struct summand__span *s = &o->span[k];
        load_span(o, s, &x[k], values);
        if (o->squares) {
            int power, weight_power = 0;
            double mantissa = frexp(x[k], &power);
            mantissa *= mantissa * (o->weighted ? frexp(o->weight, &weight_power) : 1);
            values[s->word + s->words] =
                ldexp(mantissa, 2 * power + weight_power - o->unit - o->square[k]);
        }
    }
}

/* The mean over the ranks of an operand, in units of 2^exponent. */
static long double mean_of(const struct summand__span *s, const double *y)
{
    long double sum = 0;
    for (int w = 0; w < s->words; w++)
        sum += scalbnl(y[s->word + w], SUMMAND__DIGIT_BITS * (w + 1 - s->words));
    return sum;
}

double summand__operands_rounded(const struct summand__operands *o, long double value, int exponent)
{
    long double wide = scalbnl(value, exponent), most = o->single ? FLT_MAX : DBL_MAX;
    if (o->result == SUMMAND__GOSSIP_MEAN) /* the mean lies among the inputs, which are finite */
        wide = wide > most ? most : wide < -most ? -most : wide;
    return o->single ? (double)(float)wide : (double)wide;
}

double summand__operands_estimate(const struct summand__operands *o, const double *y, int k)
{
    const struct summand__span *s = &o->span[k], *weights = &o->span[o->count];
    long double mean = mean_of(s, y);
    if (o->weighted)
        return summand__operands_rounded(o, mean / mean_of(weights, y),
                                         s->exponent - weights->exponent);
    return summand__operands_rounded(o, o->result == SUMMAND__GOSSIP_SUM ? mean * o->ranks : mean,
                                     s->exponent);
}

/* The sum over the ranks of one operand, in units of 2^exponent. */
struct sum {
    long double low, high;
    bool exact;
    double distance;
    summand_exact value; /* if exact */
};

static long double floor_of(summand__i128 v)
{
    return (long double)(v >> SHIFT);
}

/* The sum of digits at one place is an integer. If its range contains only one integer, the sum is
 * known. */
static void sum_of_digits(const struct summand__operands *o, const struct summand__span *s,
                          const struct summand__range *range, struct sum *sum)
{
    int64_t digit[SUMMAND__GOSSIP_MOST];
    long double magnitude = 0;
    sum->exact = !s->cut;
    for (int w = 0; w < s->words; w++) {
        const struct summand__range *r = &range[s->word + w];
        summand__i128 low = (summand__i128)r->low.fixed * o->ranks;
        summand__i128 high = (summand__i128)r->high.fixed * o->ranks;
        int power = SUMMAND__DIGIT_BITS * (w - s->words);
        summand__i128 least = -(-low >> SHIFT), most = high >> SHIFT;
        long double a = scalbnl((long double)low, -SHIFT), b = scalbnl((long double)high, -SHIFT);
        if (least == most) {
            a = b = floor_of(high);
            digit[w] = (int64_t)most;
        } else {
            sum->exact = false;
            sum->distance = fmax(sum->distance, (double)(b - a));
        }
        sum->low += scalbnl(a, power);
        sum->high += scalbnl(b, power);
        magnitude += scalbnl(fmaxl(fabsl(a), fabsl(b)), power);
    }
    if (o->weighted) { /* low bits of products are left out (digits.h), so the result is not exact
                        */
        long double left_out = scalbnl((long double)o->ranks, -SUMMAND__ORIGIN - s->exponent);
        sum->low -= left_out;
        sum->high += left_out;
    }
    if (sum->exact) {
        summand__digits_put(&sum->value, s->place, s->words, digit);
        return;
    }
    long double slack = magnitude * 0x1p-48L; /* rounding of the lines above */
    if (s->cut)
        slack += scalbnl((long double)o->ranks, -SUMMAND__DIGIT_BITS * s->words);
    sum->low -= slack;
    sum->high += slack;
}

static void sum_of(const struct summand__operands *o, const struct summand__span *s,
                   const struct summand__range *range, double slack, struct sum *sum)
{
    *sum = (struct sum){0};
    if (o->digits) {
        sum_of_digits(o, s, range, sum);
        return;
    }
    sum->low = ((long double)range[s->word].low.real - slack) * o->ranks;
    sum->high = ((long double)range[s->word].high.real + slack) * o->ranks;
}

/* The rounding error of y, the rounded value. */
static double rounding(const struct summand__operands *o, const summand_exact *value, double y)
{
    summand_exact rest = *value;
    if (!isfinite(y))
        return INFINITY;
    summand__digits_add(&rest, -y);
    int low, top;
    bool off = summand__digits_range(&rest, &low, &top);
    return off ? fabs(y) * (o->single ? 0x1p-24 : 0x1p-53) + 0x1p-1074 : 0;
}

static void finish_exact(const struct summand__operands *o, const struct sum *sum,
                         const struct sum *divisor, struct summand__bounds *b)
{
    if (o->result == SUMMAND__GOSSIP_SUM) {
        b->y = summand__digits_quotient(&sum->value, NULL, 0, o->single);
        b->error = rounding(o, &sum->value, b->y);
        return;
    }
    summand_exact ranks;
    summand_exact_init(&ranks);
    summand__digits_add(&ranks, o->ranks);
    int low, top;
    bool zero = !o->weighted && !summand__digits_range(&sum->value, &low, &top);
    b->y = summand__digits_quotient(&sum->value, divisor ? &divisor->value : &ranks, 0, o->single);
    b->error = zero        ? 0
               : o->single ? fabs(b->y) * 0x1p-23 + 0x1p-149
                           : fabs(b->y) * 0x1p-52 + 0x1p-1074;
}

static void divide(const struct sum *divisor, struct summand__bounds *b)
{
    long double low = b->low, high = b->high;
    if (!(divisor->low > 0)) {
        b->low = -INFINITY;
        b->high = INFINITY;
        return;
    }
    b->low = low / (low < 0 ? divisor->low : divisor->high);
    b->high = high / (high < 0 ? divisor->high : divisor->low);
}

void summand__operands_bounds(const struct summand__operands *o, const struct summand__range *range,
                              int k, double slack, struct summand__bounds *bounds)
{
    const struct summand__span *s = &o->span[k], *weights = &o->span[o->count];
    struct sum sum, divisor = {.low = o->ranks, .high = o->ranks, .exact = true};
    if (o->result == SUMMAND__GOSSIP_EXTREMUM) {
        *bounds = (struct summand__bounds){.low = range[k].low.real, .high = range[k].high.real};
        return;
    }
    if (s->zero) {
        *bounds = (struct summand__bounds){.exact = true};
        return;
    }
    sum_of(o, s, range, slack, &sum);
    *bounds =
        (struct summand__bounds){sum.low, sum.high, s->exponent, sum.exact, sum.distance, 0, 0};
    if (o->weighted) {
        sum_of(o, weights, range, slack, &divisor);
        bounds->exponent -= weights->exponent;
        bounds->exact &= divisor.exact;
        bounds->distance = fmax(sum.distance, divisor.distance);
    }
    if (o->result == SUMMAND__GOSSIP_MEAN)
        divide(&divisor, bounds);
    if (bounds->exact)
        finish_exact(o, &sum, o->weighted ? &divisor : NULL, bounds);
}

long double summand__operands_rounding(const struct summand__operands *o,
                                       const struct summand__bounds *b)
{
    long double most = fmaxl(fabsl(b->low), fabsl(b->high));
    long double least = scalbnl(1, (o->single ? -150 : -1075) - b->exponent);
    return o->result == SUMMAND__GOSSIP_EXTREMUM ? 0
                                                 : most * (o->single ? 0x1p-24L : 0x1p-53L) + least;
}

/* Squares are rounded when they are made: in fixed point by less than two units. */
long double summand__operands_rms(const struct summand__operands *o,
                                  const struct summand__range *range, int k, double slack,
                                  int exponent)
{
    const struct summand__span *s = &o->span[k], *weights = &o->span[o->count];
    const union summand__word *low = &range[s->word + s->words].low;
    long double mean = o->digits ? scalbnl((long double)low->fixed - 2, -FIXED_BITS)
                                 : (long double)low->real - slack;
    if (!(mean > 0))
        return 0;
    if (o->weighted) {
        struct sum divisor;
        sum_of(o, weights, range, slack, &divisor);
        mean *= o->ranks / scalbnl(divisor.high, weights->exponent);
    }
    long double root = scalbnl(sqrtl(mean), o->square[k] / 2 - exponent);
    return o->result == SUMMAND__GOSSIP_SUM ? root * o->ranks : root;
}

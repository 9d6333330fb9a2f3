/* SPDX-License-Identifier: BSD-3-Clause */
/* Operands as digits: the conversion to digits and back loses nothing, for any values and weights.
 * */
#include "base/random.h"
#include "gossip/digits.h"
#include "unit/unit.h"

#include <float.h>
#include <math.h>

enum { CASES = 3000, OPERANDS = 5, MOST = 140 };

static double any_double(struct summand__random *random, int spread)
{
    double mantissa = summand__random_unit(random) - 0.5;
    int exponent = (int)summand__random_below(random, (uint64_t)(2 * spread + 1)) - spread;
    return ldexp(mantissa, exponent);
}

/* The ranks' digits, added place by place, are the digits of the sum. */
TEST(sums_of_digits_are_exact)
{
    struct summand__random random = {1};
    for (int c = 0; c < CASES; c++) {
        int spread = 1 << summand__random_below(&random, 11), low = MOST, top = 0;
        summand_exact acc[OPERANDS], sum;
        double x[OPERANDS];
        int64_t digit[MOST], total[MOST] = {0};
        for (int r = 0; r < OPERANDS; r++) {
            int lowest, highest;
            x[r] = c == 0 ? DBL_MAX : c == 1 ? DBL_TRUE_MIN : any_double(&random, spread);
            summand_exact_init(&acc[r]);
            summand__digits_add(&acc[r], x[r]);
            if (summand__digits_range(&acc[r], &lowest, &highest)) {
                summand__digits_get(&acc[r], lowest, 1, digit);
                summand__digits_get(&acc[r], highest, 1, digit + 1);
                assert_true(digit[0] && digit[1]); /* the least range */
                low = lowest < low ? lowest : low;
                top = highest > top ? highest : top;
            }
        }
        if (top < low)
            continue;
        assert_true(top - low + 1 <= SUMMAND__DIGITS_OF_SUM);
        for (int r = 0; r < OPERANDS; r++) {
            summand__digits_get(&acc[r], low, top - low + 1, digit);
            for (int k = 0; k <= top - low; k++) {
                assert_true(digit[k] > -(INT64_C(1) << 32) && digit[k] < INT64_C(1) << 32);
                total[k] += digit[k];
            }
        }
        summand__digits_put(&sum, low, top - low + 1, total);
        double want = summand_exact_sum(OPERANDS, x);
        assert_true(summand__digits_quotient(&sum, NULL, 0, false) == want ||
                    (want == 0 && summand_exact_round(&sum) == 0));
    }
}

TEST(products_are_exact)
{
    struct summand__random random = {2};
    for (int c = 0; c < CASES; c++) {
        double x = any_double(&random, 400), weight = fabs(any_double(&random, 400)) + DBL_MIN;
        int unit;
        frexp(weight, &unit);
        summand_exact ours, theirs;
        summand_exact_init(&ours);
        summand_exact_init(&theirs);
        summand__digits_add_product(&ours, x, weight, unit);
        double scaled = ldexp(weight, -unit);
        summand_exact_add_products(&theirs, 1, &x, &scaled);
        summand_exact_negate(&theirs);
        summand_exact_merge(&ours, &theirs);
        int low, top;
        assert_false(summand__digits_range(&ours, &low, &top));
    }
}

/* Exact to the last bit, even if dividend or divisor is no double. */
TEST(quotients_are_right)
{
    struct summand__random random = {3};
    for (int c = 0; c < CASES; c++) {
        double a = any_double(&random, 200), b = fabs(any_double(&random, 200)) + 1e-80;
        int shift = (int)summand__random_below(&random, 800) - 400;
        summand_exact top, bottom;
        summand_exact_init(&top);
        summand_exact_init(&bottom);
        summand__digits_add(&top, a);
        summand__digits_add(&bottom, b);
        double y = summand__digits_quotient(&top, &bottom, shift, false),
               want = ldexp(a / b, shift);
        assert_true(fabs(y - want) <= fabs(want) * DBL_EPSILON + DBL_TRUE_MIN);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Carries in plain C that every compiler vectorizes; each instruction set's file includes it once.
 */
#include "kernel/lanes_one.h"

static bool lanes_normalise(const struct summand__lanes_format *format, int64_t *lanes, size_t n)
{
    const int64_t limit = INT64_C(1) << format->bits, ones = limit - 1;
    int64_t wide = 0;
    for (size_t i = 0; i + 1 < format->digits; i++)
        for (size_t j = 0; j < n; j++) {
            const int64_t digit = lanes[i * n + j];
            lanes[i * n + j] = digit & ones;
            lanes[(i + 1) * n + j] += digit >> format->bits;
        }
    for (size_t j = 0; j < n && format->digits; j++) {
        const int64_t digit = lanes[(format->digits - 1u) * n + j];
        wide |= (digit >= limit) | (digit <= -limit);
    }
    return !wide;
}

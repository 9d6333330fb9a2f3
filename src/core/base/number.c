/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

bool summand__parse_integer(const char *text, long long *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(text, &end, 10);
    if (end == text || errno)
        return false;
    int shift = *end == 'k' ? 10 : *end == 'm' ? 20 : *end == 'g' ? 30 : 0;
    if (shift)
        end++;
    if (*end || number > (LLONG_MAX >> shift) || number < -(LLONG_MAX >> shift))
        return false;
    *value = number * (1ll << shift);
    return true;
}

bool summand__parse_decimal(const char *text, double *value)
{
    double number = 0, place = 1;
    bool digits = false, point = false;
    for (; *text; text++) {
        if (*text == '.' && !point) {
            point = true;
        } else if (*text >= '0' && *text <= '9') {
            number = 10 * number + (*text - '0');
            place *= point ? 10 : 1;
            digits = true;
        } else {
            return false;
        }
    }
    *value = number / place;
    return digits;
}

void summand__print_integer(long long value, char *text, size_t room)
{
    static const char suffix[] = {0, 'k', 'm', 'g'};
    int power = 0;
    while (value && power < 3 && value % 1024 == 0) {
        value /= 1024;
        power++;
    }
    snprintf(text, room, "%lld%.1s", value, power ? &suffix[power] : "");
}

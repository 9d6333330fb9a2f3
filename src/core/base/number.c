/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/number.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Multiplies by ten as often as the exponent behind an 'e' says. */
static bool times_ten(const char **at, long long *number)
{
    char *end;
    const long exponent = strtol(*at + 1, &end, 10);
    *at = end;
    for (long i = 0; i < exponent && *number; i++) {
        if (*number > LLONG_MAX / 10 || *number < -(LLONG_MAX / 10))
            return false;
        *number *= 10;
    }
    return true;
}

static bool shift(const char **at, long long *number)
{
    const int bits = **at == 'k' ? 10 : **at == 'm' ? 20 : **at == 'g' ? 30 : 0;
    if (*number > (LLONG_MAX >> bits) || *number < -(LLONG_MAX >> bits))
        return false;
    *number *= 1ll << bits;
    *at += bits > 0;
    return true;
}

bool summand__read_integer(const char **text, long long *value)
{
    char *end;
    errno = 0;
    long long number = strtoll(*text, &end, 10);
    if (end == *text || errno)
        return false;
    const char *at = end;
    const bool raised = *at == 'e' && at[1] >= '0' && at[1] <= '9';
    if (!(raised ? times_ten(&at, &number) : shift(&at, &number)))
        return false;
    *text = at;
    *value = number;
    return true;
}

bool summand__parse_integer(const char *text, long long *value)
{
    long long number;
    if (!summand__read_integer(&text, &number) || *text)
        return false;
    *value = number;
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/options/numbers.h"

#include "base/number.h"

struct reader {
    const char *at;
    long long least, most, factor;
    struct numbers *numbers;
};

static bool number(struct reader *reader, long long *value)
{
    return summand__read_integer(&reader->at, value) && *value >= 0 && *value <= reader->most;
}

static bool add(struct reader *reader, long long value)
{
    if (value < reader->least || value > reader->most || reader->numbers->count == NUMBERS_MOST)
        return false;
    reader->numbers->value[reader->numbers->count++] = value;
    return true;
}

static bool range(struct reader *reader, long long first)
{
    long long last, step = reader->factor;
    char kind = ':';
    if (!number(reader, &last) || first < 1 || last < first)
        return false;
    if (*reader->at == ':' || *reader->at == '+') {
        kind = *reader->at++;
        if (!number(reader, &step))
            return false;
    }
    if (step < (kind == ':' ? 2 : 1))
        return false;
    /* "8..16" with factor ten would be 8 alone: surely a mistake. */
    if (first < last && (kind == ':' ? first > last / step : first > last - step))
        return false;
    for (long long value = first; value <= last;) {
        if (!add(reader, value))
            return false;
        if (kind == ':' && value > reader->most / step)
            break;
        value = kind == ':' ? value * step : value + step;
    }
    return true;
}

bool read_numbers(const char *text, long long least, long long most, struct numbers *numbers)
{
    return read_numbers_by(text, least, most, 10, numbers);
}

bool read_numbers_by(const char *text, long long least, long long most, long long factor,
                     struct numbers *numbers)
{
    struct reader reader = {text, least, most, factor, numbers};
    numbers->count = 0;
    for (;; reader.at++) {
        long long first;
        if (!number(&reader, &first))
            return false;
        if (reader.at[0] == '.' && reader.at[1] == '.') {
            reader.at += 2;
            if (!range(&reader, first))
                return false;
        } else if (!add(&reader, first)) {
            return false;
        }
        if (*reader.at != ',')
            return !*reader.at && numbers->count > 0;
    }
}

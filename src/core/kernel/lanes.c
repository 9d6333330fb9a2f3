/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/lanes.h"

#include <string.h>

#include "kernel/arch_rows.h"

static const struct summand__lanes_kernels *const tables[SUMMAND__ARCHS] =
    SUMMAND__ARCH_ROWS(lanes);

const struct summand__lanes_kernels *summand__lanes_kernels(void)
{
    return tables[summand__arch()];
}

size_t summand__lanes_element(enum summand__lanes_type type)
{
    static const size_t bytes[SUMMAND__LANES_TYPES] = {8, 4, 2, 2};
    return bytes[type];
}

struct summand__lanes_format summand__lanes_format(const struct summand__lanes_range *range,
                                                   unsigned bits)
{
    struct summand__lanes_format format = {.bits = (uint8_t)bits,
                                           .special = (uint8_t)(range->special != 0)};
    if (range->top == SUMMAND__LANES_NONE)
        return format;
    const unsigned width = (unsigned)(range->top + range->low);
    format.lowest = (int16_t)-range->low;
    format.top = (int16_t)range->top;
    format.digits = (uint8_t)((width + bits - 1) / bits);
    return format;
}

void summand__lanes_clear(const struct summand__lanes_format *format, int64_t *lanes, size_t n)
{
    memset(lanes, 0, format->digits * n * sizeof *lanes);
    for (size_t j = 0; j < n && format->special; j++)
        lanes[format->digits * n + j] = SUMMAND__LANES_MINUS_ZEROS;
}

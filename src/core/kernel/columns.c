/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/columns.h"

#include "kernel/arch_rows.h"

static const struct summand__columns_kernels *const tables[SUMMAND__ARCHS] =
    SUMMAND__ARCH_ROWS(columns);

const struct summand__columns_kernels *summand__columns_kernels(void)
{
    return tables[summand__arch()];
}

/* The lowest unit is a double, and so is the highest accumulator. */
bool summand__columns_takes(const struct summand__lanes_format *format)
{
    const int highest = format->lowest + (format->digits - 1) * SUMMAND__COLUMNS_BITS;
    return format->bits == SUMMAND__COLUMNS_BITS && format->digits &&
           format->digits <= SUMMAND__COLUMNS_DIGITS && format->lowest >= -1074 &&
           highest + 52 <= 1023;
}

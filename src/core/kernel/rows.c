/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/rows.h"

#include "kernel/arch_rows.h"

static const struct summand__rows_kernels *const tables[SUMMAND__ARCHS] = SUMMAND__ARCH_ROWS(rows);

const struct summand__rows_kernels *summand__rows_kernels(void)
{
    return tables[summand__arch()];
}

/* The lowest unit is a double, and so is the highest accumulator. */
bool summand__rows_takes(const struct summand__lanes_format *format)
{
    const int highest = format->lowest + (format->digits - 1) * SUMMAND__ROWS_BITS;
    return format->bits == SUMMAND__ROWS_BITS && format->digits &&
           format->digits <= SUMMAND__ROWS_DIGITS && format->lowest >= -1074 &&
           highest + 52 <= 1023;
}

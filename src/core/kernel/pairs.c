/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/pairs.h"

#include "kernel/arch_rows.h"

static const struct summand__pairs_kernels *const tables[SUMMAND__ARCHS] =
    SUMMAND__ARCH_ROWS(pairs);

const struct summand__pairs_kernels *summand__pairs_kernels(void)
{
    return tables[summand__arch()];
}

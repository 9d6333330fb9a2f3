/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/seal.h"

#include "kernel/arch_rows.h"

static const struct summand__seal_kernels *const tables[SUMMAND__ARCHS] = SUMMAND__ARCH_ROWS(seal);

const struct summand__seal_kernels *summand__seal_kernels(void)
{
    return tables[summand__arch()];
}

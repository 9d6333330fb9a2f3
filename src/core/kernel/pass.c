/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/pass.h"

#include "kernel/arch_rows.h"

static const struct summand__pass_kernels *const tables[SUMMAND__ARCHS] = SUMMAND__ARCH_ROWS(pass);

const struct summand__pass_kernels *summand__pass_kernels(void)
{
    return tables[summand__arch()];
}

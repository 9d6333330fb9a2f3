/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/tree.h"

#include "kernel/arch_rows.h"
#include "kernel/tree_kernels.h"

static const struct summand__tree_kernels *const tables[SUMMAND__ARCHS] = SUMMAND__ARCH_ROWS(tree);

const struct summand__tree_kernels *summand__tree_kernels(void)
{
    return tables[summand__arch()];
}

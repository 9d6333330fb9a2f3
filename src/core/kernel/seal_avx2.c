/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/seal_x86.inc.h"

const struct summand__seal_kernels summand__seal_avx2 = {crc32c_wide};

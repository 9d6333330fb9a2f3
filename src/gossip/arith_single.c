/* SPDX-License-Identifier: BSD-3-Clause */
#define FORM single
#define REAL float
#define FIELD single
#define RESOLUTION 0x1p-23
#include "gossip/arith_real.h"

/* SPDX-License-Identifier: BSD-3-Clause */
#define FORM double
#define REAL double
#define FIELD real
#define RESOLUTION 0x1p-52
#include "gossip/arith_real.h"

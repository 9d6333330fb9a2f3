/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of algorithms as programs and the command see it (summand/info.h). */
#pragma once

#include <summand/info.h>

/* Of summand__algorithms[index], made at the first call; NULL after the last one and below 0. */
const summand_algorithm *summand__algorithm_described(int index);

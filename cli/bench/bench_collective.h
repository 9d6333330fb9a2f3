/* SPDX-License-Identifier: BSD-3-Clause */
/* The report of the benchmarks of collectives. */
#ifndef SUMMAND_CLI_BENCH_BENCH_COLLECTIVE_H
#define SUMMAND_CLI_BENCH_BENCH_COLLECTIVE_H

#include "cli/bench/bench.h"

extern const struct bench_form bench_collective_form;

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* What calls cost besides their messages: the parts of "bench overhead". */
#pragma once

#include <summand/options.h>

#include "cli/bench/bench.h"

/* Prints times per call and the overhead: the median of the differences within a round to the
 * form's first reference, or to its second one in cases without the first. */
void bench_overhead_print(const struct bench_report *report);

/* Measures first calls and reports. The process has not called the library yet. Collective; returns
 * the exit status. */
int bench_first(const char *command, const struct bench_form *form,
                const struct bench_common *common, int bytes, const summand_options *options);

/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory of a program that has no use for going on without it. */
#ifndef SUMMAND_BENCH_NEED_H
#define SUMMAND_BENCH_NEED_H

/* The memory, unless it is NULL: then says so and ends the process with exit status 1. */
void *need(void *memory);

#endif

/* The loops a user would write to combine two vectors, compiled by -O3 -march=native. */
#ifndef SUMMAND_BENCH_PLAIN_COMBINE_H
#define SUMMAND_BENCH_PLAIN_COMBINE_H

#include "kernel/combine.h"

typedef void plain_combine(const void *in, void *inout, size_t count);

/* NULL where there is none. */
plain_combine *plain_combine_loop(enum summand__combine_operator op, enum summand__combine_type t);

#endif

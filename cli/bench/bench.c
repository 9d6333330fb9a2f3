/* SPDX-License-Identifier: BSD-3-Clause */
/* summand bench: the list of benchmarks. */
#include "cli/common/cli.h"

extern const struct command command_bench;

/* Every benchmark once; each is a command of its own, named "bench NAME". */
#define BENCHMARKS(X)                                                                              \
    X(reduce)                                                                                      \
    X(allreduce)                                                                                   \
    X(scan)                                                                                        \
    X(exscan)                                                                                      \
    X(reduce_scatter)                                                                              \
    X(bcast) X(allgather) X(outer) X(gemm) X(sum) X(matrix) X(notify) X(compare) X(overhead)

#define DECLARE(name) extern const struct command benchmark_##name;
BENCHMARKS(DECLARE)
#undef DECLARE

static const struct command *const members[] = {
#define ENTRY(name) &benchmark_##name,
    BENCHMARKS(ENTRY)
#undef ENTRY
        NULL};

const struct command command_bench = {
    .name = "bench",
    .summary = "measures Summand beside MPI and the usual methods",
    .synopsis = "bench COMMAND [options]",
    .examples = "  mpirun -np 2 summand bench allreduce --sizes 8,4k,1m\n"
                "  mpirun -np 2 summand bench sum --n 460,64k --plot sum.svg\n",
    .members = members,
};

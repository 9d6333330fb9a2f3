/* SPDX-License-Identifier: BSD-3-Clause */
/* One case of a benchmark of a collective: buffers, and each algorithm's call on them. */
#pragma once

#include <summand/plan.h>

#include "algorithm/algorithm.h"
#include "cli/bench/bench.h"
#include "cli/bench/bench_choices.h"
#include "cli/bench/bench_elements.h"

struct bench_case;
struct bench_collective;

/* The call, for any size. */
struct bench_call {
    const struct bench_collective *collective;
    const struct element_type *type;
    const struct element_op *op; /* NULL: the collective has no operator */
    MPI_Op handle, of_mpi;       /* the operator, in our calls and in the MPI's */
    int root;
    bool in_place, plan;
    bool plain; /* buffers where malloc puts them; else at the edges of pages */
    enum summand_promise promise;
};

/* One collective; each is one row of bench_collectives. */
struct bench_collective {
    enum summand__collective collective;
    const char *size; /* which bytes a size counts */
    int (*ours)(const struct bench_case *c, const summand_options *options, MPI_Comm comm);
    int (*make)(const struct bench_case *c, const summand_options *options, MPI_Comm comm,
                summand_plan **plan);
    int (*mpi)(const struct bench_case *c, MPI_Comm comm);
};

extern const struct bench_collective bench_collectives[]; /* ended by a row without size */

struct bench_case {
    const struct bench_call *call;
    const struct bench_choices *choices;
    int count; /* elements of the vector, or of each block of an allgather */
    int rank, ranks;
    int *counts;       /* of the blocks of a reduce_scatter */
    uint64_t own, len; /* first element and length of this rank's block of the vector */
    char *send;        /* memory */
    char *result[2];   /* of the library's algorithms; of the MPI, which may leave its result in
                          another core's cache, so that the next writer is slower */
    char *recv;        /* the buffer of the running subject */
    const void *sendbuf;
    size_t send_bytes, recv_bytes;
    struct bench_subjects subjects;
};

/* Makes the rest of a struct bench_case; every rank checks its own result. */
extern const struct bench_kind bench_case_kind;

/* Rewrites this rank's operand of a struct bench_case, if any: then the operand is only in this
 * core's caches, as in programs that compute their operands. */
void bench_case_write(void *context);

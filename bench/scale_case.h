/* SPDX-License-Identifier: BSD-3-Clause */
/* One line of a list of cases: COLLECTIVE COUNT OPERATOR ALGORITHM[:NAME=VALUE;...] */
#pragma once

#include <stdbool.h>
#include <summand/reduce.h>

/* A collective of int32 vectors, ours and the MPI's. */
struct scale_collective {
    const char *name;
    int (*init)(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm,
                const summand_options *options, summand_plan **plan);
    int (*mpi)(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm);
    bool scatters; /* count elements of a vector of count * ranks for each rank */
    bool gathers;  /* vectors of count elements become one of count * ranks */
    bool all;      /* on all ranks, or on rank 0 alone */
    bool moves;    /* combines nothing */
};

struct scale_operator {
    const char *name;
    MPI_Op (*make)(void);
    unsigned (*combine)(unsigned left, unsigned right);
};

struct scale_case {
    const struct scale_collective *collective;
    const struct scale_operator *operator;
    int count;
    char algorithm[40];  /* ours by name, "auto", or "mpi" */
    char parameters[80]; /* as written */
    summand_options options;
};

/* False after an error message on stderr. */
bool scale_case_read(const char *line, struct scale_case *c);

extern const struct scale_collective scale_collectives[]; /* ended by one without name */
extern const struct scale_operator scale_operators[];

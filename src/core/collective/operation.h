/* SPDX-License-Identifier: BSD-3-Clause */
/* A collective call as its caller gave it, and its checks. */
#pragma once

#include <mpi.h>
#include <stdint.h>
#include <summand/options.h>

#include "algorithm/algorithm.h"
#include "comm/state.h"
#include "kernel/lanes.h"
#include "op/datatype_layout.h"

/* One number per rank, in one of three types. */
struct summand__numbers {
    const int *narrow;
    const MPI_Count *wide;
    const MPI_Aint *address;
};

static inline MPI_Count summand__number_at(const struct summand__numbers *numbers, int i)
{
    return numbers->wide      ? numbers->wide[i]
           : numbers->address ? (MPI_Count)numbers->address[i]
                              : (MPI_Count)numbers->narrow[i];
}

static inline bool summand__has_numbers(const struct summand__numbers *numbers)
{
    return numbers->narrow || numbers->wide || numbers->address;
}

/* A public call whose exact sum adds up terms that are not in sendbuf, but `of` something else. */
struct summand__exact_span;
struct summand__operation;
struct summand__exact_source {
    const char *call, *init; /* names of the public calls */
    unsigned entered;        /* enum summand__entered_call */
    /* Checks the arguments of the call's own on this rank: an MPI error code, explained. */
    int (*check)(const struct summand__operation *operation, int rank);
    /* At each start: an MPI error code if there are no sums, which becomes an error of all ranks;
     * and if there are terms. NULL: there are always. */
    int (*ready)(const void *of, bool *filled);
    /* Called for all blocks of numbers in turn: widens a range to what the digits of the block
     * need; writes its lanes, false if a number does not fit. */
    void (*range)(const void *of, enum summand__lanes_type type,
                  const struct summand__exact_span *span, struct summand__lanes_range *range);
    bool (*encode)(const void *of, enum summand__lanes_type type,
                   const struct summand__exact_span *span,
                   const struct summand__lanes_format *format, int64_t *lanes);
    /* Frees what `of` points to with the plan that owns it (summand__exact_own). */
    void (*drop)(void *of);
};

struct summand__operation {
    enum summand__collective collective;
    const void *sendbuf; /* a broadcast does not read it */
    void *recvbuf;
    MPI_Count sendcount; /* gathers: of this rank's own block */
    MPI_Datatype sendtype;
    MPI_Count count; /* of the vector or of each block, in `datatype` */
    MPI_Datatype datatype;
    struct summand__numbers counts;        /* of blocks of any size, in `datatype` */
    struct summand__numbers displacements; /* of the blocks of an allgatherv */
    MPI_Op op;
    int root;
    const summand_options *options;             /* or NULL */
    const struct summand__exact_source *source; /* NULL: sendbuf */
    const void *of;                             /* of the source */
    bool agrees, quiet;                         /* as in struct summand__plan_call */
};

/* The datatypes of an operation; `send` equals `recv` except for gathers. */
struct summand__datatypes {
    struct summand__datatype send, recv;
    size_t unit; /* schedule elements per element of `recv` */
};

/* True if all but the timeout are equal. */
bool summand__options_alike(const summand_options *a, const summand_options *b);

bool summand__operation_in_place(const struct summand__operation *operation,
                                 const struct summand__state *state);

/* The name of the public call. */
const char *summand__operation_name(const struct summand__operation *operation, bool init);

/* Elements of a rank's block, or of the vector if there are no blocks. */
MPI_Count summand__operation_count(const struct summand__operation *operation, int rank);

/* Prints "1000 MPI_DOUBLE, MPI_SUM, root 0", as far as there is room; `what` is an operation. */
void summand__operation_describe(const void *what, char *text, size_t room);

/* Checks everything except the buffers: MPI_SUCCESS or an MPI error code, explained. Local. */
int summand__operation_check(const struct summand__operation *operation,
                             const struct summand__state *state);

/* Checks the buffers of an operation whose other arguments are valid. */
int summand__operation_check_buffers(const struct summand__operation *operation,
                                     const struct summand__state *state,
                                     const struct summand__datatypes *types);

/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/scale_case.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm,
                       const summand_options *options, summand_plan **plan)
{
    return summand_reduce_init(sendbuf, recvbuf, count, MPI_INT32_T, op, 0, comm, options, plan);
}

static int reduce_mpi(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm)
{
    return MPI_Reduce(sendbuf, recvbuf, count, MPI_INT32_T, op, 0, comm);
}

static int allreduce_init(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm,
                          const summand_options *options, summand_plan **plan)
{
    return summand_allreduce_init(sendbuf, recvbuf, count, MPI_INT32_T, op, comm, options, plan);
}

static int allreduce_mpi(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm)
{
    return MPI_Allreduce(sendbuf, recvbuf, count, MPI_INT32_T, op, comm);
}

static int reduce_scatter_init(const void *sendbuf, void *recvbuf, int count, MPI_Op op,
                               MPI_Comm comm, const summand_options *options, summand_plan **plan)
{
    return summand_reduce_scatter_block_init(sendbuf, recvbuf, count, MPI_INT32_T, op, comm,
                                             options, plan);
}

static int reduce_scatter_mpi(const void *sendbuf, void *recvbuf, int count, MPI_Op op,
                              MPI_Comm comm)
{
    return MPI_Reduce_scatter_block(sendbuf, recvbuf, count, MPI_INT32_T, op, comm);
}

/* Blocks of `count` elements for the collectives that take any sizes; kept until the program
 * ends. */
struct blocks {
    int *counts, *displs;
};

static struct blocks blocks_of(int count, MPI_Comm comm)
{
    static struct blocks blocks;
    int ranks;
    MPI_Comm_size(comm, &ranks);
    if (!blocks.counts) {
        blocks.counts = malloc((size_t)ranks * sizeof *blocks.counts);
        blocks.displs = malloc((size_t)ranks * sizeof *blocks.displs);
        if (!blocks.counts || !blocks.displs)
            MPI_Abort(comm, 1);
    }
    for (int r = 0; r < ranks; r++) {
        blocks.counts[r] = count;
        blocks.displs[r] = r * count;
    }
    return blocks;
}

static int reduce_scatter_any_init(const void *sendbuf, void *recvbuf, int count, MPI_Op op,
                                   MPI_Comm comm, const summand_options *options,
                                   summand_plan **plan)
{
    return summand_reduce_scatter_init(sendbuf, recvbuf, blocks_of(count, comm).counts, MPI_INT32_T,
                                       op, comm, options, plan);
}

static int reduce_scatter_any_mpi(const void *sendbuf, void *recvbuf, int count, MPI_Op op,
                                  MPI_Comm comm)
{
    return MPI_Reduce_scatter(sendbuf, recvbuf, blocks_of(count, comm).counts, MPI_INT32_T, op,
                              comm);
}

static int bcast_init(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm,
                      const summand_options *options, summand_plan **plan)
{
    (void)sendbuf, (void)op;
    return summand_bcast_init(recvbuf, count, MPI_INT32_T, 0, comm, options, plan);
}

static int bcast_mpi(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm)
{
    (void)sendbuf, (void)op;
    return MPI_Bcast(recvbuf, count, MPI_INT32_T, 0, comm);
}

static int allgather_init(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm,
                          const summand_options *options, summand_plan **plan)
{
    (void)op;
    return summand_allgather_init(sendbuf, count, MPI_INT32_T, recvbuf, count, MPI_INT32_T, comm,
                                  options, plan);
}

static int allgather_mpi(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm)
{
    (void)op;
    return MPI_Allgather(sendbuf, count, MPI_INT32_T, recvbuf, count, MPI_INT32_T, comm);
}

static int allgatherv_init(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm,
                           const summand_options *options, summand_plan **plan)
{
    struct blocks blocks = blocks_of(count, comm);
    (void)op;
    return summand_allgatherv_init(sendbuf, count, MPI_INT32_T, recvbuf, blocks.counts,
                                   blocks.displs, MPI_INT32_T, comm, options, plan);
}

static int allgatherv_mpi(const void *sendbuf, void *recvbuf, int count, MPI_Op op, MPI_Comm comm)
{
    struct blocks blocks = blocks_of(count, comm);
    (void)op;
    return MPI_Allgatherv(sendbuf, count, MPI_INT32_T, recvbuf, blocks.counts, blocks.displs,
                          MPI_INT32_T, comm);
}

const struct scale_collective scale_collectives[] = {
    {"reduce", reduce_init, reduce_mpi, false, false, false, false},
    {"allreduce", allreduce_init, allreduce_mpi, false, false, true, false},
    {"reduce_scatter_block", reduce_scatter_init, reduce_scatter_mpi, true, false, true, false},
    {"reduce_scatter", reduce_scatter_any_init, reduce_scatter_any_mpi, true, false, true, false},
    {"bcast", bcast_init, bcast_mpi, false, false, true, true},
    {"allgather", allgather_init, allgather_mpi, false, true, true, true},
    {"allgatherv", allgatherv_init, allgatherv_mpi, false, true, true, true},
    {0},
};

static unsigned add(unsigned left, unsigned right)
{
    return left + right;
}

static MPI_Op make_sum(void)
{
    return MPI_SUM;
}

/* The map x -> a x + b modulo 2^16, with a in the upper half: left after right. */
static unsigned compose(unsigned left, unsigned right)
{
    unsigned a = left >> 16, b = left & 0xffff;
    return ((a * (right >> 16)) & 0xffff) << 16 | ((a * (right & 0xffff) + b) & 0xffff);
}

static void compose_vectors(void *in, void *inout, int *count, MPI_Datatype *datatype)
{
    const uint32_t *left = in;
    uint32_t *right = inout;
    (void)datatype;
    for (int i = 0; i < *count; i++)
        right[i] = compose(left[i], right[i]);
}

static MPI_Op make_affine(void)
{
    MPI_Op op;
    MPI_Op_create(compose_vectors, 0, &op);
    return op;
}

const struct scale_operator scale_operators[] = {
    {"sum", make_sum, add},
    {"affine", make_affine, compose},
    {0},
};

static bool set_parameter(summand_options *options, const char *name, long value)
{
    if (!strcmp(name, "segment"))
        options->segment = value;
    else if (!strcmp(name, "radix"))
        options->radix = (int)value;
    else if (!strcmp(name, "node"))
        options->node_size = (int)value;
    else if (!strcmp(name, "between"))
        options->radix_between = (int)value;
    else if (!strcmp(name, "leaders"))
        options->leaders = (int)value;
    else
        return false;
    return true;
}

static bool read_parameters(struct scale_case *c)
{
    char copy[sizeof c->parameters], *rest = NULL;
    memcpy(copy, c->parameters, sizeof copy);
    for (char *one = strtok_r(copy, ";", &rest); one; one = strtok_r(NULL, ";", &rest)) {
        char *equals = strchr(one, '=');
        if (!equals)
            return false;
        *equals = 0;
        if (!set_parameter(&c->options, one, atol(equals + 1)))
            return false;
    }
    return true;
}

bool scale_case_read(const char *line, struct scale_case *c)
{
    char collective[40], operator[40], algorithm[120];
    *c = (struct scale_case){0};
    int fields = sscanf(line, "%39s %d %39s %119s", collective, &c->count, operator, algorithm);
    char *colon = fields == 4 ? strchr(algorithm, ':') : NULL;
    if (colon) {
        *colon = 0;
        snprintf(c->parameters, sizeof c->parameters, "%s", colon + 1);
    }
    if (fields == 4) {
        snprintf(c->algorithm, sizeof c->algorithm, "%.39s", algorithm);
        for (c->collective = scale_collectives; c->collective->name; c->collective++)
            if (!strcmp(c->collective->name, collective))
                break;
        for (c->operator= scale_operators; c->operator->name; c->operator++)
            if (!strcmp(c->operator->name, operator))
                break;
        if (c->collective->name && c->operator->name && c->count >= 0 && read_parameters(c))
            return true;
    }
    fprintf(stderr, "scale: no case: %s\n", line);
    return false;
}

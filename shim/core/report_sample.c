/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>
#include <time.h>

#include "base/hash.h"
#include "op/predefined.h"
#include "shim/core/record_operands.h"
#include "shim/core/report_run.h"
#include "shim/core/world.h"

/* Results of sampled calls are thrown away; longer ones are not asked for. */
enum { MOST_BYTES = 1 << 24 };

double report_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* What comm->report holds: one of these, and ONE_SAMPLE for each sample so far. */
enum { WITHIN = 1, BEYOND = 2, ONE_SAMPLE = 4 };

/* By the blocking calls alone: ranks may start persistent requests in different orders. */
bool report_is_sampled(const struct shim_call *call, long long period)
{
    struct shim_comm *comm = call->comm;
    if (!period || !call->number || call->form != SHIM_BLOCKING || comm->inter || comm->size < 2 ||
        summand__spread(comm->blocking) % (uint64_t)period != 0)
        return false;
    if (!comm->report) { /* ranks of another world may have no report */
        bool within;
        const int code = shim_is_within_world(call->handle, false, &within);
        comm->report = (void *)(uintptr_t)(code == MPI_SUCCESS && within ? WITHIN : BEYOND);
    }
    return (uintptr_t)comm->report & WITHIN;
}

/* Bytes for the result; -1: this call must not run twice, or its arguments may be wrong. */
static long long scratch_bytes(const struct shim_call *call, const struct record_operands *o)
{
    long long bytes = record_type_dense(call->recvtype), count = call->recvcount;
    if (call->large || bytes <= 0 || (o->has_op && !summand__op_predefined(call->op)))
        return -1;
    if (call->collective == SHIM_ALLGATHER || call->collective == SHIM_REDUCE_SCATTER_BLOCK)
        count = call->recvcount * call->comm->size;
    if (call->collective == SHIM_ALLGATHERV || call->collective == SHIM_REDUCE_SCATTER ||
        count < 0 || count > MOST_BYTES / bytes)
        return -1;
    if (call->collective != SHIM_BCAST && !call->sendbuf && call->recvcount)
        return -1;
    return count * bytes;
}

static const void *source(const struct shim_call *call)
{
    return call->sendbuf == MPI_IN_PLACE ? call->recvbuf : call->sendbuf;
}

static void run(const struct shim_call *c, const struct record_operands *o, void *scratch)
{
    const int count = (int)c->recvcount;
    switch (c->collective) {
    case SHIM_REDUCE:
        PMPI_Reduce(source(c), scratch, count, c->recvtype, c->op, c->root, c->handle);
        break;
    case SHIM_ALLREDUCE:
        PMPI_Allreduce(source(c), scratch, count, c->recvtype, c->op, c->handle);
        break;
    case SHIM_REDUCE_SCATTER_BLOCK:
        PMPI_Reduce_scatter_block(source(c), scratch, count, c->recvtype, c->op, c->handle);
        break;
    case SHIM_BCAST:
        PMPI_Bcast(c->root == c->comm->rank ? c->recvbuf : scratch, count, c->recvtype, c->root,
                   c->handle);
        break;
    case SHIM_ALLGATHER:
        PMPI_Allgather(o->input.buffer, (int)o->input.count, o->input.type, scratch, count,
                       c->recvtype, c->handle);
        break;
    case SHIM_SCAN:
        PMPI_Scan(source(c), scratch, count, c->recvtype, c->op, c->handle);
        break;
    case SHIM_EXSCAN:
        PMPI_Exscan(source(c), scratch, count, c->recvtype, c->op, c->handle);
        break;
    default:
        break;
    }
}

/* The samples of a communicator take turns: the call alone, and the MPI's function. */
struct report_sample report_sample(const struct shim_call *call, bool serves)
{
    struct report_sample sample = {.taken = true};
    const uintptr_t before = (uintptr_t)call->comm->report;
    const bool turn = serves && (before & ONE_SAMPLE);
    const struct record_operands o = record_operands(call);
    const long long bytes = turn ? scratch_bytes(call, &o) : -1;
    void *scratch = bytes < 0 ? NULL : malloc((size_t)bytes + 64);
    call->comm->report = (void *)(before + ONE_SAMPLE);
    int able = scratch != NULL, all = 0;
    double start = report_clock();
    PMPI_Allreduce(&able, &all, 1, MPI_INT, MPI_MIN, call->handle);
    double met = report_clock();
    sample.waiting = met - start;
    if (all) {
        run(call, &o, scratch);
        sample.mpi = report_clock() - met;
        sample.of_mpi = true;
    }
    free(scratch);
    return sample;
}

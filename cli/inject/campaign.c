/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/inject/campaign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "bench/need.h"
#include "cli/common/cli.h"
#include "collective/reduction.h"
#include "transport/injected.h"

struct buffers {
    double *from, *to, *right; /* right: the undisturbed result */
    int *counts, *displs;
    size_t elements; /* of each buffer */
};

/* Numbers of all sizes, and of all special kinds. */
static double datum(uint64_t drawn)
{
    static const double special[] = {-0.0, INFINITY, -INFINITY, NAN, 1e-310, 1e300, -1e300, 0.0};
    uint64_t x = summand__spread(drawn);
    return x % 64 < 8 ? special[x % 64] : ldexp((double)(int64_t)x, (int)(x >> 8 & 127) - 126);
}

static struct buffers make(const struct campaign *c, int rank, int ranks)
{
    struct buffers b = {.elements = c->count * (size_t)ranks};
    b.from = need(calloc(3 * b.elements, sizeof(double)));
    b.to = b.from + b.elements;
    b.right = b.to + b.elements;
    b.counts = need(calloc(2 * (size_t)ranks, sizeof(int)));
    b.displs = b.counts + ranks;
    for (int r = 0; r < ranks; r++) {
        b.counts[r] = (int)c->count;
        b.displs[r] = r * (int)c->count;
    }
    for (size_t i = 0; i < b.elements; i++)
        b.from[i] = datum(((uint64_t)rank << 40) + c->seed + i);
    return b;
}

static int call(const struct campaign *c, const struct buffers *b, int root)
{
    const bool gathers = c->collective == SUMMAND__COLL_ALLGATHERV;
    struct summand__operation operation = summand__reduction_of(
        c->collective, b->from, b->to, (MPI_Count)c->count, MPI_DOUBLE, MPI_SUM, root, &c->options);
    operation.sendcount = operation.count;
    operation.sendtype = operation.datatype;
    if (gathers || c->collective == SUMMAND__COLL_REDUCE_SCATTER)
        operation.counts.narrow = b->counts;
    if (gathers)
        operation.displacements.narrow = b->displs;
    memset(b->to, 0, b->elements * sizeof *b->to);
    if (c->collective == SUMMAND__COLL_BCAST)
        memcpy(b->to, b->from, c->count * sizeof *b->to);
    return summand__reduction_run(&operation, c->comm);
}

/* What this rank saw of a call, and what the worst rank saw. */
enum { RIGHT, FAILED, SILENT, HUNG, STATES };

static int judge(const struct campaign *c, const struct buffers *b, int code)
{
    int rank;
    MPI_Comm_rank(c->comm, &rank);
    if (summand_error_of(code) == SUMMAND_ERR_TIMEOUT)
        return HUNG;
    if (code != MPI_SUCCESS)
        return FAILED;
    return memcmp(b->to, b->right, b->elements * sizeof *b->to) ? SILENT : RIGHT;
}

/* Names a fault that must not have this end, so that it can be repeated. */
static void tell(const struct campaign *c, const struct summand__injection *fault, const char *end)
{
    advise("inject", "%s: %s of %zu elements by %s, %s@%d:%llu:%llu", end,
           summand__collective_name(c->collective), c->count,
           c->options.algorithm ? c->options.algorithm : "exact", fault->kind->name, fault->rank,
           (unsigned long long)fault->message, (unsigned long long)fault->number);
}

/* One call; the fault is this rank's if it is set. */
static void try(const struct campaign *c, const struct buffers *b, int root,
                const struct summand__injection *fault, struct outcomes *outcomes)
{
    int rank, seen[STATES + 1] = {0}, any[STATES + 1];
    MPI_Comm_rank(c->comm, &rank);
    summand__inject(fault->rank == rank ? fault : NULL);
    seen[judge(c, b, call(c, b, root))] = 1;
    seen[STATES] = summand__injected_any();
    summand__inject(NULL);
    MPI_Allreduce(seen, any, STATES + 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    outcomes->calls++;
    outcomes->damaged += any[STATES];
    if (any[HUNG])
        tell(c, fault, "hang"), outcomes->hangs++;
    else if (any[SILENT])
        tell(c, fault, "silent"), outcomes->silent++;
    else if (any[FAILED] && !any[STATES])
        tell(c, fault, "false alarm"), outcomes->alarms++;
    else if (any[FAILED])
        outcomes->found++;
    else
        outcomes->right++;
}

/* Faults in drawn messages, or in each one. */
static void strike(const struct campaign *c, const struct buffers *b, int root,
                   const long long *messages, struct outcomes *outcomes)
{
    int ranks;
    long long all = 0;
    MPI_Comm_size(c->comm, &ranks);
    for (int r = 0; r < ranks; r++)
        all += messages[r];
    long long trials = c->trials ? c->trials : all;
    uint64_t drawn = c->seed;
    for (int k = 0; summand__injection_kinds[k].name && all; k++)
        for (long long t = 0; t < trials; t++) {
            drawn = summand__spread(drawn + (uint64_t)t + 1);
            long long message = c->trials ? (long long)(drawn % (uint64_t)all) : t;
            int rank = 0;
            for (; message >= messages[rank]; rank++)
                message -= messages[rank];
            const struct summand__injection fault = {&summand__injection_kinds[k], rank,
                                                     (uint64_t)message, drawn >> 20};
            try(c, b, root, &fault, outcomes);
        }
}

/* The undisturbed call: its result, and how many messages each rank sends. */
static bool run_undisturbed(const struct campaign *c, const struct buffers *b, int root,
                            long long *messages, struct outcomes *outcomes)
{
    summand__inject(NULL);
    int code = call(c, b, root), does = summand_error_of(code) != SUMMAND_ERR_ALGORITHM, all;
    long long mine = (long long)summand__injected_messages();
    MPI_Allreduce(&does, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!all)
        return false;
    MPI_Allgather(&mine, 1, MPI_LONG_LONG, messages, 1, MPI_LONG_LONG, MPI_COMM_WORLD);
    memcpy(b->right, b->to, b->elements * sizeof *b->to);
    int failed = code != MPI_SUCCESS, any;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    outcomes->alarms += any;
    return !any;
}

bool campaign_run(const struct campaign *campaign, struct outcomes *outcomes)
{
    int rank, ranks;
    MPI_Comm_rank(campaign->comm, &rank);
    MPI_Comm_size(campaign->comm, &ranks);
    const int root = ranks - 1;
    struct buffers b = make(campaign, rank, ranks);
    long long *messages = need(calloc((size_t)ranks, sizeof *messages));
    const long long alarms = outcomes->alarms;
    bool ran = run_undisturbed(campaign, &b, root, messages, outcomes);
    if (ran)
        strike(campaign, &b, root, messages, outcomes);
    free(messages);
    free(b.counts);
    free(b.from);
    return ran || outcomes->alarms > alarms;
}

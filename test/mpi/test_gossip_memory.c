/* np: 1 2 3; over: shm */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Gossip all-reduce: one rank is refused memory, at each allocation of the library in turn. The
 * call ends with the right result or an error on every rank, and the next call works. */
#include "mpi/harness.h"

#include <math.h>
#include <stdbool.h>
#include <summand.h>

/* glibc's own; a program's definitions replace malloc and its relatives everywhere. */
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *old, size_t bytes);
extern char __executable_start, etext;

static long allowed = -1; /* allocations allowed from now on; below 0: any number */
static int refused;

/* The MPI's own allocations pass. */
static bool refuses(const void *caller)
{
    const char *at = caller;
    if (allowed < 0 || at < &__executable_start || at >= &etext)
        return false;
    if (allowed) {
        allowed--;
        return false;
    }
    refused++;
    allowed = -1; /* one alone */
    return true;
}

void *malloc(size_t bytes)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return refuses(__builtin_return_address(0)) ? NULL : __libc_realloc(old, bytes);
}

enum { COUNT = 40, MOST = 60 };

struct how {
    const char *algorithm, *topology;
    int form, count;
    MPI_Op op;
};

static int reduce(const struct how *how, double *y)
{
    double x[COUNT];
    summand_gossip_options o = summand_gossip_options_default();
    for (int k = 0; k < how->count; k++)
        x[k] = cos(1 + harness_rank + 7 * k);
    o.algorithm = how->algorithm;
    o.topology = how->topology;
    o.form = (enum summand_gossip_form)how->form;
    o.eps = 1e-5;
    o.timeout = 20;
    return summand_gossip_allreduce(x, y, how->count, MPI_DOUBLE, how->op, MPI_COMM_WORLD, &o,
                                    NULL);
}

/* Asynchronous runs end with different bits each time. */
static bool near(const struct how *how, const double *a, const double *b)
{
    for (int k = 0; k < how->count; k++)
        if (!(fabs(a[k] - b[k]) <= 1e-4 * fabs(b[k]) + 1e-12))
            return false;
    return true;
}

/* Returns whether an allocation was there to refuse. */
static bool refuse_one(const struct how *how, int victim, int n, const double *clean)
{
    double y[COUNT] = {0};
    refused = 0;
    allowed = harness_rank == victim ? n : -1;
    int code = reduce(how, y);
    allowed = -1;
    int mine[3] = {code == MPI_SUCCESS, refused, code == MPI_SUCCESS && !near(how, y, clean)};
    int all[3];
    MPI_Allreduce(mine, all, 3, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(all[0] == 0 || all[0] == harness_ranks, "%s, allocation %d of rank %d: %d of %d succeed",
          how->algorithm, n, victim, all[0], harness_ranks);
    CHECK(!all[2], "%s, allocation %d of rank %d: a wrong result", how->algorithm, n, victim);
    CHECK(all[0] || code == summand_error_code(harness_rank == victim ? SUMMAND_ERR_MEMORY
                                                                      : SUMMAND_ERR_REMOTE),
          "%s, allocation %d of rank %d: code %d", how->algorithm, n, victim, code);
    code = reduce(how, y);
    CHECK(code == MPI_SUCCESS && near(how, y, clean), "%s: the next call: code %d, %g for %g",
          how->algorithm, code, y[0], clean[0]);
    return all[1];
}

TESTS
{
    static const struct how hows[] = {
        {"hpfcc", NULL, 0, 1, MPI_SUM},     {"hpfcc", NULL, 0, COUNT, MPI_SUM},
        {"hpfcc", NULL, 1, 3, MPI_SUM},     {"hps", NULL, 0, 1, MPI_SUM},
        {"rd", NULL, 1, 1, MPI_SUM},        {"pfcc", "ring", 0, 1, MPI_SUM},
        {"ps", "regular:2", 1, 1, MPI_SUM}, {"hpfcc", NULL, 0, 3, MPI_MAX}};
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    alarm(280);
    for (size_t h = 0; h < sizeof hows / sizeof *hows; h++) {
        double clean[COUNT];
        if (harness_ranks < 3 && hows[h].topology)
            continue;
        int code = reduce(&hows[h], clean);
        CHECK(code == MPI_SUCCESS, "%s: code %d", hows[h].algorithm, code);
        for (int victim = 0; victim < harness_ranks; victim++) {
            int n = 0;
            while (n < MOST && refuse_one(&hows[h], victim, n, clean))
                n++;
            CHECK(n >= 3 && n < MOST, "%s: %d allocations", hows[h].algorithm, n);
        }
    }
}

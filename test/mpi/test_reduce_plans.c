/* np: 1 2 3 5 8, long: 4; together; also: read/3 stream/3 */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Long vectors against the MPI; active plans side by side, repeated, and after their communicator
 * is freed; random cases. */
#include <summand/reduce.h>

#include "mpi/harness.h"
#include "mpi/used.h"

enum { LONG = 100003 };

static int *x, *got, *want;

static void renew(uint64_t seed)
{
    seed += (uint64_t)harness_rank << 32;
    for (int i = 0; i < LONG; i++) {
        x[i] = (int)(harness_random(&seed) % 100000);
        got[i] = want[i] = -1;
    }
}

static void compare(const char *what)
{
    CHECK(!memcmp(got, want, LONG * sizeof *got), "%s", what);
}

/* Long enough for rendezvous, and for the automatic choice of long vectors. */
static void test_long(MPI_Comm comm)
{
    int p = harness_ranks, root = p / 2, each = LONG / p, counts[16], displacements[16], at = 0;
    for (int r = 0; r < p; r++) {
        counts[r] = r == root ? each : each / (r + 1);
        displacements[r] = at;
        at += counts[r];
    }
    renew(1);
    MPI_Reduce(x, want, LONG, MPI_INT, MPI_SUM, root, comm);
    summand_reduce(x, got, LONG, MPI_INT, MPI_SUM, root, comm, NULL);
    compare("reduce");
    renew(2);
    MPI_Allreduce(x, want, LONG, MPI_INT, MPI_MAX, comm);
    summand_allreduce(x, got, LONG, MPI_INT, MPI_MAX, comm, NULL);
    compare("allreduce");
    if (harness_rank == root)
        memcpy(got, x, LONG * sizeof *x);
    if (harness_rank == root)
        memcpy(want, x, LONG * sizeof *x);
    MPI_Bcast(want, LONG, MPI_INT, root, comm);
    summand_bcast(got, LONG, MPI_INT, root, comm, NULL);
    compare("bcast");
    renew(3);
    MPI_Reduce_scatter_block(x, want, each, MPI_INT, MPI_SUM, comm);
    summand_reduce_scatter_block(x, got, each, MPI_INT, MPI_SUM, comm, NULL);
    compare("reduce_scatter_block");
    MPI_Reduce_scatter(x, want, counts, MPI_INT, MPI_SUM, comm);
    summand_reduce_scatter(x, got, counts, MPI_INT, MPI_SUM, comm, NULL);
    compare("reduce_scatter");
    MPI_Allgather(x, each, MPI_INT, want, each, MPI_INT, comm);
    summand_allgather(x, each, MPI_INT, got, each, MPI_INT, comm, NULL);
    compare("allgather");
    renew(4);
    MPI_Allgatherv(x, counts[harness_rank], MPI_INT, want, counts, displacements, MPI_INT, comm);
    summand_allgatherv(x, counts[harness_rank], MPI_INT, got, counts, displacements, MPI_INT, comm,
                       NULL);
    compare("allgatherv");
}

/* The same calls again and again, then with blocks of other lengths, in other places. */
static void test_other_blocks(MPI_Comm comm)
{
    int p = harness_ranks, counts[16], displacements[16];
    for (int call = 0; call < 4 * p; call++) {
        const int shift = call / 2 % p, spread = call % 4 == 3;
        for (int r = 0, at = 0; r < p; r++) {
            counts[r] = 1 + (r + shift) % p;
            displacements[r] = at;
            at += counts[r] + spread;
        }
        renew((uint64_t)call);
        MPI_Reduce_scatter(x, want, counts, MPI_INT, MPI_SUM, comm);
        summand_reduce_scatter(x, got, counts, MPI_INT, MPI_SUM, comm, NULL);
        compare("reduce_scatter of other blocks");
        MPI_Allgatherv(x, counts[harness_rank], MPI_INT, want, counts, displacements, MPI_INT,
                       comm);
        summand_allgatherv(x, counts[harness_rank], MPI_INT, got, counts, displacements, MPI_INT,
                           comm, NULL);
        compare("allgatherv of other blocks");
    }
}

/* Two active plans: tested in turn, or waited for in one order. */
static void test_two_plans(MPI_Comm comm)
{
    int a[100] = {0}, b[LONG / 100], sum_a[100], copies = LONG / 100;
    summand_plan *first, *second;
    summand_allreduce_init(a, sum_a, 100, MPI_INT, MPI_SUM, comm, NULL, &first);
    summand_bcast_init(b, copies, MPI_INT, harness_ranks - 1, comm, NULL, &second);
    for (int repeat = 0; repeat < 20; repeat++) {
        int one = 0, two = 0;
        if (harness_skips())
            continue;
        for (int i = 0; i < 100; i++)
            a[i] = i * repeat + harness_rank;
        for (int i = 0; i < copies; i++)
            b[i] = harness_rank == harness_ranks - 1 ? i + repeat : 0;
        summand_plan_start(first);
        summand_plan_start(second);
        while (repeat % 2 && !(one && two)) {
            summand_plan_test(second, &two);
            summand_plan_test(first, &one);
        }
        summand_plan_wait(second);
        summand_plan_wait(first);
        for (int i = 0; i < 100; i++)
            CHECK(sum_a[i] ==
                      harness_ranks * (i * repeat) + harness_ranks * (harness_ranks - 1) / 2,
                  "sum %d", i);
        for (int i = 0; i < copies; i++)
            CHECK(b[i] == i + repeat, "copy %d", i);
    }
    summand_plan_free(&first);
    summand_plan_free(&second);
}

/* Plans on two communicators, for which ranks wait in different orders, and a blocking call on a
 * third. They are too long to complete before any rank waits. */
static void test_two_communicators(void)
{
    MPI_Comm comms[3];
    summand_plan *plans[2];
    int *results[3] = {got, want, malloc(LONG * sizeof(int))}, odd = harness_rank % 2;
    for (int i = 0; i < 3; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < 2; i++)
        summand_allreduce_init(x, results[i], LONG, MPI_INT, MPI_SUM, comms[i], NULL, &plans[i]);
    /* The first call makes the communicator's state through the MPI; no plan progresses meanwhile.
     * */
    summand_allreduce(x, results[2], 1, MPI_INT, MPI_SUM, comms[2], NULL);
    for (int repeat = 0; repeat < 3; repeat++) {
        renew(10);
        for (int i = 0; i < LONG; i++)
            x[i] = harness_rank + i + repeat;
        summand_plan_start(plans[0]);
        summand_plan_start(plans[1]);
        summand_plan_wait(plans[odd]);
        if (odd)
            summand_allreduce(x, results[2], LONG, MPI_INT, MPI_SUM, comms[2], NULL);
        summand_plan_wait(plans[!odd]);
        if (!odd)
            summand_allreduce(x, results[2], LONG, MPI_INT, MPI_SUM, comms[2], NULL);
        int wrong = 0, p = harness_ranks;
        for (int i = 0; i < LONG * 3; i++)
            wrong += results[i / LONG][i % LONG] != p * (p - 1) / 2 + p * (i % LONG + repeat);
        CHECK(!wrong, "repeat %d: %d wrong", repeat, wrong);
    }
    for (int i = 0; i < 2; i++)
        summand_plan_free(&plans[i]);
    for (int i = 0; i < 3; i++)
        MPI_Comm_free(&comms[i]);
    free(results[2]);
}

static void test_freed_communicator(void)
{
    MPI_Comm comm;
    int one = 1, all = 0;
    summand_plan *plan;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    summand_allreduce(&one, &all, 1, MPI_INT, MPI_SUM, comm, NULL);
    summand_allreduce_init(&one, &all, 1, MPI_INT, MPI_SUM, comm, NULL, &plan);
    MPI_Comm_free(&comm);
    all = 0;
    summand_plan_start(plan);
    summand_plan_wait(plan);
    CHECK(all == harness_ranks, "%d", all);
    summand_plan_free(&plan);
}

/* Ranks that describe the same bytes by different datatypes cut them at the same places. */
static void test_described_differently(MPI_Comm comm)
{
    enum { N = 100 };
    static const char *const names[] = {"chain", "binary", "two-tree"};
    for (int i = 0; i < 3 * 3; i++) {
        summand_options options = {.algorithm = names[i / 3], .segment = 6 + i % 3};
        MPI_Datatype pair;
        int mine[N], all[N * 16], bad = 0;
        MPI_Type_contiguous(2, MPI_INT, &pair);
        MPI_Type_commit(&pair);
        for (int k = 0; k < N; k++)
            mine[k] = 1000 * harness_rank + k;
        if (harness_rank % 3 == 0)
            summand_bcast(mine, N, MPI_INT, 0, comm, &options);
        else if (harness_rank % 3 == 1)
            summand_bcast(mine, N / 2, pair, 0, comm, &options);
        else
            summand_bcast(mine, N * 4, MPI_BYTE, 0, comm, &options);
        for (int k = 0; k < N; k++) {
            bad += mine[k] != k;
            mine[k] += 1000 * harness_rank;
        }
        options.algorithm = "ring";
        if (harness_rank % 2)
            summand_allgather(mine, N, MPI_INT, all, N / 2, pair, comm, &options);
        else
            summand_allgather(mine, N / 2, pair, all, N * 4, MPI_BYTE, comm, &options);
        for (int k = 0; k < N * harness_ranks; k++)
            bad += all[k] != 1000 * (k / N) + k % N;
        CHECK(!bad, "%s, segment %lld: %d wrong", names[i / 3], (long long)options.segment, bad);
        MPI_Type_free(&pair);
    }
}

/* Random collectives, counts, roots and options, blocking, one after the other without a barrier.
 */
static void test_random(MPI_Comm comm)
{
    static const char *const names[] = {NULL, "binomial", "chain", "fibonacci", "rabenseifner"};
    uint64_t seed = 2026;
    for (int i = 0; i < 10000 / harness_ranks; i++) {
        uint64_t bits = harness_random(&seed);
        int n = (int)(bits >> 8) & (i % 50 ? 255 : 8191), root = (int)((bits >> 32) % 1000);
        summand_options options = {.algorithm = names[bits % 5],
                                   .segment = (bits >> 20) % 64,
                                   .promise = (enum summand_promise)((bits >> 3) % 2)};
        options = only_used(options);
        root %= harness_ranks;
        if (harness_skips())
            continue;
        for (int k = 0; k < n; k++) {
            x[k] = (harness_rank + 1) * (k + i);
            got[k] = harness_rank == root ? k + i : -1;
        }
        int all = harness_ranks * (harness_ranks + 1) / 2, kind = (int)(bits >> 50) % 4, bad = 0;
        if (kind == 0)
            summand_reduce(x, got, n, MPI_INT, MPI_SUM, root, comm, &options);
        else if (kind == 1)
            summand_allreduce(x, got, n, MPI_INT, MPI_SUM, comm, &options);
        else if (kind == 2)
            summand_allreduce(MPI_IN_PLACE, x, n, MPI_INT, MPI_SUM, comm, &options);
        else
            summand_bcast(got, n, MPI_INT, root, comm, &options);
        for (int k = 0; k < n; k++)
            bad += kind == 2                           ? x[k] != all * (k + i)
                   : kind == 3                         ? got[k] != k + i
                   : kind == 1 || harness_rank == root ? got[k] != all * (k + i)
                                                       : got[k] != -1;
        CHECK(!bad, "case %d: kind %d, n %d, root %d, %s: %d wrong", i, kind, n, root,
              options.algorithm ? options.algorithm : "automatic", bad);
    }
}

TESTS
{
    x = malloc(LONG * sizeof *x);
    got = malloc(LONG * sizeof *got);
    want = malloc(LONG * sizeof *want);
    test_long(MPI_COMM_WORLD);
    test_other_blocks(MPI_COMM_WORLD);
    test_two_plans(MPI_COMM_WORLD);
    test_two_communicators();
    test_freed_communicator();
    test_described_differently(MPI_COMM_WORLD);
    test_random(MPI_COMM_WORLD);
    free(x);
    free(got);
    free(want);
}

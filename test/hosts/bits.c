/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints a line for each call with promised bits and each count, `NAME BYTES HASH`, of the results
 * of all ranks: the lines are the same wherever the ranks run, and with any MPI. Calls without a
 * promise of bits are checked against the MPI's, on integers and on affine maps, which do not
 * commute. bits [MOST] */
#include <math.h>
#include <summand.h>

#include "mpi/harness.h"

enum { MAPS_MASK = 0xffff };

static long count, all; /* of one rank, of all */
static int counts[64], displs[64];
static double *x, *y, *z;
static int64_t *whole, *ours, *theirs;
static uint32_t *maps, *our_maps, *their_maps;

static uint64_t bits_of(uint64_t a, uint64_t b)
{
    uint64_t state = a * 1000003 + b;
    return harness_random(&state);
}

/* 40 magnitudes, both signs. */
static double number(int rank, long i)
{
    uint64_t h = bits_of((uint64_t)rank + 1, (uint64_t)i);
    return ldexp((double)(int64_t)h, -83 + (int)(h % 40));
}

static uint64_t hash(const void *data, long bytes)
{
    const unsigned char *at = data;
    uint64_t h = UINT64_C(14695981039346656037);
    while (bytes--)
        h = (h ^ *at++) * UINT64_C(1099511628211);
    return h;
}

static void line(const char *name, const void *data, long bytes)
{
    uint64_t mine = hash(data, bytes), hashes[64], sum = 0;
    MPI_Gather(&mine, 1, MPI_UINT64_T, hashes, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    for (int r = 0; !harness_rank && r < harness_ranks; r++)
        sum = sum * 31 + hashes[r];
    if (!harness_rank)
        printf("%s %ld %016llx\n", name, count * 8, (unsigned long long)sum);
}

/* x -> a x + b modulo 2^16. */
static void after(void *in, void *inout, int *n, MPI_Datatype *type)
{
    const uint32_t *left = in;
    uint32_t *right = inout;
    (void)type;
    for (int i = 0; i < *n; i++) {
        uint32_t a = left[i] >> 16, b = left[i] & MAPS_MASK;
        right[i] = ((a * (right[i] >> 16)) & MAPS_MASK) << 16 |
                   ((a * (right[i] & MAPS_MASK) + b) & MAPS_MASK);
    }
}

static void same(const char *name, int root, const void *one, const void *other, long bytes)
{
    if (root < 0 || root == harness_rank)
        CHECK(!memcmp(one, other, (size_t)bytes), "%s, %ld elements, root %d", name, count, root);
}

static void prepare(long n)
{
    count = n;
    all = n * harness_ranks;
    x = calloc((size_t)all, 8), y = calloc((size_t)all, 8), z = calloc((size_t)all, 8);
    whole = calloc((size_t)all, 8), ours = calloc((size_t)all, 8), theirs = calloc((size_t)all, 8);
    maps = calloc((size_t)n, 4), our_maps = calloc((size_t)n, 4), their_maps = calloc((size_t)n, 4);
    for (long i = 0; i < all; i++) {
        x[i] = number(harness_rank, i);
        whole[i] = (int64_t)bits_of((uint64_t)harness_rank, (uint64_t)i);
    }
    for (long i = 0; i < n; i++)
        maps[i] = (uint32_t)whole[i] | 0x10000;
    for (int r = 0, at = 0; r < harness_ranks; at += counts[r++]) {
        counts[r] = r % 2 ? 0 : (int)n;
        displs[r] = at;
    }
}

static void release(void)
{
    void *memory[] = {x, y, z, whole, ours, theirs, maps, our_maps, their_maps};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++)
        free(memory[i]);
}

/* Wrapping sums of integers are exact, so all orders give the MPI's result. */
static void compare_rooted(int root, MPI_Op op)
{
    int n = (int)count;
    summand_reduce(whole, ours, n, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD, NULL);
    MPI_Reduce(whole, theirs, n, MPI_INT64_T, MPI_SUM, root, MPI_COMM_WORLD);
    same("reduce", root, ours, theirs, count * 8);
    memcpy(ours, whole, (size_t)count * 8);
    memcpy(theirs, whole, (size_t)count * 8);
    summand_bcast(ours, n, MPI_INT64_T, root, MPI_COMM_WORLD, NULL);
    MPI_Bcast(theirs, n, MPI_INT64_T, root, MPI_COMM_WORLD);
    same("bcast", -1, ours, theirs, count * 8);
    summand_reduce(maps, our_maps, n, MPI_UINT32_T, op, root, MPI_COMM_WORLD, NULL);
    MPI_Reduce(maps, their_maps, n, MPI_UINT32_T, op, root, MPI_COMM_WORLD);
    same("reduce of maps", root, our_maps, their_maps, count * 4);
}

static void compare(MPI_Op op)
{
    int n = (int)count;
    MPI_Comm comm = MPI_COMM_WORLD;
    summand_allreduce(whole, ours, n, MPI_INT64_T, MPI_SUM, comm, NULL);
    MPI_Allreduce(whole, theirs, n, MPI_INT64_T, MPI_SUM, comm);
    same("allreduce", -1, ours, theirs, count * 8);
    summand_allreduce(maps, our_maps, n, MPI_UINT32_T, op, comm, NULL);
    MPI_Allreduce(maps, their_maps, n, MPI_UINT32_T, op, comm);
    same("allreduce of maps", -1, our_maps, their_maps, count * 4);
    summand_reduce_scatter_block(whole, ours, n, MPI_INT64_T, MPI_SUM, comm, NULL);
    MPI_Reduce_scatter_block(whole, theirs, n, MPI_INT64_T, MPI_SUM, comm);
    same("reduce_scatter_block", -1, ours, theirs, count * 8);
    summand_reduce_scatter(whole, ours, counts, MPI_INT64_T, MPI_SUM, comm, NULL);
    MPI_Reduce_scatter(whole, theirs, counts, MPI_INT64_T, MPI_SUM, comm);
    same("reduce_scatter", -1, ours, theirs, counts[harness_rank] * 8L);
    summand_allgather(whole, n, MPI_INT64_T, ours, n, MPI_INT64_T, comm, NULL);
    MPI_Allgather(whole, n, MPI_INT64_T, theirs, n, MPI_INT64_T, comm);
    same("allgather", -1, ours, theirs, all * 8);
    summand_allgatherv(whole, counts[harness_rank], MPI_INT64_T, ours, counts, displs, MPI_INT64_T,
                       comm, NULL);
    MPI_Allgatherv(whole, counts[harness_rank], MPI_INT64_T, theirs, counts, displs, MPI_INT64_T,
                   comm);
    same("allgatherv", -1, ours, theirs, all * 8);
}

static void print_vectors(void)
{
    summand_options options = {.promise = SUMMAND_PROMISE_CANONICAL};
    summand_plan *plan = NULL;
    int n = (int)count;
    MPI_Comm comm = MPI_COMM_WORLD;
    summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, &options);
    line("canonical-allreduce", y, count * 8);
    for (int root = 0; root < harness_ranks; root++) {
        summand_reduce(x, z, n, MPI_DOUBLE, MPI_SUM, root, comm, &options);
        same("canonical reduce", root, y, z, count * 8);
    }
    summand_allreduce_init(x, z, n, MPI_DOUBLE, MPI_SUM, comm, &options, &plan);
    for (int turn = 0; turn < 2; turn++) {
        memset(z, 0, (size_t)count * 8);
        summand_plan_start(plan);
        summand_plan_wait(plan);
        same("canonical plan", -1, y, z, count * 8);
    }
    summand_plan_free(&plan);
    summand_reduce_scatter_block(x, z, n, MPI_DOUBLE, MPI_SUM, comm, &options);
    line("canonical-reduce_scatter_block", z, count * 8);
    options.promise = SUMMAND_PROMISE_EXACT;
    summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, &options);
    line("exact-allreduce", y, count * 8);
    summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, comm, NULL);
    memcpy(z, y, (size_t)count * 8);
    MPI_Bcast(z, n, MPI_DOUBLE, 0, comm);
    same("the same bits on all ranks", -1, y, z, count * 8);
}

static void print_sums(void)
{
    summand_options tree = {.promise = SUMMAND_PROMISE_INDEX};
    double s = 0;
    summand_sum(x, &s, (size_t)count, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    line("exact-sum", &s, 8);
    summand_sum(x, &s, (size_t)count, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, &tree);
    line("tree-sum", &s, 8);
    summand_dot(x, x, &s, (size_t)count, MPI_DOUBLE, SUMMAND_ROOT_ALL, MPI_COMM_WORLD, NULL);
    line("exact-dot", &s, 8);
}

int main(int argc, char **argv)
{
    MPI_Op op;
    harness_begin(&argc, &argv);
    MPI_Op_create(after, 0, &op);
    long most = argc > 1 ? atol(argv[1]) : 100000;
    for (long n = 1; n <= most; n = 7 * n + 1) {
        prepare(n);
        for (int root = 0; root < harness_ranks; root++)
            compare_rooted(root, op);
        compare(op);
        print_vectors();
        print_sums();
        release();
    }
    MPI_Op_free(&op);
    return harness_end();
}

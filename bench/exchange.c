/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares an all-reduce or reduce of two ranks with the fastest exchange between two cores.
 *     mpiexec -np 2 bench-exchange [allreduce|reduce] [--over-and-over] [ROUNDS]
 * In each round, in shuffled order, doubles are summed by
 *   queue     a loop: each rank copies its vector into shared memory, chunk by chunk, and adds the
 *             other's chunks to its own vector (reduce: one copies, the other adds); it uses no
 *             library, and chooses and checks nothing
 *   read      another loop: each rank reads the other's vector out of its memory
 *             (process_vm_readv), 256 KiB at a time, into its result, and adds its own there
 *             (reduce: one does); skipped if the kernel refuses
 *   summand   summand_allreduce or summand_reduce
 *   plan      the same as a plan that is started repeatedly
 *   MPI       MPI_Allreduce or MPI_Reduce
 *   adding    each rank adds its half of two vectors of its own, without an exchange
 * Before the first round queues have grown, and all their slots have been touched. With
 * --over-and-over they have not, like those of a program that exchanges only short vectors. A
 * barrier starts each run; the slower rank counts. Times are medians. The other columns are medians
 * of the ratios within a round to the loop that is faster at that size.
 *
 * --over-and-over: short vectors, and 1000 calls after one barrier. So in a reduce the rank that
 * sends runs ahead of the root until its queue is full, in the loops as in the library. */
#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <summand/reduce.h>
#include <sys/uio.h>
#include <unistd.h>

#include "bench/measure.h"
#include "kernel/combine.h"

enum { CHUNK = 16384, CHUNKS = 16, PIECE = 262144, LARGEST = 8 << 20 };
enum { QUEUE, READ, LOOPS, METHODS = 6 };

static const size_t by_barrier[] = {8,       32,      128,     512,     2048,    8192,
                                    1 << 15, 1 << 17, 1 << 19, 1 << 21, 1 << 23, 0},
                    over_and_over[] = {8, 32, 128, 256, 512, 0};

/* How calls are made. For 1000 calls, a barrier's skew is 1 ns per call. */
struct setting {
    int calls; /* after one barrier */
    const size_t *bytes;
    const char *unit;
    double units; /* in a second */
};

static const struct setting settings[] = {{1, by_barrier, "us", 1e6},
                                          {1000, over_and_over, "ns", 1e9}};

/* One rank writes it, and the other one reads it. */
struct channel {
    _Alignas(128) _Atomic size_t written;
    _Alignas(128) _Atomic size_t taken;
    _Alignas(4096) char chunk[CHUNKS][CHUNK];
};

struct pair {
    struct channel *out, *in;
    char *sendbuf, *recvbuf;
    int64_t other[2]; /* process and address of its sendbuf */
    bool reads;
    size_t written, taken; /* since the start */
    bool rooted, root;
    summand_plan *plan; /* of the current size */
};

static size_t length_of(size_t bytes, size_t done)
{
    return bytes - done < CHUNK ? bytes - done : CHUNK;
}

static void read_other(struct pair *pair, size_t bytes)
{
    summand__combiner *add = summand__combine_kernel(SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_F64);
    for (size_t done = 0, n; done < bytes; done += n) {
        n = bytes - done < PIECE ? bytes - done : PIECE;
        struct iovec here = {pair->recvbuf + done, n};
        struct iovec there = {(void *)(uintptr_t)((size_t)pair->other[1] + done), n};
        if (process_vm_readv((pid_t)pair->other[0], &here, 1, &there, 1, 0) != (ssize_t)n)
            MPI_Abort(MPI_COMM_WORLD, 1);
        add(pair->sendbuf + done, pair->recvbuf + done, pair->recvbuf + done, n / sizeof(double));
    }
}

static void run_read(struct pair *pair, size_t bytes)
{
    bool sends = !pair->rooted || !pair->root, adds = !pair->rooted || pair->root;
    if (sends)
        atomic_store_explicit(&pair->out->written, ++pair->written, memory_order_release);
    while (adds && atomic_load_explicit(&pair->in->written, memory_order_acquire) == pair->taken) {
    }
    if (adds) {
        read_other(pair, bytes);
        atomic_store_explicit(&pair->in->taken, ++pair->taken, memory_order_release);
    }
    while (sends &&
           atomic_load_explicit(&pair->out->taken, memory_order_acquire) != pair->written) {
    }
}

static void run_queue(struct pair *pair, size_t bytes)
{
    summand__combiner *add = summand__combine_kernel(SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_F64);
    size_t sent = pair->rooted && pair->root ? bytes : 0, n;
    size_t added = pair->rooted && !pair->root ? bytes : 0;
    while (sent < bytes || added < bytes) {
        if (sent < bytes &&
            pair->written - atomic_load_explicit(&pair->out->taken, memory_order_acquire) <
                CHUNKS) {
            n = length_of(bytes, sent);
            memcpy(pair->out->chunk[pair->written % CHUNKS], pair->sendbuf + sent, n);
            atomic_store_explicit(&pair->out->written, ++pair->written, memory_order_release);
            sent += n;
        }
        if (added < bytes &&
            atomic_load_explicit(&pair->in->written, memory_order_acquire) != pair->taken) {
            n = length_of(bytes, added);
            add(pair->in->chunk[pair->taken % CHUNKS], pair->sendbuf + added, pair->recvbuf + added,
                n / sizeof(double));
            atomic_store_explicit(&pair->in->taken, ++pair->taken, memory_order_release);
            added += n;
        }
    }
}

static void run_summand(struct pair *pair, size_t bytes)
{
    if (pair->rooted)
        summand_reduce(pair->sendbuf, pair->recvbuf, (int)(bytes / sizeof(double)), MPI_DOUBLE,
                       MPI_SUM, 0, MPI_COMM_WORLD, NULL);
    else
        summand_allreduce(pair->sendbuf, pair->recvbuf, (int)(bytes / sizeof(double)), MPI_DOUBLE,
                          MPI_SUM, MPI_COMM_WORLD, NULL);
}

static void make_plan(struct pair *pair, size_t bytes)
{
    if (pair->rooted)
        summand_reduce_init(pair->sendbuf, pair->recvbuf, (int)(bytes / sizeof(double)), MPI_DOUBLE,
                            MPI_SUM, 0, MPI_COMM_WORLD, NULL, &pair->plan);
    else
        summand_allreduce_init(pair->sendbuf, pair->recvbuf, (int)(bytes / sizeof(double)),
                               MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, NULL, &pair->plan);
}

static void run_plan(struct pair *pair, size_t bytes)
{
    (void)bytes;
    summand_plan_start(pair->plan);
    summand_plan_wait(pair->plan);
}

static void run_mpi(struct pair *pair, size_t bytes)
{
    if (pair->rooted)
        MPI_Reduce(pair->sendbuf, pair->recvbuf, (int)(bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM,
                   0, MPI_COMM_WORLD);
    else
        MPI_Allreduce(pair->sendbuf, pair->recvbuf, (int)(bytes / sizeof(double)), MPI_DOUBLE,
                      MPI_SUM, MPI_COMM_WORLD);
}

static void run_adding(struct pair *pair, size_t bytes)
{
    summand__combiner *add = summand__combine_kernel(SUMMAND__COMBINE_SUM, SUMMAND__COMBINE_F64);
    add(pair->sendbuf, pair->sendbuf + bytes / 2, pair->recvbuf, bytes / 2 / sizeof(double));
}

static const struct {
    const char *name;
    void (*run)(struct pair *pair, size_t bytes);
    bool sums;
} methods[METHODS] = {{"queue", run_queue, true},     {"read", run_read, true},
                      {"summand", run_summand, true}, {"plan", run_plan, true},
                      {"MPI", run_mpi, true},         {"adding", run_adding, false}};

static void check(const struct pair *pair, int method, size_t bytes)
{
    double sum;
    for (size_t i = 0; i < bytes / sizeof sum; i++) {
        memcpy(&sum, pair->recvbuf + i * sizeof sum, sizeof sum);
        if (methods[method].sums && (pair->root || !pair->rooted) &&
            sum != 2 * (double)(i % 1000) + 1) {
            fprintf(stderr, "%s: element %zu is %g\n", methods[method].name, i, sum);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
}

/* Seconds of one of `calls` calls after a barrier. */
static double run_calls(struct pair *pair, int method, size_t bytes, int calls)
{
    double begin, mine, slowest;
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int call = 0; call < calls; call++)
        methods[method].run(pair, bytes);
    mine = (MPI_Wtime() - begin) / calls;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static void measure(struct pair *pair, size_t bytes, int calls, int rounds, double *seconds)
{
    unsigned state = 1;
    int order[METHODS];
    make_plan(pair, bytes);
    for (int method = 0; method < METHODS; method++) {
        order[method] = method;
        if (method == READ && !pair->reads)
            continue;
        memset(pair->recvbuf, 0, bytes);
        run_calls(pair, method, bytes, calls);
        check(pair, method, bytes);
    }
    for (int round = 0; round < rounds; round++) {
        for (int i = METHODS - 1; i >= 0; i--) {
            state = state * 1664525 + 1013904223; /* the same on both ranks */
            const int j = (int)((state >> 16) % (unsigned)(i + 1)), method = order[j];
            order[j] = order[i];
            order[i] = method;
            if (method != READ || pair->reads)
                seconds[method * rounds + round] = run_calls(pair, method, bytes, calls);
        }
    }
    summand_plan_free(&pair->plan);
}

/* A queue of the library uses more slots once it has carried some slices, and the first touch of a
 * slot takes microseconds. */
static void warm_up(struct pair *pair)
{
    enum { CALLS = 1024, BYTES = 4 * CHUNK };
    for (int call = 0; call < CALLS; call++)
        run_summand(pair, BYTES);
}

static void show(const struct setting *setting, size_t bytes, int rounds, const double *seconds)
{
    double time[METHODS];
    printf("%9zu", bytes);
    for (int method = 0; method < METHODS; method++) {
        time[method] = setting->units * measure_median(seconds + method * rounds, rounds).median;
        printf(" %10.2f", time[method]);
    }
    int best = time[READ] > 0 && time[READ] < time[QUEUE] ? READ : QUEUE;
    for (int method = LOOPS; method < METHODS; method++) {
        struct measure_interval ratio =
            measure_ratio(seconds + method * rounds, seconds + best * rounds, rounds);
        printf("   %5.2f [%5.2f, %5.2f]", ratio.median, ratio.low, ratio.high);
    }
    printf("\n");
}

static bool open_pair(struct pair *pair, MPI_Win *window, int rank)
{
    struct channel *own, *other;
    MPI_Aint size;
    int unit;
    MPI_Win_allocate_shared(sizeof *own + 4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &own, window);
    MPI_Win_shared_query(*window, !rank, &size, &unit, &other);
    pair->out = (struct channel *)(((uintptr_t)own + 4095) / 4096 * 4096);
    pair->in = (struct channel *)(((uintptr_t)other + 4095) / 4096 * 4096);
    memset(pair->out, 0, sizeof *pair->out);
    pair->sendbuf = malloc(LARGEST);
    pair->recvbuf = malloc(LARGEST);
    for (size_t i = 0; pair->sendbuf && i < LARGEST / sizeof(double); i++) {
        double value = (double)(i % 1000) + rank;
        memcpy(pair->sendbuf + i * sizeof value, &value, sizeof value);
    }
    int64_t own_place[2] = {getpid(), (int64_t)(uintptr_t)pair->sendbuf}, places[2][2];
    double seen = -1;
    MPI_Allgather(own_place, 2, MPI_INT64_T, places, 2, MPI_INT64_T, MPI_COMM_WORLD);
    memcpy(pair->other, places[!rank], sizeof pair->other);
    struct iovec here = {&seen, sizeof seen};
    struct iovec there = {(void *)(uintptr_t)pair->other[1], sizeof seen};
    pair->reads = process_vm_readv((pid_t)pair->other[0], &here, 1, &there, 1, 0) == sizeof seen &&
                  seen == !rank;
    MPI_Allreduce(MPI_IN_PLACE, &pair->reads, 1, MPI_C_BOOL, MPI_LAND, MPI_COMM_WORLD);
    return pair->sendbuf && pair->recvbuf;
}

static void show_head(const struct setting *setting)
{
    printf("%9s", "bytes");
    for (int method = 0; method < METHODS; method++)
        printf(" %7s %s", methods[method].name, setting->unit);
    for (int method = LOOPS; method < METHODS; method++)
        printf("   %7s / better    ", methods[method].name);
    printf("\n");
}

int main(int argc, char **argv)
{
    int rank, ranks, rounds = 200, place = 1;
    struct pair pair = {0};
    const struct setting *setting = settings;
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    pair.root = rank == 0;
    pair.rooted = place < argc && !strcmp(argv[place], "reduce");
    place += pair.rooted || (place < argc && !strcmp(argv[place], "allreduce"));
    if (place < argc && !strcmp(argv[place], "--over-and-over")) {
        setting = settings + 1;
        place++;
    }
    if (place < argc)
        rounds = atoi(argv[place++]);
    double *seconds = calloc((size_t)METHODS * (size_t)(rounds > 0 ? rounds : 1), sizeof *seconds);
    if (ranks != 2 || rounds < 1 || place < argc || !seconds || !open_pair(&pair, &window, rank)) {
        fprintf(stderr, "bench-exchange: needs 2 ranks of one node, and rounds from 1 on\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    if (rank == 0)
        show_head(setting);
    if (setting->calls == 1)
        warm_up(&pair);
    for (const size_t *bytes = setting->bytes; *bytes; bytes++) {
        measure(&pair, *bytes, setting->calls, rounds, seconds);
        if (rank == 0)
            show(setting, *bytes, rounds, seconds);
    }
    free(seconds);
    free(pair.sendbuf);
    free(pair.recvbuf);
    MPI_Win_free(&window);
    return MPI_Finalize();
}

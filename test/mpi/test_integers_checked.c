/* np: 2 3, long: 5 8; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Check words of sums of integers: results that a rank has computed wrongly are an error on all
 * ranks, also where each rank has another result, and with `correct` they are computed again; an
 * operand in place that changes is an error. All collectives and widths; numbers of all sizes, so
 * that sums overflow, without a false alarm. */
#include <summand.h>

#include "algorithm/call.h"
#include "collective/witness_sums.h"
#include "mpi/harness.h"

enum { MOST = 3001, BYTES = 8 * MOST, KINDS = 6 };

static struct {
    int kind; /* of the damage that this rank's next result gets; 0: none */
    uint64_t seed;
    int done;
} strike;

static void damage(unsigned char *bytes, size_t count, size_t width)
{
    unsigned char was[BYTES];
    const size_t n = count / width, a = harness_random(&strike.seed) % n;
    const size_t b = harness_random(&strike.seed) % n, half = n / 2 * width;
    memcpy(was, bytes, count);
    switch (strike.kind) {
    case 1: /* a bit */
        bytes[harness_random(&strike.seed) % count] ^= (unsigned char)(1 << strike.seed % 8);
        break;
    case 2: /* the highest bit of a number */
        bytes[(a + 1) * width - 1] ^= 0x80;
        break;
    case 3: /* two numbers exchanged */
        memcpy(bytes + a * width, was + b * width, width);
        memcpy(bytes + b * width, was + a * width, width);
        break;
    case 4: /* both halves */
        memcpy(bytes, was + half, half);
        memcpy(bytes + half, was, half);
        break;
    default: /* zeros from a place on */
        memset(bytes + a * width, 0, count - a * width);
    }
    strike.done = memcmp(was, bytes, count) != 0;
}

uint64_t __real_summand__witness_result(const struct summand__collective_work *work, unsigned bits,
                                        struct summand__seal_sums *share);
uint64_t __wrap_summand__witness_result(const struct summand__collective_work *work, unsigned bits,
                                        struct summand__seal_sums *share);
uint64_t __wrap_summand__witness_result(const struct summand__collective_work *work, unsigned bits,
                                        struct summand__seal_sums *share)
{
    const size_t width = (size_t)work->types.recv.size;
    const size_t count = summand__call_output(&work->call).count * width;
    if (strike.kind && !strike.done && count)
        damage(work->operation.recvbuf, count, width);
    return __real_summand__witness_result(work, bits, share);
}

static unsigned char x[BYTES], y[BYTES];
static int width, sizes[8];
static MPI_Datatype type;
static MPI_Comm comm;

enum { REDUCE, ALLREDUCE, BLOCK, SCATTER, SCAN, EXSCAN, COLLECTIVES };

static int call(int collective, int n, int root, int in_place, enum summand_checked check)
{
    const summand_options o = {.check = check, .timeout = 100};
    const void *in = in_place && (collective != REDUCE || harness_rank == root) ? MPI_IN_PLACE : x;
    memcpy(y, x, sizeof y);
    if (in == x)
        memset(y, 0x55, sizeof y);
    switch (collective) {
    case REDUCE:
        return summand_reduce(in, y, n, type, MPI_SUM, root, comm, &o);
    case ALLREDUCE:
        return summand_allreduce(in, y, n, type, MPI_SUM, comm, &o);
    case BLOCK:
        return summand_reduce_scatter_block(in, y, n / harness_ranks, type, MPI_SUM, comm, &o);
    case SCATTER:
        for (int r = 0; r < harness_ranks; r++)
            sizes[r] = n * (r + 1) / harness_ranks - n * r / harness_ranks + (r ? -(n > 99) : 0);
        return summand_reduce_scatter(in, y, sizes, type, MPI_SUM, comm, &o);
    case SCAN:
        return summand_scan(in, y, n, type, MPI_SUM, comm, &o);
    default:
        return summand_exscan(in, y, n, type, MPI_SUM, comm, &o);
    }
}

/* Number i of a rank: all bits vary, but some are alike. */
static uint64_t number(int rank, int i)
{
    uint64_t state = (uint64_t)(rank + 1) * 1000003 + (uint64_t)i;
    const uint64_t any = harness_random(&state);
    return i % 7 ? any : any | UINT64_C(0x7f7f7f7f7f7f7f7f);
}

/* Numbers of this rank's result that differ. */
static int wrong(int collective, int n, int root)
{
    int first = 0, count = n, last = harness_ranks;
    if (collective == REDUCE && harness_rank != root)
        return 0;
    if (collective == BLOCK)
        count = n / harness_ranks, first = count * harness_rank;
    if (collective == SCATTER)
        for (int r = 0; r <= harness_rank; r++)
            first += r ? sizes[r - 1] : 0, count = sizes[r];
    if (collective == SCAN || collective == EXSCAN)
        last = harness_rank + (collective == SCAN);
    int differ = 0;
    for (int i = 0; i < count && last; i++) {
        uint64_t sum = 0;
        for (int r = 0; r < last; r++)
            sum += number(r, first + i);
        differ += memcmp(&sum, y + i * width, (size_t)width) != 0;
    }
    return differ;
}

static void test(int collective, int n, int in_place, enum summand_checked check, int rank,
                 int kind)
{
    const int root = harness_ranks - 1;
    strike.kind = harness_rank == rank ? kind : 0;
    strike.done = 0;
    int code = call(collective, n, root, in_place, check);
    int ranks[3] = {strike.done, summand_error_of(code) == SUMMAND_ERR_DAMAGED,
                    code != MPI_SUCCESS};
    MPI_Allreduce(MPI_IN_PLACE, ranks, 3, MPI_INT, MPI_SUM, comm);
    const int struck = ranks[0], told = ranks[1], failed = ranks[2];
    if (struck && (in_place || check == SUMMAND_CHECKED_DETECT))
        CHECK(told == harness_ranks, "collective %d of %d, %d bytes, kind %d on %d: %d told",
              collective, n, width, kind, rank, told);
    else
        CHECK(!failed && !wrong(collective, n, root),
              "collective %d of %d, %d bytes, kind %d on %d: %d failed: %s", collective, n, width,
              kind, rank, failed, code == MPI_SUCCESS ? "" : summand_error_text(code));
}

static void test_all(int n)
{
    for (int collective = 0; collective < COLLECTIVES; collective++)
        for (int kind = 0; kind < KINDS; kind++) {
            const int rank = (collective + kind + n) % harness_ranks;
            const int in_place = (kind + n) % 2;
            test(collective, n, in_place, SUMMAND_CHECKED_DETECT, rank, kind);
            test(collective, n, !in_place, SUMMAND_CHECKED_CORRECT, rank, kind);
            test(collective, n, in_place, SUMMAND_CHECKED_DETECT, rank, 0);
        }
}

/* One rank's operand changes between start and wait, where the result is to be. */
static void test_operand(void)
{
    const summand_options o = {.check = SUMMAND_CHECKED_DETECT, .timeout = 100};
    const int changes = harness_rank == harness_ranks - 1;
    for (int turn = 0; turn < 2; turn++) {
        summand_plan *plan;
        memcpy(y, x, sizeof y);
        summand_allreduce_init(MPI_IN_PLACE, y, 9, type, MPI_SUM, comm, &o, &plan);
        summand_plan_start(plan);
        y[3] ^= changes && !turn;
        const int code = summand_plan_wait(plan);
        CHECK((code == MPI_SUCCESS) == turn, "%d bytes, turn %d: code %d", width, turn, code);
        summand_plan_free(&plan);
    }
}

TESTS
{
    const MPI_Datatype types[] = {MPI_INT8_T,   MPI_UNSIGNED_SHORT, MPI_INT,
                                  MPI_UINT32_T, MPI_INT64_T,        MPI_UNSIGNED_LONG};
    static const int counts[] = {1, 8, 36, 290, MOST};
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    strike.seed = (uint64_t)harness_rank + 1;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        type = types[t];
        MPI_Type_size(type, &width);
        for (int i = 0; i < MOST; i++) {
            const uint64_t next = number(harness_rank, i);
            memcpy(x + i * width, &next, (size_t)width);
        }
        for (size_t c = 0; c < 2; c++)
            test_all(counts[(3 * t + 2 * c + 2) % 5]);
        test_operand();
    }
    MPI_Comm_free(&comm);
}

/* np: 1 2 3 5, long: 8; brief */
/* SPDX-License-Identifier: BSD-3-Clause */
/* Check words of exact sums: sums that are damaged after the last addition are an error on the rank
 * that has them, which names the element; other ranks have the right bits or an error; the next
 * call is right. With `correct` one damaged lane is put right. All collectives and algorithms; one
 * lane, several, the words themselves. */
#include <math.h>
#include <summand.h>

#include "algorithm/algorithm.h"
#include "collective/exact_check.h"
#include "mpi/harness.h"
#include "process/damaged.h"

enum { MOST = 3001, KINDS = 5 };

static struct {
    int kind; /* of the damage that this rank's next decode finds; 0: none */
    uint64_t seed;
    size_t number; /* of the result, where one lane is damaged */
    int done;
} strike;

static void damage(const struct summand__exact_layout *layout, int part, int64_t *lanes)
{
    const size_t blocks = layout->block[part + 1] - layout->block[part];
    const size_t words = summand__exact_check_size(blocks);
    const size_t all = layout->word[part + 1] - layout->word[part] - words;
    int64_t *first = lanes + words;
    if (!all || (strike.kind == 4 && all < 2))
        return;
    const size_t a = harness_random(&strike.seed) % all, b = (a + 1) % all;
    const uint64_t bit = UINT64_C(1) << harness_random(&strike.seed) % 64;
    const uint64_t was = (uint64_t)first[a] + 3 * (uint64_t)first[b];
    switch (strike.kind) {
    case 1: /* a bit of any lane */
        first[a] ^= (int64_t)bit;
        break;
    case 2: /* of the first number */
        first[0] ^= (int64_t)bit;
        strike.number = layout->part[part].to;
        break;
    case 3: /* of a word */
        lanes[harness_random(&strike.seed) % SUMMAND__CHECK_LANES] ^= (int64_t)bit;
        strike.done = 1;
        return;
    default: /* two whose sum stays */
        first[a] += 12345;
        first[b] -= 12345;
    }
    strike.done = was != (uint64_t)first[a] + 3 * (uint64_t)first[b] || strike.kind == 2;
}

int __real_summand__exact_decode(const struct summand__exact_layout *layout,
                                 const struct summand__exact_sums *sums, int part, int64_t *lanes,
                                 void *y);
int __wrap_summand__exact_decode(const struct summand__exact_layout *layout,
                                 const struct summand__exact_sums *sums, int part, int64_t *lanes,
                                 void *y);
int __wrap_summand__exact_decode(const struct summand__exact_layout *layout,
                                 const struct summand__exact_sums *sums, int part, int64_t *lanes,
                                 void *y)
{
    if (strike.kind && !strike.done)
        damage(layout, part, lanes);
    return __real_summand__exact_decode(layout, sums, part, lanes, y);
}

static double x[MOST], y[MOST];
static summand_options options = {.promise = SUMMAND_PROMISE_EXACT};

static int call(enum summand__collective collective, const char *algorithm, int n)
{
    summand_options named = options;
    named.algorithm = algorithm;
    switch (collective) {
    case SUMMAND__COLL_REDUCE:
        return summand_reduce(x, y, n, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD, &named);
    case SUMMAND__COLL_SCAN:
        return summand_scan(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &named);
    case SUMMAND__COLL_REDUCE_SCATTER_BLOCK:
        return summand_reduce_scatter_block(x, y, n / harness_ranks, MPI_DOUBLE, MPI_SUM,
                                            MPI_COMM_WORLD, &named);
    default:
        return summand_allreduce(x, y, n, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &named);
    }
}

static const enum summand__collective collectives[] = {SUMMAND__COLL_ALLREDUCE,
                                                       SUMMAND__COLL_REDUCE, SUMMAND__COLL_SCAN,
                                                       SUMMAND__COLL_REDUCE_SCATTER_BLOCK};
enum { COLLECTIVES = sizeof collectives / sizeof *collectives };

/* The terms of ranks are small integers times powers of two: their sums are known. */
static double factor(size_t i)
{
    return ldexp(1, (int)(i * 37 % 120) - 60);
}

static size_t wrong(enum summand__collective collective, int n)
{
    const size_t own = (size_t)(n / harness_ranks) * (size_t)harness_rank;
    const int scan = collective == SUMMAND__COLL_SCAN;
    const int block = collective == SUMMAND__COLL_REDUCE_SCATTER_BLOCK;
    const int last = scan ? harness_rank : harness_ranks - 1;
    size_t count = 0;
    if (collective == SUMMAND__COLL_REDUCE && harness_rank)
        return 0;
    for (size_t i = 0; i < (size_t)(block ? n / harness_ranks : n); i++)
        count += y[i] != factor(i + (block ? own : 0)) * (last + 1) * (last + 2) / 2;
    return count;
}

static void check_call(enum summand__collective collective, const char *algorithm, int n, int rank,
                       int kind)
{
    const char *name = summand__collective_name(collective);
    strike.kind = harness_rank == rank ? kind : 0;
    strike.done = 0;
    const uint64_t before = summand__damage_so_far().repaired;
    int code = call(collective, algorithm, n);
    const enum summand_error error = summand_error_of(code);
    const char *text = summand_error_text(code);
    int struck = strike.done;
    MPI_Allreduce(MPI_IN_PLACE, &struck, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    const int repaired = (int)(summand__damage_so_far().repaired - before) == strike.done;
    if (strike.done && kind <= 2 && options.check == SUMMAND_CHECKED_CORRECT) {
        CHECK(code == MPI_SUCCESS && !wrong(collective, n) && repaired,
              "%s of %d by %s, kind %d: code %d: %s", name, n, algorithm ? algorithm : "chosen",
              kind, code, text);
    } else if (strike.done) {
        char words[60];
        snprintf(words, sizeof words, "the exact sum of element %zu is damaged", strike.number);
        CHECK(error == SUMMAND_ERR_DAMAGED, "%s of %d by %s, kind %d: code %d", name, n,
              algorithm ? algorithm : "chosen", kind, code);
        CHECK(strstr(text, kind == 2   ? words
                           : kind == 1 ? "the exact sum of element "
                                       : "exact sum"),
              "kind %d: %s", kind, text);
    } else {
        CHECK(code == MPI_SUCCESS || (struck && error == SUMMAND_ERR_REMOTE),
              "%s of %d by %s: code %d: %s", name, n, algorithm ? algorithm : "chosen", code, text);
        CHECK(code != MPI_SUCCESS || !wrong(collective, n), "%s of %d: wrong", name, n);
    }
}

/* The vector as it is, once more: right on all ranks, whatever was before. */
static void strike_all(enum summand__collective collective, const char *algorithm, int n)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (int rank = 0; rank < harness_ranks; rank += kind ? 1 : harness_ranks) {
            check_call(collective, algorithm, n, rank, kind);
            check_call(collective, algorithm, n, rank, 0);
        }
}

static int does(enum summand__collective collective, const struct summand__algorithm *algorithm)
{
    return algorithm->build[collective] &&
           summand_error_of(call(collective, algorithm->name, 300)) != SUMMAND_ERR_ALGORITHM;
}

static void test_all(int check)
{
    static const int sizes[] = {1, 7, 200, 1000, MOST};
    options.check = check;
    for (int c = 0; c < COLLECTIVES; c++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            strike_all(collectives[c], NULL, sizes[s]);
        for (int a = 0; summand__algorithms[a]; a++)
            if (does(collectives[c], summand__algorithms[a]))
                strike_all(collectives[c], summand__algorithms[a]->name, 300);
    }
}

TESTS
{
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    strike.seed = (uint64_t)harness_rank + 1;
    for (size_t i = 0; i < MOST; i++)
        x[i] = (harness_rank + 1) * factor(i);
    test_all(SUMMAND_CHECKED_DETECT);
    test_all(SUMMAND_CHECKED_CORRECT);
}

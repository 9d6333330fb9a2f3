/* np: 1 2 3; together */
/* SPDX-License-Identifier: BSD-3-Clause */
/* The collectives of a communicator's first use: what they combine. And when a wait ends by its
 * timeout: not at the first look after it, because the rank may have been stopped. */
#include <sched.h>
#include <summand.h>

#include "mpi/harness.h"
#include "wait/ballot.h"

enum { RANKS_MOST = 8 };

/* Of each two ranks one has a bit that the other one lacks; bit 40 all have, bit 41 none has. */
static void test_words(void)
{
    const uint64_t own = UINT64_C(1) << harness_rank, all = (UINT64_C(1) << harness_ranks) - 1,
                   common = UINT64_C(1) << 40;
    for (int busy = 0; busy < 2; busy++) {
        uint64_t words[2] = {(all ^ own) | common, own | common};
        int code = summand__ballot(MPI_COMM_WORLD, words, 2, busy);
        CHECK(code == MPI_SUCCESS && words[0] == common &&
                  words[1] == (harness_ranks == 1 ? own | common : common),
              "and: code %d, %#llx, %#llx", code, (unsigned long long)words[0],
              (unsigned long long)words[1]);
    }
    uint64_t word = own | common;
    int code = summand__ballot_or(MPI_COMM_WORLD, &word, 1);
    CHECK(code == MPI_SUCCESS && word == (all | common), "or: code %d, %#llx", code,
          (unsigned long long)word);
}

/* The middle one, or the last but one, has the least. */
static void test_numbers(void)
{
    const int furthest = harness_ranks / 2, off = abs(harness_rank - furthest);
    int numbers[2] = {off - 5, -off};
    int code = summand__ballot_least(MPI_COMM_WORLD, numbers, 2);
    CHECK(code == MPI_SUCCESS && numbers[0] == -5 && numbers[1] == -furthest,
          "least: code %d, %d, %d", code, numbers[0], numbers[1]);
    uint64_t word = UINT64_C(1) << 50 | (unsigned)off;
    code = summand__ballot_lowest(MPI_COMM_WORLD, &word, 1);
    CHECK(code == MPI_SUCCESS && word == UINT64_C(1) << 50, "lowest: code %d, %#llx", code,
          (unsigned long long)word);
}

static void test_bytes(void)
{
    char mine[3] = {'a', (char)harness_rank, 'z'}, all[RANKS_MOST][3] = {{0}};
    uint64_t word = 7 + (unsigned)harness_rank;
    for (int both = 0; both < 2; both++) {
        memset(all, 0, sizeof all);
        int code = both ? summand__ballot_gather_lowest(MPI_COMM_WORLD, mine, all, 3, &word, 1)
                        : summand__ballot_gather(MPI_COMM_WORLD, mine, all, 3);
        CHECK(code == MPI_SUCCESS, "gather %d: code %d", both, code);
        for (int r = 0; r < harness_ranks; r++)
            CHECK(all[r][0] == 'a' && all[r][1] == r && all[r][2] == 'z', "gather %d: rank %d",
                  both, r);
    }
    CHECK(word == 7, "gather and lowest: %llu", (unsigned long long)word);
    int code = summand__ballot_tell(MPI_COMM_WORLD, mine, 3);
    CHECK(code == MPI_SUCCESS && !mine[1], "tell: code %d, %d", code, mine[1]);
}

/* A first look finds that a wait has lasted this part of its limit. It does not end the wait: the
 * rank may have been stopped. A look after a quarter of the limit does, if by then it is over. */
static void test_grace(void)
{
    enum { LIMIT = 400000000 };
    static const double lasted[] = {0.85, 1, 50};
    const int timeout = summand_error_code(SUMMAND_ERR_TIMEOUT);
    for (int i = 0; i < 3; i++) {
        struct summand__watch watch = {.timeout = LIMIT * 1e-9};
        struct summand__wait wait = {.watch = &watch};
        wait.backoff.yielded = summand__clock() - (uint64_t)(lasted[i] * LIMIT);
        int code = summand__wait_look(&wait);
        CHECK(code == MPI_SUCCESS, "after %g of the limit: code %d", lasted[i], code);
        const uint64_t seen = summand__clock();
        while (summand__clock() - seen < LIMIT / 4)
            sched_yield();
        code = summand__wait_look(&wait);
        CHECK(code == timeout, "after %g of the limit, and its grace: code %d", lasted[i], code);
    }
}

TESTS
{
    test_words();
    test_numbers();
    test_bytes();
    test_grace();
}
